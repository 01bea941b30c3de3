//! Nodes end.

use crate::draft::Draft;
use crate::effect::{ApprovalOutcome, Deployed};
use crate::event::{ApprovalClosed, DeploymentRecorded, NodeFinished, PreviewStopped, ResourceReleased, RunFinished};
use crate::node::{Preview, Wait};
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
    /// Something elsewhere ends it.
    pub discontinued: bool,
}

impl End {
    pub(crate) fn with(status: Status) -> Self {
        Self { status, failure: None, reason: None, output: None, discontinued: false }
    }

    /// Ended by something elsewhere.
    pub(crate) fn discontinued(status: Status) -> Self {
        Self { discontinued: true, ..Self::with(status) }
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
        self.withdraw_question(ix, end.status, end.reason.as_deref().unwrap_or_default());
        let node = &self[ix];
        let (parent, id) = (node.parent, node.id.clone());
        let End { status, failure, reason, output, discontinued } = end;
        let failure = failure.or_else(|| node.failure.clone().filter(|_| status.is_bad()));
        // JSON cannot tell an absent output from null.
        let output = output.filter(|output| !output.is_null());
        let (attempt, at) = (node.attempt, self.now);
        self.emit(NodeFinished { node: id, attempt, status, failure, reason, output, discontinued, at });
        self.record_deployment(ix, status);
        self.release_resources_of(ix);
        if let Some(parent) = parent {
            self.agenda.push_back(parent);
        }
    }

    /// Ends a stage, a group, a rollback or the whole run.
    pub(crate) fn finish_container(&mut self, ix: NodeIx, end: End) {
        let status = end.status;
        if self.retry_group_instead(ix, status) {
            return;
        }
        let end = self.with_reason(ix, end);
        let reason = end.reason.clone();
        self.finish_node(ix, end);
        if matches!(self.plan(ix).kind, PlanKind::Pipeline) {
            self.finish_run(status, reason);
        }
    }

    /// A node that failed by what is in it says by what.
    fn with_reason(&self, ix: NodeIx, end: End) -> End {
        if !end.status.is_bad() || end.failure.is_some() || end.reason.is_some() || self[ix].failure.is_some() {
            return end;
        }
        match self.first_failed(ix) {
            Some(step) => End { reason: Some(self.blame(step)), ..end },
            None => end,
        }
    }

    pub(super) fn finish_run(&mut self, status: Status, reason: Option<String>) {
        let left: Vec<_> = self.run.resources.keys().cloned().collect();
        for resource in left {
            self.emit(ResourceReleased { resource });
        }
        self.emit(RunFinished { status, reason, at: self.now });
    }

    /// A node that ends asks nobody any longer.
    pub(super) fn withdraw_question(&mut self, ix: NodeIx, status: Status, why: &str) {
        if let Wait::Approval(_) = self[ix].wait {
            let expired = status == Status::Expired;
            let outcome = if expired { ApprovalOutcome::Expired } else { ApprovalOutcome::Withdrawn };
            self.close_approval(ix, outcome, why.to_owned());
        }
    }

    pub(crate) fn close_approval(&mut self, ix: NodeIx, outcome: ApprovalOutcome, why: String) {
        let node = &self[ix];
        let stopped = node.preview.as_deref() == Some(&Preview::Asked);
        let event = ApprovalClosed { node: node.id.clone(), attempt: node.attempt, outcome, why };
        self.emit(event);
        if stopped {
            let node = &self[ix];
            let (node, attempt) = (node.id.clone(), node.attempt);
            self.emit(PreviewStopped {
                node,
                attempt,
                why: "the question was closed before it was compared".to_owned(),
            });
        }
    }

    /// What a stage brought where, or tried to; and what a rollback on its own brought back.
    fn record_deployment(&mut self, ix: NodeIx, status: Status) {
        let stage = match self.plan(ix).kind {
            PlanKind::Stage(_) => Some(ix),
            PlanKind::StageRollback(stage) => self.run.nodes.of_plan(stage),
            _ => None,
        };
        let Some(facts) = stage.and_then(|stage| self[stage].deployment.infrastructure.clone()) else { return };
        let service = stage.and_then(|stage| self[stage].deployment.service.clone());
        let artifact = service.and_then(|service| service.artifacts.get("primary").cloned());
        let rolled_back = self.rolls_back(ix);
        let deployed = Box::new(Deployed {
            run: self.run.id(),
            stage: self.plan(ix).identifier.to_string(),
            stage_execution: self.stage_execution(ix),
            service: facts.target.service.clone(),
            environment: facts.target.environment.clone(),
            infrastructure: facts.target.infrastructure.clone(),
            status,
            artifact: artifact.unwrap_or_default(),
            touched: self.touched(ix),
            rolled_back,
            at: self.now,
        });
        self.emit(DeploymentRecorded { deployed });
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
