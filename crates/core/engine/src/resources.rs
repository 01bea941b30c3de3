//! Things of which there is one: taken before the first use, given back when their holder ends (pipelines §4.8).

use crate::deployment::InfrastructureFacts;
use crate::draft::Draft;
use crate::event::{ResourceAwaited, ResourceRequested};
use crate::id::{ResourceId, ResourceKind};
use crate::nodes::NodeIx;

impl Draft {
    /// Whether the resource is held; if not, the node waits for it.
    pub(crate) fn hold(&mut self, ix: NodeIx, resource: ResourceId) -> bool {
        match self.run.resources.get(&resource) {
            Some(claim) if claim.granted => return true,
            Some(_) => {}
            None => self.emit(ResourceRequested { resource: resource.clone() }),
        }
        let node = &self[ix];
        let (node, attempt) = (node.id.clone(), node.attempt);
        self.emit(ResourceAwaited { node, attempt, resource });
        false
    }

    /// Whether this stage has the infrastructure for itself; if not, the node waits for it.
    pub(crate) fn hold_infrastructure(&mut self, ix: NodeIx, facts: &InfrastructureFacts) -> bool {
        if facts.allow_simultaneous {
            return true;
        }
        let Some(place) = self.rollback_place(ix).or_else(|| self.stage_of(ix)) else { return true };
        let scope = self.run.scope();
        let target = &facts.target;
        let key = format!("{scope}: {} in {}/{}", target.service, target.environment, target.infrastructure);
        let holder = self[place].id.clone();
        self.hold(ix, ResourceId { kind: ResourceKind::Infrastructure, key, holder })
    }
}
