//! How business time is bound to real time: `--clock-start` and `--time-scale`.

use std::num::NonZeroU32;
use windlass_model::Timestamp;

/// Business time was `start` when real time was `anchor`, and runs `factor` times as fast.
///
/// Processes that are started one after another, or again after a crash, agree when they are given the same anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    pub start: Timestamp,
    /// Real time; `None` is the moment when the clock is made.
    pub anchor: Option<Timestamp>,
    pub factor: NonZeroU32,
}

/// Why a text is not a start of business time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a start of business time: write `2026-03-02T14:00:00Z`, or `2026-03-02T14:00:00Z@REAL` where REAL is the real moment it belongs to"
)]
pub struct ScaleError {
    pub text: String,
}

impl Scale {
    /// Parses the value of `--clock-start`: a moment in RFC 3339, optionally `@` and the real moment it belongs to.
    pub fn parse(start: &str, factor: NonZeroU32) -> Result<Self, ScaleError> {
        let error = || ScaleError { text: start.to_owned() };
        let moment = |text: &str| Timestamp::parse(text.trim()).ok_or_else(error);
        let (start, anchor) = match start.split_once('@') {
            Some((start, anchor)) => (moment(start)?, Some(moment(anchor)?)),
            None => (moment(start)?, None),
        };
        Ok(Self { start, anchor, factor })
    }

    /// Business time at the real moment `real`. Before the anchor it is `start`.
    pub fn at(&self, real: Timestamp) -> Timestamp {
        let passed = self.anchor.map_or(0, |anchor| real.micros().saturating_sub(anchor.micros()).max(0));
        let passed = passed.saturating_mul(i64::from(self.factor.get()));
        Timestamp::from_micros(self.start.micros().saturating_add(passed))
    }
}
