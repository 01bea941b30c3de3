use crate::node::Node;
use crate::run::Run;
use crate::start::Mode;
use std::sync::Arc;

/// Puts the finished nodes of an earlier run where they stood.
pub(super) fn copied(run: &mut Run) {
    let Some(start) = run.start.clone() else { return };
    let (Mode::Retry { copied, .. } | Mode::Rollback { copied, .. }) = &start.mode else { return };
    for copy in copied {
        let parent = copy.parent.as_ref().and_then(|parent| run.find(parent));
        let Some(plan) = run.plan.by_path(&copy.node) else { continue };
        if parent.is_none() || run.find(&copy.node).is_some() {
            continue;
        }
        let container = run.plan.get(plan).is_container();
        let mut node = Node::new(copy.node.clone(), plan, parent, container);
        node.copied = true;
        node.name = copy.name.as_str().into();
        node.attempt = copy.attempt;
        node.status = copy.status;
        node.started_at = copy.started_at;
        node.ended_at = copy.ended_at;
        node.reason = copy.reason.as_deref().map(Arc::from);
        node.failure.clone_from(&copy.failure);
        node.spec.clone_from(&copy.spec);
        node.output.clone_from(&copy.output);
        node.touched = copy.touched;
        node.ran_in = Some(copy.ran_in);
        node.deployment.service.clone_from(&copy.service);
        node.deployment.environment.clone_from(&copy.environment);
        node.deployment.infrastructure.clone_from(&copy.infrastructure);
        run.nodes.push(node);
    }
}
