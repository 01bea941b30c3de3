//! New runs from old ones: a retry of what failed, a rollback of what succeeded (pipelines §5.8).

use crate::deployment::{EnvironmentFacts, InfrastructureFacts, ServiceFacts};
use crate::id::NodeId;
use crate::nodes::NodeIx;
use crate::plan::{Plan, PlanKind, Section};
use crate::refusal::Refusal;
use crate::run::Run;
use crate::start::Mode;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use windlass_model::{Failure, Json, RunId, Status, Timestamp};

/// A node of an earlier run, as far as later ones refer to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopiedNode {
    pub node: NodeId,
    pub parent: Option<NodeId>,
    pub name: String,
    pub attempt: u32,
    pub status: Status,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Arc<Failure>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<Arc<Json>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<Json>>,
    /// A worker had a task of it.
    #[serde(default)]
    pub touched: bool,
    /// The run in which it ran.
    pub ran_in: RunId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Arc<ServiceFacts>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Arc<EnvironmentFacts>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub infrastructure: Option<Arc<InfrastructureFacts>>,
}

/// A new run that starts again from some stages of a failed one; what had finished before them is copied.
///
/// Of a parallel entry all stages run again, unless `failed_only` keeps those that succeeded.
pub fn retry(previous: &Run, stages: &[String], failed_only: bool) -> Result<Mode, Refusal> {
    let (Some((status, _)), Some(start)) = (previous.ended(), previous.start()) else {
        return Err(Refusal::not_possible("only a run that has ended can be retried"));
    };
    let retriable = matches!(status, Status::Failed | Status::Aborted | Status::Expired | Status::ApprovalRejected);
    if !retriable || matches!(start.mode, Mode::Rollback { .. }) {
        return Err(Refusal::not_possible(format!("a run that ended as {status} cannot be retried")));
    }
    let items = previous.plan.get(Plan::ROOT).items(Section::Forward);
    let mut first = items.len();
    for wanted in stages {
        let item =
            items.iter().position(|item| item.iter().any(|plan| *previous.plan.get(*plan).identifier == **wanted));
        let item = item.ok_or_else(|| Refusal::NoSuchNode { node: wanted.clone() })?;
        let reached = items[item].iter().any(|plan| previous.nodes.of_plan(*plan).is_some());
        if !reached {
            return Err(Refusal::not_possible(format!(
                "stage `{wanted}` was never reached: start from an earlier one"
            )));
        }
        first = first.min(item);
    }
    if first == items.len() {
        return Err(Refusal::not_possible("no stage to start from is named"));
    }
    let mut keep: Vec<NodeIx> = Vec::new();
    for (item, entries) in items.iter().enumerate() {
        let stages = entries.iter().filter_map(|plan| previous.nodes.of_plan(*plan));
        match item.cmp(&first) {
            std::cmp::Ordering::Less => keep.extend(stages),
            std::cmp::Ordering::Equal if failed_only => {
                keep.extend(stages.filter(|ix| previous.nodes[*ix].status.is_good()));
            }
            _ => {}
        }
    }
    let copied = copies(previous, &keep);
    let first = start.mode.first_run().unwrap_or(previous.id());
    Ok(Mode::Retry { first, of: previous.id(), copied })
}

/// A new run that undoes the deployments of a successful one. Whether it is the latest of its service and
/// infrastructure, and was not rolled back before, is known outside.
pub fn rollback(previous: &Run) -> Result<Mode, Refusal> {
    match previous.ended() {
        Some((Status::Success | Status::IgnoreFailed, _)) => {}
        Some((status, _)) => {
            return Err(Refusal::not_possible(format!(
                "only a successful run can be rolled back; this one ended as {status} and its own failure strategies decided \
                 what was undone"
            )));
        }
        None => return Err(Refusal::not_possible("only a run that has ended can be rolled back")),
    }
    let stages: Vec<NodeIx> = previous.nodes.of_plan(Plan::ROOT).map_or_else(Vec::new, |root| {
        let children = previous.nodes[root].children.iter().copied();
        children.filter(|ix| matches!(previous.plan_of(*ix).kind, PlanKind::Stage(_))).collect()
    });
    let deployed = stages.iter().any(|ix| previous.nodes[*ix].deployment.infrastructure.is_some());
    if !deployed {
        return Err(Refusal::not_possible("this run deployed nothing that could be rolled back"));
    }
    Ok(Mode::Rollback { of: previous.id(), copied: copies(previous, &stages) })
}

/// These nodes and all below them, parents first.
fn copies(run: &Run, roots: &[NodeIx]) -> Vec<CopiedNode> {
    run.nodes
        .iter()
        .filter(|(ix, node)| node.status.is_terminal() && roots.iter().any(|root| run.is_within(*ix, *root)))
        .map(|(_, node)| CopiedNode {
            node: node.id.clone(),
            parent: node.parent.map(|parent| run.nodes[parent].id.clone()),
            name: node.name.to_string(),
            attempt: node.attempt,
            status: node.status,
            started_at: node.started_at,
            ended_at: node.ended_at,
            reason: node.reason.as_deref().map(str::to_owned),
            failure: node.failure.clone(),
            spec: node.spec.clone(),
            output: node.output.clone(),
            touched: node.touched,
            ran_in: node.ran_in.unwrap_or(run.id()),
            service: node.deployment.service.clone(),
            environment: node.deployment.environment.clone(),
            infrastructure: node.deployment.infrastructure.clone(),
        })
        .collect()
}
