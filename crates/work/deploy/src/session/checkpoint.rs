use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_manifest::ObjectKey;

/// What need not be done again. Everything that must not be lost is in the cluster's record too: without a checkpoint the
/// same is done, with more calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Checkpoint {
    /// Commits that were resolved: another attempt renders the same.
    pub commits: BTreeMap<String, String>,
    /// Of the release record.
    pub number: Option<u64>,
    pub phase: Option<Phase>,
    /// What was counted before the first change: pods before a scale, a percentage's base.
    pub counts: BTreeMap<String, u32>,
    /// Objects that were touched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<ObjectKey>,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Phase {
    /// The record is written; nothing else has been touched.
    Recorded,
    Applied,
    Steady,
    /// What had to go is gone.
    Pruned,
}
