//! How often workers report, and what silence means to both sides (kubernetes-deploy §4.2, architecture §5).

use windlass_model::Millis;

/// The server chooses it and tells every worker. Both sides count silence in heartbeats, so that a worker has stopped changing
/// things before its tasks are somebody else's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// From one report to the next.
    pub heartbeat: Millis,
}

impl Pace {
    /// As a welcome tells it.
    pub fn of_millis(millis: u32) -> Self {
        Self { heartbeat: Millis(u64::from(millis.max(100))) }
    }

    /// As it is told in a welcome.
    pub fn millis(self) -> u32 {
        u32::try_from(self.heartbeat.0).unwrap_or(u32::MAX)
    }

    /// A delegate that was not heard of for this long gets nothing new.
    pub const fn suspect(self) -> Millis {
        self.beats(3)
    }

    /// A connection over which a worker has not heard of the server for this long counts as broken: early enough to reach another
    /// replica before its own silence ends its tasks. Where reports come faster than every few seconds, a server that is busy for a
    /// moment is no broken connection.
    pub fn broken(self) -> Millis {
        const MOMENT: Millis = Millis::from_secs(5);
        Millis(self.beats(3).0 / 2).max(MOMENT.min(self.silence()))
    }

    /// A worker that has not heard of the server for this long stops changing things.
    pub const fn silence(self) -> Millis {
        self.beats(4)
    }

    /// After this silence the server gives a worker's tasks away.
    pub const fn lost(self) -> Millis {
        self.beats(6)
    }

    const fn beats(self, count: u64) -> Millis {
        Millis(self.heartbeat.0.saturating_mul(count))
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self { heartbeat: Millis::from_secs(10) }
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;
    use windlass_model::Millis;

    #[test]
    fn a_worker_stops_before_its_tasks_are_given_away() {
        let pace = Pace::default();
        assert_eq!([pace.broken(), pace.suspect(), pace.silence(), pace.lost()].map(Millis::secs), [15, 30, 40, 60]);
        assert_eq!(Pace::of_millis(pace.millis()), pace);
        assert_eq!([500, 2_000].map(|millis| Pace::of_millis(millis).broken()), [Millis(2_000), Millis(5_000)]);
        assert_eq!(Pace::of_millis(0).heartbeat, Millis(100));
    }
}
