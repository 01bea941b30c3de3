//! Why something failed, in the words that failure strategies match (pipelines §5.2, kubernetes-deploy §2.9).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

macro_rules! failure_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        /// The class of a failure. A failure carries a set of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum FailureType { $($(#[$doc])* $name,)* }

        impl FailureType {
            pub const ALL: &'static [FailureType] = &[$(FailureType::$name,)*];

            pub const fn name(self) -> &'static str {
                match self { $(FailureType::$name => stringify!($name),)* }
            }
        }
    };
}

failure_types! {
    /// Bad credentials.
    Authentication;
    /// Valid credentials, missing permission.
    Authorization;
    /// The target cannot be reached.
    Connectivity;
    Timeout;
    /// No eligible delegate, or the task was not taken.
    DelegateProvisioning;
    /// The delegate was lost while it ran the task.
    DelegateRestart;
    Verification;
    PolicyEvaluationFailure;
    InputTimeoutError;
    ApprovalRejection;
    UserMarkedFailure;
    InfrastructureFailure;
    PluginImageFailure;
    ResourceLimitsFailure;
    ConfigurationFailure;
    RetryableTransientFailure;
    /// Everything else, scripts that fail among it.
    Unknown;
}

impl FailureType {
    /// Reads a name; `UserMarkedFail` is an alias that people write.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "UserMarkedFail" {
            return Some(Self::UserMarkedFailure);
        }
        Self::ALL.iter().copied().find(|t| t.name() == text)
    }
}

impl fmt::Display for FailureType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What went wrong, for people and for failure strategies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub types: BTreeSet<FailureType>,
    /// What happened to what, with the reason. Holds no secret.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

impl Failure {
    pub fn new(kind: FailureType, message: impl Into<String>) -> Self {
        Self { types: BTreeSet::from([kind]), message: message.into(), hints: Vec::new() }
    }

    #[must_use]
    pub fn also(mut self, kind: FailureType) -> Self {
        self.types.insert(kind);
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
