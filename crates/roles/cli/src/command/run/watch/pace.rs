//! What time it is for the server: its business time may run faster than ours.

use std::time::Duration;
use windlass_model::{Millis, Timestamp};

/// Between two answers time is taken to go on as it went between the two before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    last: Option<(Timestamp, Duration)>,
    /// Milliseconds of the server in one of ours.
    rate: Option<f64>,
}

/// Answers that are closer together say nothing about the rate.
const APART: Duration = Duration::from_millis(400);

impl Pace {
    /// The server said `now` at the moment `here` of our own monotonic clock.
    pub(super) fn heard(&mut self, now: Timestamp, here: Duration) {
        let Some((before, then)) = self.last else {
            self.last = Some((now, here));
            return;
        };
        let real = here.saturating_sub(then);
        if real < APART {
            return;
        }
        #[allow(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = now.since(before).0 as f64 / (real.as_secs_f64() * 1_000.0);
        self.rate = Some(rate);
        self.last = Some((now, here));
    }

    /// The server's time at the moment `here`.
    pub(super) fn now(&self, here: Duration) -> Option<Timestamp> {
        let (last, then) = self.last?;
        let passed = here.saturating_sub(then).as_secs_f64() * 1_000.0 * self.rate.unwrap_or(1.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "never negative, and for people")]
        let passed = passed as u64;
        Some(last + Millis(passed))
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;
    use std::time::Duration;
    use windlass_model::Timestamp;

    #[test]
    fn time_goes_on_as_it_went() {
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000);
        let here = Duration::from_secs;
        let mut pace = Pace::default();
        assert_eq!(pace.now(here(5)), None);
        pace.heard(at(1000), here(10));
        assert_eq!(pace.now(here(12)), Some(at(1002)));
        pace.heard(at(1060), here(11));
        assert_eq!(pace.now(here(12)), Some(at(1120)));
        pace.heard(at(1061), here(11));
        assert_eq!(pace.now(here(12)), Some(at(1120)), "an answer right after another changes nothing");
    }
}
