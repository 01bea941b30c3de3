//! Named sets of permissions.

use crate::level::ScopeLevel;
use crate::permission::Permission;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_model::{Identifier, Scope};

/// What somebody may do, apart from where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Role {
    pub identifier: Identifier,
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub permissions: BTreeSet<Permission>,
    /// The scopes in which it may be assigned; empty: the one it was saved in.
    #[serde(default)]
    pub allowed_scope_levels: BTreeSet<ScopeLevel>,
}

impl Role {
    /// What is wrong with a custom role saved in `scope`.
    pub fn check(&self, scope: &Scope) -> Diagnostics {
        let mut found = Diagnostics::new();
        if self.identifier.as_str().starts_with('_') {
            let text = format!("`{}` starts with `_`, which is kept for built-in roles", self.identifier);
            found.push(Diagnostic::error("ACL0001", text).path("identifier"));
        }
        if self.permissions.is_empty() {
            found.push(Diagnostic::warning("ACL0002", "the role has no permissions").path("permissions"));
        }
        let level = ScopeLevel::of(scope);
        if self.allowed_scope_levels.iter().any(|allowed| *allowed != level) {
            let text = format!("a role saved in {scope} can be assigned there only");
            let remedy = format!("write `allowedScopeLevels: [{level}]`, or leave it out");
            found.push(Diagnostic::error("ACL0003", text).path("allowedScopeLevels").remedy(remedy));
        }
        found
    }

    /// Whether it may be assigned at scopes of this level.
    pub fn allowed_at(&self, level: ScopeLevel) -> bool {
        self.allowed_scope_levels.is_empty() || self.allowed_scope_levels.contains(&level)
    }
}
