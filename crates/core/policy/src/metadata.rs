//! The answer in the form that clients of the vendor know (pipelines §8.2).

use crate::kind::{Action, PolicyType};
use crate::set::Severity;
use serde::{Deserialize, Serialize};

/// Worse is greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    #[default]
    Pass,
    Warning,
    Error,
}

/// The result of all sets that were asked at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Governance {
    /// Of this evaluation.
    pub id: String,
    /// The worst of all sets.
    pub status: Status,
    /// Whether what was asked about must not happen.
    pub deny: bool,
    /// What a person reads first; empty when everything passed.
    pub message: String,
    /// Milliseconds since 1970.
    pub timestamp: i64,
    pub created: i64,
    pub account_id: String,
    pub org_id: String,
    pub project_id: String,
    /// What was asked about.
    pub entity: String,
    #[serde(rename = "type")]
    pub kind: PolicyType,
    pub action: Action,
    pub details: Vec<SetResult>,
}

/// The result of one set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetResult {
    pub policy_set_id: String,
    pub policy_set_name: String,
    /// With its scope, as references write it: `account.prod_rules`.
    pub identifier: String,
    pub status: Status,
    pub deny: bool,
    pub policy_metadata: Vec<PolicyResult>,
}

/// The result of one policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyResult {
    pub policy_id: String,
    pub policy_name: String,
    /// As the set refers to it.
    pub identifier: String,
    pub severity: Severity,
    pub status: Status,
    pub deny_messages: Vec<String>,
}
