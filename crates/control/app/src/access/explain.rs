//! Access as people ask about it: what a role holds, who has which, and why somebody may or may not.

use super::{Caller, Permission, Resource, Verb};
use crate::{Answer, App, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_access::{BUILTIN_GROUPS, Because, Granted, Role, RoleAssignment, ScopeLevel, builtin_roles, decide};
use windlass_document::Kind;
use windlass_model::{Identifier, Scope};
use windlass_store::documents::DocumentFilter;
use windlass_store::{PageRequest, Scopes};

/// Who has a role where.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrantRow {
    pub scope: Scope,
    #[serde(flatten)]
    pub assignment: RoleAssignment,
}

/// Whether somebody may do something, and why.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub allowed: bool,
    pub permission: Permission,
    pub resource: String,
    pub because: String,
    /// What allows it.
    pub grant: Option<Granted>,
}

/// What exists everywhere.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BuiltinAccess {
    pub roles: Vec<Role>,
    pub resource_groups: Vec<BuiltinResourceGroup>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BuiltinResourceGroup {
    pub identifier: &'static str,
    pub allowed_scope_levels: &'static [ScopeLevel],
}

impl Caller {
    /// The groups the caller is in.
    pub fn groups(&self) -> Vec<String> {
        self.grants().groups_of(self.who()).map(|group| format!("{} of {}", group.identifier, group.scope)).collect()
    }

    /// The roles the caller has, by itself or through groups.
    pub fn roles(&self) -> Vec<String> {
        let held = self.grants().held_by(self.who());
        held.map(|(scope, held)| format!("{} over {} in {scope}", held.role_identifier, held.resource_group_identifier))
            .collect()
    }

    /// Whether the caller has a permission over one thing or all of a type, and why.
    pub fn explain(&self, permission: Permission, scope: &Scope, id: Option<&str>) -> Answer<Explanation> {
        let id = id.map(Identifier::parse_dashed).transpose();
        let id = id.map_err(|error| Failure::invalid("API0006", error.to_string()))?;
        let resource = Resource { id, ..Resource::any(permission.resource(), scope.clone()) };
        let decision = decide(self.grants(), self.who(), permission, &resource);
        let because = decision.because.to_string();
        let grant = match decision.because {
            Because::Granted(granted) => Some(granted),
            Because::Missing(_) => None,
        };
        Ok(Explanation { allowed: decision.allowed, permission, resource: resource.to_string(), because, grant })
    }
}

impl App {
    /// The roles and resource groups that exist everywhere.
    pub fn builtin_access(&self) -> BuiltinAccess {
        let groups = BUILTIN_GROUPS.iter();
        let groups = groups
            .map(|group| BuiltinResourceGroup { identifier: group.identifier, allowed_scope_levels: group.levels });
        BuiltinAccess { roles: builtin_roles().values().cloned().collect(), resource_groups: groups.collect() }
    }

    /// Assignments of a scope and of those inside, as far as the caller may see them.
    pub async fn role_assignments(&self, by: &Caller, scope: &Scope) -> Answer<Vec<GrantRow>> {
        let kind = Kind::RoleAssignment;
        let filter = DocumentFilter {
            kind: Some(kind.words().root.to_owned()),
            scopes: Scopes::Within(scope.clone()),
            ..DocumentFilter::default()
        };
        let mut page = PageRequest::first(PageRequest::LARGEST);
        let mut rows = Vec::new();
        loop {
            let found = self.store().documents().list(&filter, &page).await?;
            for document in found.items.iter().filter(|document| by.sees_document(kind, document)) {
                let assignment = super::grants::typed(self.body_of(kind, document)?, &document.key.identifier)?;
                rows.push(GrantRow { scope: document.key.scope.clone(), assignment });
            }
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        by.may_list(super::permission_of(kind, Verb::View), scope, rows.is_empty())?;
        Ok(rows)
    }
}
