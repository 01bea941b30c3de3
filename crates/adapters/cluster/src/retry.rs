//! When a call is made again (kubernetes-deploy §2.9).

use windlass_model::Millis;

/// How often and how soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Calls in all, the first one included.
    pub tries: u32,
    pub first: Millis,
    pub longest: Millis,
    /// The server's own wish is followed up to here.
    pub longest_wish: Millis,
}

impl Default for Policy {
    fn default() -> Self {
        Self { tries: 5, first: Millis(200), longest: Millis(5_000), longest_wish: Millis(30_000) }
    }
}

impl Policy {
    /// How long to wait after the `tried`-th call failed; nothing when there is no further one.
    ///
    /// `jitter` from 0 to 1 takes up to half of the wait away, so that many callers do not come back at once. What the
    /// server asked for is never shortened.
    pub fn wait(&self, tried: u32, wish: Option<Millis>, jitter: f64) -> Option<Millis> {
        if tried >= self.tries {
            return None;
        }
        let doubled = self.first.0.saturating_mul(1_u64.checked_shl(tried.saturating_sub(1)).unwrap_or(u64::MAX));
        let own = doubled.min(self.longest.0);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        // At most half of a few seconds in milliseconds.
        let off = (own as f64 / 2.0 * jitter.clamp(0.0, 1.0)) as u64;
        let own = own.saturating_sub(off);
        Some(Millis(wish.map_or(own, |wish| wish.0.min(self.longest_wish.0).max(own))))
    }
}

/// Whether an answer may be different the next time.
pub(crate) fn is_passing(status: u16, message: &str) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
        || (status == 500
            && ["leader changed", "etcdserver: request timed out", "timeout", "connection refused"]
                .iter()
                .any(|words| message.contains(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_tries_that_double_up_to_five_seconds() {
        let policy = Policy { tries: 7, ..Policy::default() };
        let waits: Vec<u64> = (1..8).map_while(|tried| policy.wait(tried, None, 0.0)).map(|w| w.0).collect();
        assert_eq!(waits, [200, 400, 800, 1600, 3200, 5000]);
        assert_eq!(Policy::default().wait(5, None, 0.0), None);
        assert_eq!(Policy::default().wait(1, None, 1.0), Some(Millis(100)));
    }

    #[test]
    fn the_wish_of_the_server_counts_within_bounds() {
        let policy = Policy::default();
        assert_eq!(policy.wait(1, Some(Millis(3_000)), 0.5), Some(Millis(3_000)));
        assert_eq!(policy.wait(1, Some(Millis(300_000)), 0.5), Some(Millis(30_000)));
        assert_eq!(policy.wait(4, Some(Millis(1)), 0.0), Some(Millis(1_600)));
    }

    #[test]
    fn refusals_stay_refusals() {
        for (status, message, passes) in [
            (429, "", true),
            (503, "", true),
            (500, "etcdserver: leader changed", true),
            (500, "webhook panicked", false),
            (409, "", false),
            (404, "", false),
            (403, "", false),
        ] {
            assert_eq!(is_passing(status, message), passes, "{status} {message}");
        }
    }
}
