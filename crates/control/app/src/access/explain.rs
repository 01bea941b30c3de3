//! Access as people ask about it: what a role holds, who has which, and why somebody may or may not.

use super::{Caller, Permission, Resource, Verb};
use crate::{Answer, App, Failure};
use serde::Serialize;
use windlass_access::{BUILTIN_GROUPS, Because, RoleAssignment, builtin_roles, decide};
use windlass_document::Kind;
use windlass_model::{Identifier, Json, Scope};
use windlass_store::documents::DocumentFilter;
use windlass_store::{PageRequest, Scopes};

/// Who has a role where.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantRow {
    pub scope: Scope,
    #[serde(flatten)]
    pub assignment: RoleAssignment,
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
    pub fn explain(&self, permission: Permission, scope: &Scope, id: Option<&str>) -> Answer<Json> {
        let id = id.map(Identifier::parse_dashed).transpose();
        let id = id.map_err(|error| Failure::invalid("API0006", error.to_string()))?;
        let resource = Resource { id, ..Resource::any(permission.resource(), scope.clone()) };
        let decision = decide(self.grants(), self.who(), permission, &resource);
        let by = match &decision.because {
            Because::Granted(granted) => serde_json::json!(granted),
            Because::Missing(_) => Json::Null,
        };
        Ok(serde_json::json!({
            "allowed": decision.allowed,
            "permission": permission.name(),
            "resource": resource.to_string(),
            "because": decision.because.to_string(),
            "grant": by,
        }))
    }
}

impl App {
    /// The roles and resource groups that exist everywhere.
    pub fn builtin_access(&self) -> Json {
        let roles: Vec<_> = builtin_roles().values().collect();
        let groups: Vec<_> = BUILTIN_GROUPS
            .iter()
            .map(|group| serde_json::json!({ "identifier": group.identifier, "allowedScopeLevels": group.levels }))
            .collect();
        serde_json::json!({ "roles": roles, "resourceGroups": groups })
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
