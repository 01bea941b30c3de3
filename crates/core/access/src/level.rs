use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use windlass_model::Scope;

/// The kind of scope in which something may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeLevel {
    Account,
    #[serde(alias = "org")]
    Organization,
    Project,
}

impl ScopeLevel {
    pub const ALL: [Self; 3] = [Self::Account, Self::Organization, Self::Project];

    pub const fn of(scope: &Scope) -> Self {
        match scope {
            Scope::Account => Self::Account,
            Scope::Org { .. } => Self::Organization,
            Scope::Project { .. } => Self::Project,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Organization => "organization",
            Self::Project => "project",
        }
    }

    /// The scope of this level around `scope`; `None` when `scope` is wider.
    pub fn around(self, scope: &Scope) -> Option<Scope> {
        scope.outwards().find(|outer| Self::of(outer) == self)
    }
}

impl fmt::Display for ScopeLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
