//! When a call is made again (kubernetes-deploy §2.9). Pure: the moment and the jitter are given.

use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
use serde::{Deserialize, Serialize};
use windlass_model::{Millis, Timestamp};

/// How often and after which waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryPolicy {
    /// Calls in all, the first included.
    pub tries: u32,
    /// The wait after the first one; it doubles from try to try.
    pub first: Millis,
    /// Waits do not grow beyond this.
    pub most: Millis,
    /// The longest `Retry-After` that is waited for; the answer is given back when it asks for more.
    pub patience: Millis,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { tries: 5, first: Millis(200), most: Millis::from_secs(5), patience: Millis::from_secs(60) }
    }
}

impl RetryPolicy {
    /// How long to wait after `tried` calls; `None` gives up. `jitter` lies in 0 to 1: half of the wait is fixed, the other half
    /// spreads callers that failed together.
    pub fn wait(&self, tried: u32, asked: Option<Millis>, jitter: f64) -> Option<Millis> {
        if tried >= self.tries {
            return None;
        }
        let doubled = 1u64.checked_shl(tried.saturating_sub(1)).and_then(|factor| self.first.0.checked_mul(factor));
        let base = doubled.unwrap_or(u64::MAX).min(self.most.0);
        let jitter = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.5 };
        let own = Millis(base / 2 + (base.div_ceil(2) as f64 * jitter) as u64);
        match asked {
            Some(asked) if asked > self.patience => None,
            Some(asked) => Some(own.max(asked)),
            None => Some(own),
        }
    }

    /// Whether an answer may be different the next time.
    pub fn is_transient(status: StatusCode) -> bool {
        matches!(status.as_u16(), 429 | 500 | 502 | 503 | 504)
    }
}

/// What `Retry-After` asks for, as seconds or as a date.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Millis> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Millis::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Timestamp::from_jiff(at).since(now))
}

#[cfg(test)]
mod tests {
    use super::{RetryPolicy, retry_after};
    use http::{HeaderMap, StatusCode, header::RETRY_AFTER};
    use proptest::prelude::*;
    use windlass_model::{Millis, Timestamp};

    #[test]
    fn waits_double_and_end() {
        let policy = RetryPolicy::default();
        let waits =
            |jitter| (1..=5).map(|tried| policy.wait(tried, None, jitter).map(|wait| wait.0)).collect::<Vec<_>>();
        assert_eq!(waits(1.0), [Some(200), Some(400), Some(800), Some(1_600), None]);
        assert_eq!(waits(0.0), [Some(100), Some(200), Some(400), Some(800), None]);
        let long = RetryPolicy { tries: 100, ..policy };
        assert_eq!(long.wait(9, None, 1.0), Some(Millis(5_000)));
        assert_eq!(long.wait(99, None, f64::NAN), long.wait(99, None, 0.5));
    }

    #[test]
    fn what_the_other_side_asks_for_is_honoured() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.wait(1, Some(Millis::from_secs(3)), 0.0), Some(Millis::from_secs(3)));
        assert_eq!(policy.wait(1, Some(Millis::ZERO), 0.0), Some(Millis(100)));
        assert_eq!(policy.wait(1, Some(Millis::from_secs(61)), 0.0), None);
        let now = Timestamp::parse("2026-03-02T14:00:00Z").unwrap();
        let asked = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            retry_after(&headers, now)
        };
        assert_eq!(asked("7"), Some(Millis::from_secs(7)));
        assert_eq!(asked("Mon, 02 Mar 2026 14:00:30 GMT"), Some(Millis::from_secs(30)));
        assert_eq!(asked("Mon, 02 Mar 2026 13:00:00 GMT"), Some(Millis::ZERO));
        assert_eq!(asked("soon"), None);
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn only_some_answers_may_change() {
        let transient: Vec<u16> =
            (100..600).filter(|code| StatusCode::from_u16(*code).is_ok_and(RetryPolicy::is_transient)).collect();
        assert_eq!(transient, [429, 500, 502, 503, 504]);
    }

    proptest! {
        #[test]
        fn waits_stay_in_bounds(tried in 1u32..100, jitter in any::<f64>(), tries in 0u32..100) {
            let policy = RetryPolicy { tries, ..RetryPolicy::default() };
            match policy.wait(tried, None, jitter) {
                Some(wait) => prop_assert!(tried < tries && wait >= Millis(100) && wait <= Millis(5_000)),
                None => prop_assert!(tried >= tries),
            }
        }
    }
}
