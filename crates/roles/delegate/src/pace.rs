//! How often this worker reports, and when it must believe that its tasks are somebody else's (architecture §5).

use windlass_model::Millis;

/// As the server said when it welcomed this worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) heartbeat: Millis,
}

impl Pace {
    pub(crate) fn of_millis(millis: u32) -> Self {
        Self { heartbeat: Millis(u64::from(millis.max(100))) }
    }

    /// A worker that has not heard of the server for this long stops changing things. The server gives its tasks away after half
    /// as much again.
    pub(crate) fn silence(self) -> Millis {
        Millis(self.heartbeat.0.saturating_mul(4))
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::of_millis(10_000)
    }
}
