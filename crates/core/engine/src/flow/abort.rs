//! Everything ends at once: an abort, or the end of the pipeline's time. No rollback, no clean-up (pipelines §5.7).

use crate::draft::Draft;
use crate::event::NodeStopping;
use crate::flow::finish::End;
use crate::node::Wait;
use crate::nodes::NodeIx;
use std::sync::Arc;
use windlass_model::{Failure, Status};

impl Draft {
    /// Ends every node that still runs with `status`, deepest first. Workers are asked to stop; what they still answer
    /// is ignored.
    pub(crate) fn end_everything(&mut self, status: Status, why: &str, failure: Option<Arc<Failure>>) {
        let open: Vec<NodeIx> =
            self.run.nodes.iter().rev().filter(|(_, node)| node.is_active()).map(|(ix, _)| ix).collect();
        for ix in open {
            if !self[ix].is_active() {
                continue;
            }
            if self[ix].wait == Wait::Task {
                let node = &self[ix];
                let (node, attempt) = (node.id.clone(), node.attempt);
                self.emit(NodeStopping { node, attempt, status, failure: None, why: why.to_owned() });
            }
            let root = self[ix].parent.is_none();
            let end = match &failure {
                Some(failure) if root => End { failure: Some(Arc::clone(failure)), ..End::with(status) },
                _ => End::discontinued(status).because(why),
            };
            self.finish_node(ix, end);
        }
        self.agenda.clear();
        if self.run.ended.is_none() {
            self.finish_run(status, Some(why.to_owned()));
        }
    }
}
