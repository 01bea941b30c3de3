//! The rows that people look at: one for the run, one for each node.
//!
//! A pure function of the state, so that folding the log gives the projection for every recorded run.

use crate::flow::shown_status;
use crate::id::NodeId;
use crate::node::{Node, NodeRunInfo, PastAttempt, Preview};
use crate::nodes::NodeIx;
use crate::plan::{PlanIx, PlanKind, Section};
use crate::run::Run;
use crate::start::TriggerType;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;
use windlass_model::approval::ApprovalActivity;
use windlass_model::task::Measure;
use windlass_model::{Failure, Json, RunId, Status, Timestamp};

/// All rows of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Projection {
    pub run: RunRow,
    pub nodes: Vec<NodeRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub run: RunId,
    /// The number of the last event.
    pub seq: u64,
    pub pipeline: String,
    pub name: String,
    pub org: String,
    pub project: String,
    pub sequence: u64,
    pub status: Status,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// The first failure that made the run what it is.
    pub failure: Option<Arc<Failure>>,
    pub started_by: String,
    pub trigger: TriggerType,
    /// What was told when it started. Only [`project`] fills it in: a list of runs, and the row that is written with every
    /// decision, do without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
}

/// One node of the tree; those that have not started yet are there too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeRow {
    pub node: NodeId,
    pub parent: Option<NodeId>,
    pub identifier: String,
    pub name: String,
    /// `Deployment`, `StepGroup`, `K8sRollingDeploy`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// Orders the tree as its author wrote it.
    pub position: u32,
    /// The entry of its parent's list; entries with the same number run together.
    pub item: u32,
    /// Whether it undoes something.
    pub rollback: bool,
    pub attempt: u32,
    pub status: Status,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub deadline: Option<Timestamp>,
    /// Why it is what it is, and what it waits for.
    pub reason: Option<String>,
    /// When what it waits for is there at the latest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// What its worker said last. Filled in by whoever knows the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How much of it is done, where that can be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
    pub failure: Option<Arc<Failure>>,
    pub run_info: Option<Arc<NodeRunInfo>>,
    pub warnings: Vec<Diagnostic>,
    pub worker: Option<String>,
    pub activities: Vec<ApprovalActivity>,
    /// Of an approval: what the stage would change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Arc<Preview>>,
    pub past: Vec<PastAttempt>,
    pub spec: Option<Arc<Json>>,
    pub output: Option<Arc<Json>>,
}

/// Every row.
pub fn project(run: &Run) -> Option<Projection> {
    let row = RunRow { warnings: run.warnings().to_vec(), ..project_run(run)? };
    let nodes = (run.plan.iter().map(|(plan, _)| plan))
        .filter_map(|plan| match run.nodes.of_plan(plan) {
            Some(ix) => Some(node_row(run, ix)),
            None => unreached_row(run, plan),
        })
        .collect();
    Some(Projection { run: row, nodes })
}

/// The row of the run; nothing before it has started.
pub fn project_run(run: &Run) -> Option<RunRow> {
    let start = run.start.as_ref()?;
    let root = run.nodes.of_plan(crate::plan::Plan::ROOT);
    let status = match (run.ended, root) {
        (Some((status, _)), _) => status,
        (None, Some(root)) => shown_status(run, root),
        (None, None) => Status::NotStarted,
    };
    let failure =
        root.filter(|_| status.is_bad() || status == Status::Running).and_then(|root| first_failure(run, root));
    Some(RunRow {
        run: run.id(),
        seq: run.seq(),
        pipeline: start.pipeline.identifier.clone(),
        name: start.pipeline.name.clone(),
        org: start.pipeline.org.clone(),
        project: start.pipeline.project.clone(),
        sequence: start.sequence,
        status,
        started_at: run.started_at,
        ended_at: run.ended.map(|(_, at)| at),
        failure,
        started_by: start.started_by.name.clone(),
        trigger: start.trigger.kind,
        warnings: Vec::new(),
    })
}

fn first_failure(run: &Run, ix: NodeIx) -> Option<Arc<Failure>> {
    let node = &run.nodes[ix];
    let bad = node.status.is_bad() && node.status != Status::IgnoreFailed;
    if node.container.is_none() {
        return node.failure.clone().filter(|_| bad);
    }
    node.children.iter().find_map(|child| first_failure(run, *child)).or_else(|| node.failure.clone().filter(|_| bad))
}

/// The row of one node.
pub fn project_node(run: &Run, node: &NodeId) -> Option<NodeRow> {
    run.find(node).map(|ix| node_row(run, ix))
}

fn node_row(run: &Run, ix: NodeIx) -> NodeRow {
    let node = &run.nodes[ix];
    let entry = run.plan.get(node.plan);
    NodeRow {
        node: node.id.clone(),
        parent: node.parent.map(|parent| run.nodes[parent].id.clone()),
        identifier: entry.identifier.to_string(),
        name: node.name.to_string(),
        kind: entry.type_name().to_owned(),
        position: count(node.plan.0),
        item: count(entry.item),
        rollback: entry.section == Section::Rollback,
        attempt: node.attempt,
        status: shown_status(run, ix),
        started_at: node.started_at,
        ended_at: node.ended_at,
        deadline: node.deadline(),
        reason: reason(node),
        until: until(node),
        note: None,
        measure: measure(node),
        failure: node.failure.clone(),
        run_info: node.run_info.clone(),
        warnings: node.warnings.clone(),
        worker: node.worker.as_deref().map(str::to_owned),
        activities: node.activities.clone(),
        preview: node.preview.clone(),
        past: node.past.clone(),
        spec: node.spec.clone(),
        output: node.output.clone(),
    }
}

/// What a node waits for, in words, or why it is what it is.
fn reason(node: &Node) -> Option<String> {
    use crate::node::Wait;
    match &node.wait {
        Wait::Resource(resource) => Some(match &node.reason {
            Some(why) => format!("waits for {resource}: {why}"),
            None => format!("waits for {resource}"),
        }),
        Wait::Barrier(barrier) => Some(format!("waits at the barrier {barrier}")),
        Wait::Time { until } => Some(format!("waits until {until}")),
        Wait::Retry { until } => Some(format!("the next attempt starts at {until}")),
        Wait::Intervention { until, .. } => Some(format!("waits until {until} for somebody to decide")),
        Wait::Approval(approval) => {
            Some(format!("{} of {} approvals", approval.activities.len(), approval.spec.minimum_count))
        }
        _ => node.reason.as_deref().map(str::to_owned),
    }
}

fn until(node: &Node) -> Option<Timestamp> {
    use crate::node::Wait;
    match &node.wait {
        Wait::Time { until } | Wait::Retry { until } | Wait::Start { until } | Wait::Intervention { until, .. } => {
            Some(*until)
        }
        _ => None,
    }
}

fn measure(node: &Node) -> Option<Measure> {
    match &node.wait {
        crate::node::Wait::Approval(approval) => {
            Measure::new(approval.activities.len() as u64, approval.spec.minimum_count.into())
        }
        _ => None,
    }
}

/// An entry of the plan that has not started; entries that exist only when there is something to undo have no row.
fn unreached_row(run: &Run, plan: PlanIx) -> Option<NodeRow> {
    let optional = |plan: PlanIx| match &run.plan.get(plan).kind {
        PlanKind::StageRollback(_) => true,
        PlanKind::Step(step) => step.implicit,
        _ => false,
    };
    if run.plan.outwards(plan).any(|above| run.nodes.of_plan(above).is_none() && optional(above)) {
        return None;
    }
    let entry = run.plan.get(plan);
    Some(NodeRow {
        node: entry.path.clone(),
        parent: entry.parent.map(|parent| run.plan.get(parent).path.clone()),
        identifier: entry.identifier.to_string(),
        name: entry.name.to_string(),
        kind: entry.type_name().to_owned(),
        position: count(plan.0),
        item: count(entry.item),
        rollback: entry.section == Section::Rollback,
        attempt: 0,
        status: Status::NotStarted,
        started_at: None,
        ended_at: None,
        deadline: None,
        reason: None,
        until: None,
        note: None,
        measure: None,
        failure: None,
        run_info: None,
        warnings: Vec::new(),
        worker: None,
        activities: Vec::new(),
        preview: None,
        past: Vec::new(),
        spec: None,
        output: None,
    })
}

/// The nodes whose rows changed after event number `since`: those that an event changed, and those above them, whose
/// status shows what is below.
pub fn touched(run: &Run, since: u64) -> BTreeSet<NodeId> {
    run.nodes
        .iter()
        .filter(|(_, node)| node.changed > since)
        .flat_map(|(ix, _)| run.outwards(ix))
        .map(|ix| run.nodes[ix].id.clone())
        .collect()
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
