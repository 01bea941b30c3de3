//! What a policy set is about, and when it is asked (pipelines §8.1).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use windlass_diagnostic::nearest;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident: $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)*
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = UnknownKind;

            /// Reads it in any case.
            fn from_str(text: &str) -> Result<Self, UnknownKind> {
                let found = Self::ALL.iter().find(|one| one.name().eq_ignore_ascii_case(text.trim()));
                found.copied().ok_or_else(|| UnknownKind::new(text, Self::ALL.iter().map(|one| one.name())))
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

words! {
    /// The kind of document a set is asked about.
    PolicyType:
    Pipeline = "pipeline",
    /// Asked by name, by Policy steps and `enforce`.
    Custom = "custom",
    Template = "template",
    Connector = "connector",
    Secret = "secret",
    Variable = "variable",
    Service = "service",
    Environment = "environment",
    Infrastructure = "infrastructure",
    Override = "override",
    ServiceAccount = "serviceaccount",
    ApiKey = "apikey",
    Token = "token",
    Flag = "flag",
    TerraformPlan = "terraformPlan",
    TerraformState = "terraformState",
    DbDevopsSql = "dbDevopsSql",
    SecurityTests = "securityTests",
    GitopsApplication = "gitopsApplication",
    Repository = "repository",
}

words! {
    /// The moment at which a set is asked.
    Action:
    OnSave = "onsave",
    OnRun = "onrun",
    OnStepStart = "onstepstart",
    /// By a Policy step, or by `enforce` after a step.
    OnStep = "onstep",
    OnCreate = "oncreate",
    OnToggle = "ontoggle",
}

/// A word that names no type or action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not known here: {}", match .near {
    Some(near) => format!("did you mean `{near}`?"),
    None => format!("write one of {}", .known.join(", ")),
})]
pub struct UnknownKind {
    pub text: String,
    pub near: Option<&'static str>,
    pub known: Vec<&'static str>,
}

impl UnknownKind {
    fn new(text: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known: Vec<_> = known.collect();
        Self { text: text.to_owned(), near: nearest(text, known.iter().copied()), known }
    }
}

impl PolicyType {
    /// The moments at which sets of this type are asked; empty for types whose part of the platform is not there.
    pub const fn actions(self) -> &'static [Action] {
        match self {
            Self::Pipeline => &[Action::OnSave, Action::OnRun, Action::OnStepStart],
            Self::Custom => &[Action::OnStep],
            Self::Template
            | Self::Connector
            | Self::Secret
            | Self::Variable
            | Self::Service
            | Self::Environment
            | Self::Infrastructure
            | Self::Override
            | Self::ServiceAccount
            | Self::ApiKey
            | Self::Token => &[Action::OnSave],
            Self::Flag
            | Self::TerraformPlan
            | Self::TerraformState
            | Self::DbDevopsSql
            | Self::SecurityTests
            | Self::GitopsApplication
            | Self::Repository => &[],
        }
    }
}
