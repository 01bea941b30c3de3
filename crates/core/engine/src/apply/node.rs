use super::on;
use crate::event::{NodeFinished, NodeSkipped, NodeStarted};
use crate::id::NodeId;
use crate::node::{Instance, Node};
use crate::nodes::NodeIx;
use crate::run::Run;
use std::sync::Arc;
use windlass_model::Status;

pub(super) fn started(run: &mut Run, e: &NodeStarted) {
    let Some(ix) = place(run, &e.node, e.parent.as_ref(), e.instance.as_ref()) else { return };
    forget_below(run, ix);
    let node = run.nodes.get_mut(ix);
    node.reset();
    node.attempt = e.attempt;
    node.retries = e.retries;
    node.name = e.name.as_str().into();
    node.status = Status::Running;
    node.started_at = Some(e.at);
    if e.run_info.is_some() {
        node.run_info.clone_from(&e.run_info);
    }
}

pub(super) fn skipped(run: &mut Run, e: &NodeSkipped) {
    let Some(ix) = place(run, &e.node, Some(&e.parent), e.instance.as_ref()) else { return };
    let node = run.nodes.get_mut(ix);
    node.reset();
    node.attempt = e.attempt;
    node.name = e.name.as_str().into();
    node.status = Status::Skipped;
    node.started_at = Some(e.at);
    node.ended_at = Some(e.at);
    node.reason = Some(e.reason.as_str().into());
    node.run_info.clone_from(&e.run_info);
}

pub(super) fn finished(run: &mut Run, e: &NodeFinished) {
    on(run, &e.node, |node| {
        node.go_on();
        node.status = e.status;
        node.ended_at = Some(e.at);
        node.outcome = None;
        node.discontinued = e.discontinued;
        if e.failure.is_some() {
            node.failure.clone_from(&e.failure);
        }
        if let Some(reason) = &e.reason {
            node.reason = Some(reason.as_str().into());
        }
        if e.output.is_some() {
            node.output.clone_from(&e.output);
        }
    });
}

/// The node of this id, made when it is new; its parent's list has come as far as this entry.
fn place(run: &mut Run, id: &NodeId, parent: Option<&NodeId>, instance: Option<&Arc<Instance>>) -> Option<NodeIx> {
    let parent = match parent {
        None => None,
        Some(parent) => Some(run.find(parent)?),
    };
    let ix = match run.find(id) {
        Some(ix) => ix,
        None => create(run, id, parent, instance)?,
    };
    let entry = run.plan_of(ix);
    let (section, item) = (entry.section, entry.item);
    if let Some(parent) = parent
        && let Some(container) = &mut run.nodes.get_mut(parent).container
        && container.section == section
    {
        container.item = Some(item);
    }
    Some(ix)
}

fn create(run: &mut Run, id: &NodeId, parent: Option<NodeIx>, instance: Option<&Arc<Instance>>) -> Option<NodeIx> {
    let plan = run.plan.by_path(id)?;
    let container = run.plan.get(plan).is_container();
    let mut node = Node::new(id.clone(), plan, parent, container);
    node.instance = instance.map(Arc::clone);
    Some(run.nodes.push(node))
}

/// A node that starts again starts everything below it again.
fn forget_below(run: &mut Run, ix: NodeIx) {
    for child in run.nodes[ix].children.clone() {
        forget_below(run, child);
        run.nodes.get_mut(child).reset();
    }
}
