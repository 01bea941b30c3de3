//! Nodes end.

use crate::draft::Draft;
use crate::effect::ApprovalOutcome;
use crate::event::{ApprovalClosed, NodeFinished, ResourceReleased, RunFinished};
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use std::sync::Arc;
use windlass_model::{Failure, Json, Status};

/// How a node ends.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub status: Status,
    pub failure: Option<Arc<Failure>>,
    pub reason: Option<String>,
    pub output: Option<Arc<Json>>,
}

impl End {
    pub(crate) fn with(status: Status) -> Self {
        Self { status, failure: None, reason: None, output: None }
    }

    #[must_use]
    pub(crate) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl Draft {
    /// Ends a node: its timers, questions and resources end with it, and its parent is looked at next.
    pub(crate) fn finish_node(&mut self, ix: NodeIx, end: End) {
        self.clear_timers(ix);
        if let Wait::Approval(_) = self[ix].wait {
            let outcome =
                if end.status == Status::Expired { ApprovalOutcome::Expired } else { ApprovalOutcome::Withdrawn };
            let why = end.reason.clone().unwrap_or_default();
            self.close_approval(ix, outcome, why);
        }
        let node = &self[ix];
        let (parent, id) = (node.parent, node.id.clone());
        let End { status, failure, reason, output } = end;
        self.emit(NodeFinished { node: id, attempt: node.attempt, status, failure, reason, output, at: self.now });
        self.release_resources_of(ix);
        if let Some(parent) = parent {
            self.agenda.push_back(parent);
        }
    }

    /// Ends a stage, a group, a rollback or the whole run.
    pub(crate) fn finish_container(&mut self, ix: NodeIx, status: Status, failure: Option<Arc<Failure>>) {
        if self.retry_group_instead(ix, status) {
            return;
        }
        self.finish_node(ix, End { failure, ..End::with(status) });
        if matches!(self.plan(ix).kind, PlanKind::Pipeline) {
            self.finish_run(status);
        }
    }

    pub(super) fn finish_run(&mut self, status: Status) {
        let left: Vec<_> = self.run.resources.keys().cloned().collect();
        for resource in left {
            self.emit(ResourceReleased { resource });
        }
        self.emit(RunFinished { status, at: self.now });
    }

    pub(crate) fn close_approval(&mut self, ix: NodeIx, outcome: ApprovalOutcome, why: String) {
        let node = &self[ix];
        let event = ApprovalClosed { node: node.id.clone(), attempt: node.attempt, outcome, why };
        self.emit(event);
    }

    fn release_resources_of(&mut self, ix: NodeIx) {
        if self.run.resources.is_empty() {
            return;
        }
        let holder = self[ix].id.clone();
        let held: Vec<_> = self.run.resources.keys().filter(|resource| resource.holder == holder).cloned().collect();
        for resource in held {
            self.emit(ResourceReleased { resource });
        }
    }
}
