//! Timeouts and other timers of nodes (pipelines §4.5).

use crate::draft::Draft;
use crate::event::{TimerCleared, TimerSet};
use crate::id::{Purpose, TimerKey};
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::steps;
use windlass_model::{Failure, Millis, Timestamp};

/// The pause before a retry that would make a decision too long.
const BREATH: Millis = Millis::from_secs(1);

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
        if until > self.now {
            self.set_timer(ix, Purpose::Retry, until);
        } else if self.is_long() {
            // What fails at once and retries at once must not keep the decision from its end.
            let at = self.now + BREATH;
            self.set_timer(ix, Purpose::Retry, at);
        } else {
            self.agenda.push_back(ix);
        }
    }

    /// Makes the attempt for which a node waits, when its time has come.
    pub(super) fn retry_if_due(&mut self, ix: NodeIx) {
        let node = &self[ix];
        let due = matches!(node.wait, Wait::Retry { until } if until <= self.now);
        if due && node.timer(Purpose::Retry).is_none() && !self.run.paused {
            let retries = node.retries + 1;
            self.restart(ix, retries);
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
        let length = match &self.plan(ix).kind {
            PlanKind::Pipeline => Some(written.unwrap_or(settings.longest)),
            PlanKind::Step(step) => steps::timeout(&step.type_name, written, settings),
            PlanKind::Service(_) | PlanKind::Environment(_) | PlanKind::Infrastructure => Some(settings.step_timeout),
            PlanKind::Stage(_) | PlanKind::StageRollback(_) | PlanKind::Group { .. } => written,
        };
        if let Some(length) = length {
            let at = self.now + length.min(settings.longest);
            self.set_timer(ix, Purpose::Timeout, at);
        }
        Ok(())
    }

    /// Gives a node at least so much time from now on; tells whether it had less.
    pub(crate) fn grant(&mut self, ix: NodeIx, length: Millis) -> bool {
        let at = self.now + length;
        let short = self[ix].deadline().is_some_and(|deadline| deadline < at);
        if short {
            self.set_timer(ix, Purpose::Timeout, at);
        }
        short
    }

    /// When a task of this node must be done: the earliest end of the node and of everything above it.
    pub(crate) fn task_deadline(&self, ix: NodeIx) -> Timestamp {
        let deadlines = self.run.outwards(ix).filter_map(|above| self[above].deadline());
        deadlines.min().unwrap_or(self.now + self.run.settings().step_timeout)
    }
}
