//! Where an entity lives, and how one refers to another (pipelines §1.1).

use crate::id::{Identifier, IdentifierError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Account, organization or project. One server holds one account.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "level", rename_all = "lowercase")]
pub enum Scope {
    #[default]
    Account,
    Org {
        org: Identifier,
    },
    Project {
        org: Identifier,
        project: Identifier,
    },
}

impl Scope {
    pub fn of(org: Option<Identifier>, project: Option<Identifier>) -> Option<Self> {
        match (org, project) {
            (None, None) => Some(Self::Account),
            (Some(org), None) => Some(Self::Org { org }),
            (Some(org), Some(project)) => Some(Self::Project { org, project }),
            (None, Some(_)) => None,
        }
    }

    pub fn org(&self) -> Option<&Identifier> {
        match self {
            Self::Account => None,
            Self::Org { org } | Self::Project { org, .. } => Some(org),
        }
    }

    pub fn project(&self) -> Option<&Identifier> {
        match self {
            Self::Project { project, .. } => Some(project),
            _ => None,
        }
    }

    /// The next wider scope.
    pub fn parent(&self) -> Option<Self> {
        match self {
            Self::Account => None,
            Self::Org { .. } => Some(Self::Account),
            Self::Project { org, .. } => Some(Self::Org { org: org.clone() }),
        }
    }

    /// This scope and every wider one, narrowest first.
    pub fn outwards(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self.clone()), Self::parent)
    }

    /// Whether `other` is this scope or lies inside it.
    pub fn contains(&self, other: &Self) -> bool {
        other.outwards().any(|scope| scope == *self)
    }
}

impl fmt::Display for Scope {
    /// `account`, `org:default`, `project:default/platform`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Account => f.write_str("account"),
            Self::Org { org } => write!(f, "org:{org}"),
            Self::Project { org, project } => write!(f, "project:{org}/{project}"),
        }
    }
}

impl std::str::FromStr for Scope {
    type Err = IdentifierError;

    /// Reads what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, IdentifierError> {
        if text == "account" {
            return Ok(Self::Account);
        }
        if let Some((org, project)) = text.strip_prefix("project:").and_then(|rest| rest.split_once('/')) {
            return Ok(Self::Project { org: Identifier::parse(org)?, project: Identifier::parse(project)? });
        }
        Ok(Self::Org { org: Identifier::parse(text.strip_prefix("org:").unwrap_or(text))? })
    }
}

/// The level a reference names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefLevel {
    /// No prefix: the scope of the referring entity.
    Here,
    Org,
    Account,
}

/// `id`, `org.id` or `account.id`, as written. Split on the first dot only: `org` and `account` are reserved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopedRef {
    pub level: RefLevel,
    pub id: Identifier,
}

/// Why a reference cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefError {
    #[error(transparent)]
    Identifier(#[from] IdentifierError),
    #[error("`{reference}` names the organization, and {scope} lies outside of any: use `account.{id}`", id = reference.id)]
    Wider { reference: ScopedRef, scope: Scope },
}

impl ScopedRef {
    pub fn parse(text: &str) -> Result<Self, IdentifierError> {
        let text = text.trim();
        let (level, id) = match text.split_once('.') {
            Some(("account", id)) => (RefLevel::Account, id),
            Some(("org", id)) => (RefLevel::Org, id),
            _ => (RefLevel::Here, text),
        };
        Ok(Self { level, id: Identifier::parse_dashed(id)? })
    }

    /// The scope this reference means when it is written in an entity of scope `from`.
    pub fn resolve(&self, from: &Scope) -> Result<Scope, RefError> {
        match (self.level, from.org()) {
            (RefLevel::Here, _) => Ok(from.clone()),
            (RefLevel::Account, _) => Ok(Scope::Account),
            (RefLevel::Org, Some(org)) => Ok(Scope::Org { org: org.clone() }),
            (RefLevel::Org, None) => Err(RefError::Wider { reference: self.clone(), scope: from.clone() }),
        }
    }
}

impl fmt::Display for ScopedRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            RefLevel::Here => Ok(()),
            RefLevel::Org => f.write_str("org."),
            RefLevel::Account => f.write_str("account."),
        }?;
        fmt::Display::fmt(&self.id, f)
    }
}

impl Serialize for ScopedRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ScopedRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{RefError, Scope, ScopedRef};

    fn project() -> Scope {
        Scope::Project { org: "default".parse().unwrap(), project: "platform".parse().unwrap() }
    }

    #[test]
    fn references_resolve_against_where_they_are_written() {
        let resolve = |text: &str, from: &Scope| ScopedRef::parse(text).unwrap().resolve(from).map(|s| s.to_string());
        assert_eq!(resolve("git", &project()), Ok("project:default/platform".into()));
        assert_eq!(resolve("org.git", &project()), Ok("org:default".into()));
        assert_eq!(resolve("account.git", &project()), Ok("account".into()));
        assert!(matches!(resolve("org.git", &Scope::Account), Err(RefError::Wider { .. })));
    }

    #[test]
    fn scopes_nest() {
        let names: Vec<_> = project().outwards().map(|s| s.to_string()).collect();
        assert_eq!(names, ["project:default/platform", "org:default", "account"]);
        assert!(Scope::Account.contains(&project()));
        assert!(!project().contains(&Scope::Account));
        assert!(project().outwards().all(|scope| scope.to_string().parse() == Ok(scope)));
        assert!("project:default".parse::<Scope>().is_err());
    }
}
