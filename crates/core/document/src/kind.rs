//! The kinds of documents: their words, and where they may live (pipelines §1.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use windlass_model::Scope;

/// A noun of the platform that people write as a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    Org,
    Project,
    Pipeline,
    Trigger,
    Service,
    Environment,
    Infrastructure,
    Connector,
    Secret,
    Variable,
    MonitoredService,
    User,
    UserGroup,
    ServiceAccount,
    Role,
    ResourceGroup,
    RoleAssignment,
    Policy,
    PolicySet,
}

/// The scopes in which a kind can exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    Account,
    Org,
    Project,
    /// Account, organization and project.
    Any,
}

/// The words of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub kind: Kind,
    /// `service`: the command line's noun and the file name in every layer.
    pub noun: &'static str,
    /// `services`: the path of the API.
    pub plural: &'static str,
    /// `service`: the key around a document.
    pub root: &'static str,
    pub levels: Levels,
}

const fn words(kind: Kind, noun: &'static str, plural: &'static str, root: &'static str, levels: Levels) -> Words {
    Words { kind, noun, plural, root, levels }
}

const WORDS: &[Words] = &[
    words(Kind::Org, "org", "orgs", "organization", Levels::Account),
    words(Kind::Project, "project", "projects", "project", Levels::Org),
    words(Kind::Pipeline, "pipeline", "pipelines", "pipeline", Levels::Project),
    words(Kind::Trigger, "trigger", "triggers", "trigger", Levels::Project),
    words(Kind::Service, "service", "services", "service", Levels::Any),
    words(Kind::Environment, "environment", "environments", "environment", Levels::Any),
    words(Kind::Infrastructure, "infrastructure", "infrastructures", "infrastructureDefinition", Levels::Any),
    words(Kind::Connector, "connector", "connectors", "connector", Levels::Any),
    words(Kind::Secret, "secret", "secrets", "secret", Levels::Any),
    words(Kind::Variable, "variable", "variables", "variable", Levels::Any),
    words(Kind::MonitoredService, "monitored-service", "monitored-services", "monitoredService", Levels::Any),
    words(Kind::User, "user", "users", "user", Levels::Account),
    words(Kind::UserGroup, "user-group", "user-groups", "userGroup", Levels::Any),
    words(Kind::ServiceAccount, "service-account", "service-accounts", "serviceAccount", Levels::Any),
    words(Kind::Role, "role", "roles", "role", Levels::Any),
    words(Kind::ResourceGroup, "resource-group", "resource-groups", "resourceGroup", Levels::Any),
    words(Kind::RoleAssignment, "role-assignment", "role-assignments", "roleAssignment", Levels::Any),
    words(Kind::Policy, "policy", "policies", "policy", Levels::Any),
    words(Kind::PolicySet, "policy-set", "policy-sets", "policySet", Levels::Any),
];

impl Kind {
    pub fn all() -> impl Iterator<Item = Kind> {
        WORDS.iter().map(|w| w.kind)
    }

    pub fn words(self) -> &'static Words {
        // One row for each kind, in the order of the enum: a test holds this.
        &WORDS[self as usize]
    }

    pub fn noun(self) -> &'static str {
        self.words().noun
    }

    /// Reads a noun, its plural, or the key of a document; case and hyphens do not matter.
    pub fn parse(word: &str) -> Option<Self> {
        let plain = |s: &str| s.chars().filter(|c| *c != '-').flat_map(char::to_lowercase).collect::<String>();
        let wanted = plain(word);
        WORDS.iter().find(|w| [w.noun, w.plural, w.root].iter().any(|s| plain(s) == wanted)).map(|w| w.kind)
    }

    /// The kind whose documents have this root key.
    pub fn of_root(key: &str) -> Option<Self> {
        WORDS.iter().find(|w| w.root == key).map(|w| w.kind)
    }

    /// Whether an identifier of this kind may hold hyphens and dots.
    pub fn allows_dashes(self) -> bool {
        matches!(self, Self::Secret | Self::User)
    }

    pub fn can_live_in(self, scope: &Scope) -> bool {
        matches!(
            (self.words().levels, scope),
            (Levels::Any, _)
                | (Levels::Account, Scope::Account)
                | (Levels::Org, Scope::Org { .. })
                | (Levels::Project, Scope::Project { .. })
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, WORDS};

    #[test]
    fn every_kind_has_its_row() {
        for (at, words) in WORDS.iter().enumerate() {
            assert_eq!(words.kind as usize, at);
            for word in [words.noun, words.plural, words.root] {
                assert_eq!(Kind::parse(word), Some(words.kind), "{word}");
            }
        }
        assert_eq!(Kind::parse("UserGroups"), Some(Kind::UserGroup));
        assert_eq!(Kind::parse("template"), None);
    }
}
