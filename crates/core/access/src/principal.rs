//! Who accesses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use windlass_model::{Identifier, Scope};

/// Who acts. An API key acts as its owner.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Principal {
    /// By the user's stable id, not the e-mail address, which can change hands.
    User {
        id: Box<str>,
    },
    ServiceAccount {
        scope: Scope,
        identifier: Identifier,
    },
    /// A part of the platform itself, such as the GitOps agent's importer.
    Service {
        name: Box<str>,
    },
}

impl Principal {
    pub fn user(id: &str) -> Self {
        Self::User { id: id.into() }
    }

    pub fn service_account(scope: Scope, identifier: Identifier) -> Self {
        Self::ServiceAccount { scope, identifier }
    }

    pub const fn kind(&self) -> PrincipalKind {
        match self {
            Self::User { .. } => PrincipalKind::User,
            Self::ServiceAccount { .. } => PrincipalKind::ServiceAccount,
            Self::Service { .. } => PrincipalKind::Service,
        }
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User { id } => write!(f, "user {id}"),
            Self::ServiceAccount { scope, identifier } => write!(f, "service account {identifier} of {scope}"),
            Self::Service { name } => write!(f, "service {name}"),
        }
    }
}

/// The kinds of principals that assignments name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PrincipalKind {
    User,
    UserGroup,
    ServiceAccount,
    ApiKey,
    Service,
}
