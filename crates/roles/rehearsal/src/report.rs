//! What a rehearsal found out.

use serde::Serialize;
use windlass_diagnostic::Diagnostics;
use windlass_engine::{NodeRow, Projection};
use windlass_model::{Status, Timestamp};

/// Everything there is to tell. Printed it is text for people (see [`std::fmt::Display`]), serialized it is for programs. It
/// holds no generated ids: the same rehearsal gives the same report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub pipeline: String,
    pub status: Status,
    /// Whether the run would succeed.
    pub success: bool,
    /// Why it failed, in one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// RFC 3339, business time.
    pub started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// `22m10s`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took: Option<String>,
    /// As they are written: `error-rate=8%`.
    pub faults: Vec<String>,
    /// What the run waits for at the end of the rehearsal, when it has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits: Option<String>,
    /// The tree, each node after its parent.
    pub steps: Vec<Step>,
    pub asked: Vec<Asked>,
    pub not_done: Vec<NotDone>,
    pub clusters: Vec<ClusterReport>,
    /// What is not as it would be.
    pub invented: Vec<String>,
    pub diagnostics: Diagnostics,
}

/// One node of the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    pub path: String,
    /// 0 for stages.
    pub depth: usize,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took: Option<String>,
    pub rollback: bool,
    pub attempts: usize,
    /// Why it is what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failure_types: Vec<&'static str>,
}

/// A question to people.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    pub step: String,
    pub asked_at: String,
    pub message: String,
    /// With the members that their documents list.
    pub groups: Vec<String>,
    pub minimum_count: u32,
    /// What they have to write.
    pub inputs: Vec<String>,
    /// The invented people who answered here.
    pub answered_by: Vec<String>,
    /// Why it could not be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Something that a real run does and a rehearsal does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotDone {
    pub step: String,
    /// `script` or `call`.
    pub kind: String,
    pub what: String,
}

/// What is different in one cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterReport {
    pub connector: String,
    pub changes: Vec<ObjectChange>,
    pub workloads: Vec<WorkloadReport>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectChange {
    /// `created`, `changed` or `deleted`.
    pub change: &'static str,
    pub namespace: String,
    /// `Deployment/web`
    pub object: String,
    /// `spec.replicas: 3 → 6`; of what changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
}

/// A workload before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadReport {
    pub namespace: String,
    pub object: String,
    pub images_before: Vec<String>,
    pub images_after: Vec<String>,
    /// At the end: `6 of 6 ready`.
    pub pods: String,
}

impl Step {
    pub(crate) fn all(projection: &Projection) -> Vec<Self> {
        let mut depth = std::collections::HashMap::new();
        let mut steps = Vec::new();
        for node in &projection.nodes {
            let Some(parent) = &node.parent else { continue };
            let level: usize = depth.get(parent).map_or(0, |level: &usize| level.saturating_add(1));
            depth.insert(node.node.clone(), level);
            steps.push(Self::of(node, level));
        }
        steps
    }

    fn of(node: &NodeRow, depth: usize) -> Self {
        let failure = node.failure.as_deref();
        Self {
            path: node.node.to_string(),
            depth,
            name: node.name.clone(),
            kind: node.kind.clone(),
            status: node.status,
            started_at: node.started_at.map(time),
            took: node.started_at.zip(node.ended_at).map(|(start, end)| end.since(start).to_string()),
            rollback: node.rollback,
            attempts: node.past.len() + 1,
            reason: failure.map(|f| f.message.clone()).or_else(|| node.reason.clone()).or_else(|| told(node)),
            hints: failure.map(|f| f.hints.clone()).unwrap_or_default(),
            failure_types: failure.map(|f| f.types.iter().map(|t| t.name()).collect()).unwrap_or_default(),
        }
    }
}

/// What a verification that went well says about itself.
fn told(node: &NodeRow) -> Option<String> {
    let text = |name: &str| node.output.as_deref()?.get(name)?.as_str().filter(|text| !text.is_empty());
    let verdict = text("verdict")?;
    Some(text("reason").map_or_else(|| verdict.to_owned(), |reason| format!("{verdict}: {reason}")))
}

/// To the second: what is below it is noise of the simulation.
pub(crate) fn time(at: Timestamp) -> String {
    Timestamp::from_secs(at.secs()).to_string().replace(".000Z", "Z")
}
