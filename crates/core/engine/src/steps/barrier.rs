//! The Barrier step: parallel branches wait for each other (pipelines §4.8).

use crate::draft::Draft;
use crate::event::{BarrierArrived, BarrierLifted};
use crate::flow::End;
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::plan::{PlanIx, Section};
use crate::resolve::Trouble;
use std::sync::Arc;
use windlass_model::{Failure, FailureType, Json, Status};

pub(super) fn proceed(draft: &mut Draft, ix: NodeIx) -> Result<(), Trouble> {
    // Only fixed values are allowed: who takes part is known when the run starts.
    let barrier = draft.plan(ix).step().and_then(|step| reference(&step.spec)).map(str::to_owned);
    let Some(barrier) = barrier else {
        return Err(Failure::new(FailureType::ConfigurationFailure, "`spec.barrierRef` is missing").into());
    };
    if draft.run.lifted.contains(barrier.as_str()) {
        draft.finish_node(ix, End::with(Status::Success));
        return Ok(());
    }
    let own = draft[ix].plan;
    let missing = draft.participants(&barrier).into_iter().filter(|plan| *plan != own);
    let waiting_for = missing
        .filter(|plan| draft.stand(*plan) == Stand::Coming)
        .map(|plan| draft.run.plan.get(plan).identifier.to_string())
        .collect();
    let node = &draft[ix];
    let (node, attempt) = (node.id.clone(), node.attempt);
    draft.emit(BarrierArrived { node, attempt, barrier, waiting_for });
    Ok(())
}

fn reference(spec: &Json) -> Option<&str> {
    spec.get("barrierRef").and_then(Json::as_str).filter(|text| !text.is_empty())
}

/// How far a participant has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    Arrived,
    Coming,
    /// Its branch was skipped: nobody waits for it.
    Excused,
    /// It will never arrive since something before it failed.
    Lost,
}

impl Draft {
    /// Every step that names the barrier.
    fn participants(&self, barrier: &str) -> Vec<PlanIx> {
        let names = |plan: &PlanIx| {
            let entry = self.run.plan.get(*plan);
            entry.step().is_some_and(|step| &*step.type_name == "Barrier" && reference(&step.spec) == Some(barrier))
        };
        self.run.plan.iter().map(|(plan, _)| plan).filter(names).filter(|plan| !self.run.plan.undoes(*plan)).collect()
    }

    fn stand(&self, participant: PlanIx) -> Stand {
        if let Some(node) = self.run.nodes.of_plan(participant).map(|ix| &self[ix]) {
            return match node.status {
                _ if matches!(node.wait, Wait::Barrier(_)) => Stand::Arrived,
                Status::Success => Stand::Arrived,
                Status::Skipped => self.why_skipped(participant),
                status if status.is_terminal() => Stand::Lost,
                // Reset by the retry of a group: it comes again.
                _ => Stand::Coming,
            };
        }
        // The nearest node above that exists tells whether its turn can still come.
        let mut above = self.run.plan.outwards(participant).skip(1);
        let Some(ix) = above.find_map(|plan| self.run.nodes.of_plan(plan)) else { return Stand::Coming };
        let node = &self[ix];
        let ending = node.container.as_ref().is_some_and(|c| c.ending.is_some() || c.section == Section::Rollback);
        match node.status {
            Status::Skipped => self.why_skipped(participant),
            status if status.is_terminal() && status.is_good() => Stand::Excused,
            status if status.is_terminal() || ending => Stand::Lost,
            _ => Stand::Coming,
        }
    }

    /// Skipped by its own condition, or since something failed before it?
    fn why_skipped(&self, participant: PlanIx) -> Stand {
        let skipped = self
            .run
            .plan
            .outwards(participant)
            .find_map(|plan| self.run.nodes.of_plan(plan).filter(|ix| self[*ix].status == Status::Skipped));
        let failed = skipped
            .and_then(|ix| self[ix].parent)
            .is_some_and(|parent| !self.run.status_part(windlass_model::pipeline::RunWhen::Success, false, parent));
        if failed { Stand::Lost } else { Stand::Excused }
    }

    /// Lifts barriers at which everybody has arrived, and fails those who wait for somebody who never will.
    /// Tells whether anything changed.
    pub(crate) fn barrier_check(&mut self) -> bool {
        let open: Vec<(Arc<str>, Vec<NodeIx>)> =
            self.run.barriers.iter().map(|(barrier, nodes)| (Arc::clone(barrier), nodes.clone())).collect();
        for (barrier, nodes) in open {
            let waiting: Vec<_> = nodes.into_iter().filter(|ix| matches!(self[*ix].wait, Wait::Barrier(_))).collect();
            if waiting.is_empty() {
                continue;
            }
            let stands: Vec<_> = self.participants(&barrier).into_iter().map(|plan| (plan, self.stand(plan))).collect();
            if let Some((lost, _)) = stands.iter().find(|(_, stand)| *stand == Stand::Lost) {
                let who = self.run.plan.get(*lost).identifier.clone();
                let why = format!("the branch of `{who}` ended before it reached the barrier `{barrier}`");
                let failure = Arc::new(Failure::new(FailureType::Unknown, why));
                for ix in waiting {
                    if matches!(self[ix].wait, Wait::Barrier(_)) {
                        self.fail(ix, Status::Failed, Arc::clone(&failure));
                    }
                }
                return true;
            }
            if stands.iter().all(|(_, stand)| *stand != Stand::Coming) {
                self.emit(BarrierLifted { barrier: barrier.to_string() });
                for ix in waiting {
                    self.finish_node(ix, End::with(Status::Success));
                }
                return true;
            }
        }
        false
    }
}
