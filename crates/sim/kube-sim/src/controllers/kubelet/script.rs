//! What a container will do: its workload's behaviour, bent by faults.

use crate::faults::{FlapFault, PodFault};
use crate::workload::Behaviour;
use windlass_model::{Millis, Timestamp};

#[derive(Clone, Debug)]
pub(super) struct Script(Behaviour);

impl Script {
    pub(super) fn new(mut behaviour: Behaviour, faults: &[PodFault]) -> Self {
        for fault in faults {
            if let Some(answer) = &fault.image_pull {
                behaviour.pull_fails = Some(answer.clone());
            }
            behaviour.start_after = Millis(behaviour.start_after.0.saturating_add(fault.slow_start.0));
            if fault.never_ready {
                behaviour.ready_after = None;
            }
            behaviour.flaps = fault.readiness_flaps.or(behaviour.flaps);
            behaviour.exits = fault.crash.map(|crash| (crash.after, crash.exit_code)).or(behaviour.exits);
        }
        Self(behaviour)
    }

    pub(super) fn pull_takes(&self) -> Millis {
        self.0.pull_takes
    }

    pub(super) fn pull_fails(&self) -> Option<&str> {
        self.0.pull_fails.as_deref()
    }

    pub(super) fn start_after(&self) -> Millis {
        self.0.start_after
    }

    pub(super) fn stop_takes(&self) -> Millis {
        self.0.stop_takes
    }

    /// When the process ends by itself, and with which code. What only has to initialise ends at once, and well.
    pub(super) fn exit(&self, since: Timestamp, only_initialises: bool) -> Option<(Timestamp, i32)> {
        let exit = self.0.exits.or(only_initialises.then_some((Millis::ZERO, 0)));
        exit.map(|(after, code)| (since + after, code))
    }

    /// What a probe would find at a moment.
    pub(super) fn is_ready(&self, since: Timestamp, at: Timestamp) -> bool {
        let Some(passed) = self.ready_for(since, at) else { return false };
        match self.0.flaps {
            Some(FlapFault { ready, unready }) if ready.0.saturating_add(unready.0) > 0 => {
                passed.0 % (ready.0 + unready.0) < ready.0
            }
            _ => true,
        }
    }

    /// Whether it is ready from this moment on for good.
    pub(super) fn stays_ready(&self, since: Timestamp, at: Timestamp) -> bool {
        self.0.flaps.is_none() && self.ready_for(since, at).is_some()
    }

    fn ready_for(&self, since: Timestamp, at: Timestamp) -> Option<Millis> {
        let from = since + self.0.ready_after?;
        (at >= from).then(|| at.since(from))
    }
}
