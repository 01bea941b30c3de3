use crate::deployment::Deployment;
use crate::id::NodeId;
use crate::run::Run;

/// What an implicit step found belongs to its stage.
pub(super) fn found(run: &mut Run, node: &NodeId, change: impl FnOnce(&mut Deployment)) {
    let stage = run.find(node).and_then(|ix| run.nodes[ix].parent);
    if let Some(stage) = stage {
        change(&mut run.nodes.get_mut(stage).deployment);
    }
}
