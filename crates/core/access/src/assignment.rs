//! A role over a resource group for somebody.

use crate::builtin::BuiltinGroup;
use crate::grants::Grants;
use crate::level::ScopeLevel;
use crate::principal::PrincipalKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_model::{Identifier, Scope};

/// Whom an assignment is for, as written: service accounts and groups are named with the level of their scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrincipalRef {
    #[serde(rename = "type")]
    pub kind: PrincipalKind,
    /// A user's id, or the identifier of a group or service account.
    pub identifier: Box<str>,
    /// Left out: the level of the assignment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_level: Option<ScopeLevel>,
}

/// One grant, saved at a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleAssignment {
    pub identifier: Identifier,
    pub role_identifier: Identifier,
    pub resource_group_identifier: Identifier,
    pub principal: PrincipalRef,
    #[serde(default)]
    pub disabled: bool,
    /// Kept by the platform; people cannot change it.
    #[serde(default)]
    pub managed: bool,
}

impl PrincipalRef {
    pub fn user(id: &str) -> Self {
        Self { kind: PrincipalKind::User, identifier: id.into(), scope_level: None }
    }

    pub fn group(identifier: &str, scope_level: ScopeLevel) -> Self {
        Self { kind: PrincipalKind::UserGroup, identifier: identifier.into(), scope_level: Some(scope_level) }
    }

    /// The scope that holds the group or service account, for an assignment saved in `scope`.
    pub(crate) fn home(&self, scope: &Scope) -> Option<Scope> {
        self.scope_level.map_or_else(|| Some(scope.clone()), |level| level.around(scope))
    }
}

impl RoleAssignment {
    /// What is wrong with an assignment saved in `scope`, given the roles and groups there are.
    pub fn check(&self, scope: &Scope, grants: &Grants) -> Diagnostics {
        let mut found = Diagnostics::new();
        let level = ScopeLevel::of(scope);
        match grants.find_role(scope, &self.role_identifier) {
            None => {
                let text = format!("role `{}` is neither built in nor saved in {scope}", self.role_identifier);
                found.push(Diagnostic::error("ACL0009", text).path("roleIdentifier"));
            }
            Some(role) if !role.allowed_at(level) => {
                let text = format!("role `{}` cannot be assigned at {level} level", self.role_identifier);
                found.push(Diagnostic::error("ACL0010", text).path("roleIdentifier"));
            }
            Some(_) => {}
        }
        let group = &self.resource_group_identifier;
        let usable = match BuiltinGroup::find(group.as_str()) {
            Some(builtin) => builtin.levels.contains(&level),
            None => grants.find_group(scope, group).is_some(),
        };
        if !usable {
            let text = format!("resource group `{group}` is neither built in for {level} level nor saved in {scope}");
            found.push(Diagnostic::error("ACL0011", text).path("resourceGroupIdentifier"));
        }
        if self.principal.kind == PrincipalKind::ApiKey {
            let text = "an API key acts as its owner and holds no roles itself";
            let remedy = "assign the role to the user or service account";
            found.push(Diagnostic::error("ACL0012", text).path("principal.type").remedy(remedy));
        }
        if self.principal.home(scope).is_none() {
            let text = "the principal lies in a narrower scope than the assignment";
            found.push(Diagnostic::error("ACL0013", text).path("principal.scopeLevel"));
        }
        found
    }
}
