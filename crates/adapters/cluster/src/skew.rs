//! How far the clock of this machine is from the cluster's.
//!
//! Objects bear times of the cluster ("not pulled since …"). A worker whose clock runs ahead would lose its patience at once,
//! one that lags would never. Every answer of an API server says when it was given.

use http::{HeaderMap, header};
use jiff::fmt::rfc2822::DateTimeParser;
use std::sync::atomic::{AtomicI64, Ordering};
use windlass_model::Timestamp;

/// A `Date` has whole seconds.
const TICK: i64 = 1_000_000;

/// Microseconds that the cluster is ahead of this machine.
#[derive(Debug, Default)]
pub(crate) struct Skew(AtomicI64);

impl Skew {
    /// Learns from an answer to what was sent at `sent` and came at `came`. Without a valid `Date` nothing changes.
    pub(crate) fn learn(&self, headers: &HeaderMap, sent: Timestamp, came: Timestamp) {
        let date =
            headers.get(header::DATE).and_then(|date| DateTimeParser::new().parse_timestamp(date.as_bytes()).ok());
        if let Some(date) = date {
            self.0.store(ahead(Timestamp::from_jiff(date), sent, came), Ordering::Relaxed);
        }
    }

    /// A moment of this machine, as the cluster would call it.
    pub(crate) fn correct(&self, own: Timestamp) -> Timestamp {
        Timestamp::from_micros(own.micros().saturating_add(self.0.load(Ordering::Relaxed)))
    }
}

/// The smallest difference that explains the answer: none when it may have been given at `date` by our own clock.
fn ahead(date: Timestamp, sent: Timestamp, came: Timestamp) -> i64 {
    let (earliest, latest) = (date.micros(), date.micros().saturating_add(TICK));
    if came.micros() < earliest {
        earliest.saturating_sub(came.micros())
    } else if sent.micros() >= latest {
        latest.saturating_sub(sent.micros())
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn corrected(date: &'static str, sent: i64, came: i64) -> i64 {
        let skew = Skew::default();
        let headers = HeaderMap::from_iter([(header::DATE, HeaderValue::from_static(date))]);
        skew.learn(&headers, Timestamp::from_millis(sent), Timestamp::from_millis(came));
        skew.correct(Timestamp::from_millis(came)).millis() - came
    }

    #[test]
    fn clocks_that_may_agree_are_left_alone() {
        for (sent, came) in
            [(784_111_777_000, 784_111_777_010), (784_111_777_999, 784_111_778_400), (784_111_770_000, 784_111_777_000)]
        {
            assert_eq!(corrected("Sun, 06 Nov 1994 08:49:37 GMT", sent, came), 0, "{sent} to {came}");
        }
    }

    #[test]
    fn a_clock_that_is_wrong_is_put_right() {
        // Ten minutes late, one minute early.
        assert_eq!(corrected("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_176_900, 784_111_177_000), 600_000);
        assert_eq!(corrected("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_838_000, 784_111_838_100), -60_000);
    }

    #[test]
    fn what_is_no_date_teaches_nothing() {
        assert_eq!(corrected("yesterday", 0, 10), 0);
    }
}
