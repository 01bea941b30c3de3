//! A beat.

use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// Ticks at once and then in even steps, see [`crate::Clock::interval`].
#[derive(Debug)]
pub struct Interval(tokio::time::Interval);

impl Interval {
    pub(crate) fn new(period: Duration) -> Self {
        // The runtime's timer does not resolve less than a millisecond, and a period of zero is refused by panic.
        let mut interval = tokio::time::interval(period.max(Duration::from_millis(1)));
        interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
        Self(interval)
    }

    /// Waits for the next beat. Safe to drop and to call again.
    pub async fn tick(&mut self) {
        self.0.tick().await;
    }

    /// Starts counting anew: the next beat is a whole period away.
    pub fn reset(&mut self) {
        self.0.reset();
    }
}
