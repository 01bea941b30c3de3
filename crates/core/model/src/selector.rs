//! Which delegates may do a piece of work (pipelines §4.9, kubernetes-deploy §4.3).

use serde::{Deserialize, Serialize};

/// Where a list of selectors was written, strongest first. The first non-empty level wins whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SelectorLevel {
    Step,
    StepGroup,
    Stage,
    Pipeline,
    /// An extension of ours (SEED-32).
    Infrastructure,
    Connector,
}

/// The selectors that apply to a task, already resolved to plain tags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DelegateSelection {
    /// A delegate must carry all of these, compared without case. Empty: any delegate of the scope.
    pub selectors: Vec<String>,
    /// The level that won, for the reason shown to people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<SelectorLevel>,
    /// Demanded besides, whatever level won: a connector that acts with its delegate's identity must not reach another
    /// cluster because a step named other delegates (kubernetes-deploy §4.3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connector: Vec<String>,
    /// Preferred among equals: the instance that served this stage before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sticky: Option<String>,
}
