//! Questions to people (pipelines §6.1).

use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What one approval asks, with every expression resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalSpec {
    pub message: String,
    /// Scoped references of the groups whose members may answer; membership counts at the time of the answer.
    pub user_groups: Vec<String>,
    #[serde(default)]
    pub service_accounts: Vec<String>,
    /// How many different people must approve, over the union of the groups.
    pub minimum_count: u32,
    /// Our extension (SEED-42): how many of them from each group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub minimum_per_group: BTreeMap<String, u32>,
    pub disallow_executor: bool,
    #[serde(default)]
    pub disallowed_emails: BTreeSet<String>,
    #[serde(default)]
    pub inputs: Vec<ApproverInput>,
    #[serde(default)]
    pub include_history: bool,
    #[serde(default)]
    pub auto_reject: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_approve: Option<AutoApproval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callback_id: Option<String>,
}

/// One thing an approver is asked to write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApproverInput {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default)]
    pub required: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_value: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<InputConstraint>,
}

/// What a value must satisfy. Comma lists are already split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum InputConstraint {
    /// Full match, Java dialect.
    Regex(String),
    OneOf(Vec<String>),
    ManyOf(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutoApproval {
    pub at: Timestamp,
    #[serde(default)]
    pub comments: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum ApprovalAction {
    Approve,
    Reject,
}

/// One answer of one person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalActivity {
    pub user: Approver,
    pub action: ApprovalAction,
    #[serde(default)]
    pub comments: String,
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    pub approved_at: Timestamp,
}

/// Who answered, and by which of the asked groups they may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approver {
    /// The stable id of the principal: `user:ada@example.com`, `serviceAccount:account/ci`.
    pub principal: String,
    pub name: String,
    #[serde(default)]
    pub email: Option<String>,
    /// The listed groups this person is a member of at the time of the answer.
    #[serde(default)]
    pub groups: BTreeSet<String>,
}
