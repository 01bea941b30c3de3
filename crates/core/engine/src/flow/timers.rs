//! Timeouts and other timers of nodes (pipelines §4.5).

use crate::draft::Draft;
use crate::event::{TimerCleared, TimerSet};
use crate::id::{Purpose, TimerKey};
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::steps;
use windlass_model::{Failure, Millis, Timestamp};

impl Draft {
    pub(crate) fn set_timer(&mut self, ix: NodeIx, purpose: Purpose, at: Timestamp) {
        let timer = TimerKey { of: self[ix].at(), purpose };
        self.emit(TimerSet { timer, at });
    }

    pub(crate) fn clear_timer(&mut self, ix: NodeIx, purpose: Purpose) {
        if self[ix].timer(purpose).is_some() {
            let timer = TimerKey { of: self[ix].at(), purpose };
            self.emit(TimerCleared { timer });
        }
    }

    pub(crate) fn clear_timers(&mut self, ix: NodeIx) {
        let purposes: Vec<_> = self[ix].timers.iter().map(|(purpose, _)| *purpose).collect();
        for purpose in purposes {
            self.clear_timer(ix, purpose);
        }
    }

    /// Waits for the next attempt; without delay it starts at once.
    pub(crate) fn wait_for_retry(&mut self, ix: NodeIx, until: Timestamp) {
        if until <= self.now && !self.run.paused {
            let retries = self[ix].retries + 1;
            self.restart(ix, retries);
        } else {
            self.set_timer(ix, Purpose::Retry, until);
        }
    }

    /// Sets the timeout of a node that starts.
    pub(super) fn set_timeout(&mut self, ix: NodeIx) -> Result<(), Failure> {
        let written = match &self.plan(ix).timeout {
            Some(field) => {
                let field = field.clone();
                Some(self.duration(ix, &field, "timeout")?)
            }
            None => None,
        };
        let settings = self.run.settings();
        let (length, grace) = match &self.plan(ix).kind {
            PlanKind::Pipeline => (Some(written.unwrap_or(settings.longest)), Millis::ZERO),
            PlanKind::Step(step) => (steps::timeout(&step.type_name, written, settings), steps::grace(&step.type_name, settings)),
            PlanKind::Service(_) | PlanKind::Environment(_) | PlanKind::Infrastructure => {
                (Some(settings.step_timeout), Millis::ZERO)
            }
            PlanKind::Stage(_) | PlanKind::StageRollback(_) | PlanKind::Group { .. } => (written, Millis::ZERO),
        };
        if let Some(length) = length {
            let at = self.now + length.min(settings.longest) + grace;
            self.set_timer(ix, Purpose::Timeout, at);
        }
        Ok(())
    }

    /// When a task of this node must be done: the earliest end of the node and of everything above it.
    pub(crate) fn task_deadline(&self, ix: NodeIx) -> Timestamp {
        let grace = self.plan(ix).step().map_or(Millis::ZERO, |step| steps::grace(&step.type_name, self.run.settings()));
        let own = self[ix].deadline().map(|at| at - grace);
        self.run
            .outwards(ix)
            .skip(1)
            .filter_map(|above| self[above].deadline())
            .chain(own)
            .min()
            .unwrap_or(self.now + self.run.settings().step_timeout)
    }
}
