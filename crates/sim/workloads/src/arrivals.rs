//! Events that happen at random at a constant mean rate, as a function of time.
//!
//! Asking how many happened until now must not cost a walk through all of them, must give the same answer whenever it is
//! asked, and may never shrink. So time is cut into blocks; the events of a block are drawn at once and divided between its
//! halves, the halves' halves, and so on, down to the millisecond: any moment is some thirty draws away. What comes out is a
//! Poisson process, with the noise that real traffic has.

use crate::chance::Seed;

/// The length of a block is 2^27 ms: 37 hours.
const BITS: u32 = 27;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrivals {
    seed: Seed,
    per_milli: f64,
}

impl Arrivals {
    pub(crate) fn new(seed: Seed, per_second: f64) -> Self {
        Self { seed, per_milli: per_second / 1_000.0 }
    }

    /// How many events happened before `time`, in ms.
    pub(crate) fn until(&self, time: u64) -> u64 {
        if self.per_milli <= 0.0 {
            return 0;
        }
        let block = time >> BITS;
        let whole: u64 = (0..block).map(|block| self.block(block)).sum();
        let (mut count, mut passed) = (self.block(block), 0);
        let mut node = self.seed.child(block);
        for level in (0..BITS).rev() {
            if count == 0 {
                break;
            }
            let first = node.half(count);
            let is_second = time >> level & 1 == 1;
            if is_second {
                passed += first;
                count -= first;
            } else {
                count = first;
            }
            node = node.child(2_000 + u64::from(is_second));
        }
        whole + passed
    }

    /// The moments of the last `limit` events in `from..to` ms, newest first.
    pub(crate) fn last(&self, from: u64, to: u64, limit: usize) -> Vec<u64> {
        let mut moments = Vec::new();
        if self.per_milli <= 0.0 || from >= to {
            return moments;
        }
        for block in ((from >> BITS)..=((to - 1) >> BITS)).rev() {
            let range = (from, to);
            collect(self.seed.child(block), self.block(block), block << BITS, BITS, range, limit, &mut moments);
        }
        moments
    }

    fn block(&self, block: u64) -> u64 {
        #[allow(clippy::cast_precision_loss)] // a power of two
        let mean = self.per_milli * (1_u64 << BITS) as f64;
        self.seed.child(block).child(1_999).poisson(mean)
    }
}

/// Walks the tree of a block from its end, only where there are events within the range.
fn collect(node: Seed, count: u64, start: u64, level: u32, range: (u64, u64), limit: usize, moments: &mut Vec<u64>) {
    let end = start + (1 << level);
    if count == 0 || end <= range.0 || start >= range.1 || moments.len() >= limit {
        return;
    }
    if level == 0 {
        let room = limit - moments.len();
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        moments.extend(std::iter::repeat_n(start, count.min(room)));
        return;
    }
    let first = node.half(count);
    let middle = start + (1 << (level - 1));
    collect(node.child(2_001), count - first, middle, level - 1, range, limit, moments);
    collect(node.child(2_000), first, start, level - 1, range, limit, moments);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_rate_is_the_configured_one_within_its_noise() {
        for (rate, seconds) in [(0.01, 1_000_000), (0.08, 36_000), (2.0, 3_600), (40.0, 600), (5_000.0, 60)] {
            for seed in 0..20 {
                let arrivals = Arrivals::new(Seed::new(seed), rate);
                let start = 7_200_000;
                #[allow(clippy::cast_precision_loss)]
                let count = (arrivals.until(start + seconds * 1_000) - arrivals.until(start)) as f64;
                #[allow(clippy::cast_precision_loss)]
                let mean = rate * seconds as f64;
                assert!(
                    (count - mean).abs() < 4.5 * mean.sqrt(),
                    "{rate}/s over {seconds} s: {count}, expected {mean}"
                );
            }
        }
        assert_eq!(Arrivals::new(Seed::new(1), 0.0).until(1 << 40), 0);
    }

    proptest! {
        #[test]
        fn counters_never_shrink_and_agree_with_their_events(
            seed: u64, rate in 0.0..200.0_f64, from in 0_u64..400_000_000, length in 0_u64..60_000,
        ) {
            let arrivals = Arrivals::new(Seed::new(seed), rate);
            let (before, after) = (arrivals.until(from), arrivals.until(from + length));
            prop_assert!(before <= after);
            let moments = arrivals.last(from, from + length, 100_000);
            prop_assert_eq!(moments.len() as u64, after - before);
            prop_assert!(moments.is_sorted_by(|a, b| a >= b));
            let last = arrivals.last(from, from + length, 10);
            prop_assert_eq!(&last[..], &moments[..moments.len().min(10)]);
        }
    }
}
