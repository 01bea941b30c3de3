//! Chance that is a function of a seed: the same question always gets the same answer.

/// A place in a space of random numbers. Children of a place are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed(u64);

impl Seed {
    pub(crate) fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    pub(crate) fn child(self, number: u64) -> Self {
        Self(mix(self.0 ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)))
    }

    pub(crate) fn named(self, name: &str) -> Self {
        name.bytes().fold(self.child(name.len() as u64), |seed, byte| seed.child(u64::from(byte)))
    }

    /// 64 random bits.
    pub(crate) fn bits(self, draw: u64) -> u64 {
        self.child(draw).0
    }

    /// From 0 up to, not including, 1.
    #[allow(clippy::cast_precision_loss)] // 53 bits fit
    pub(crate) fn uniform(self, draw: u64) -> f64 {
        (self.bits(draw) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal, mean 0, deviation 1: a sum of twelve uniform numbers, exact on every machine.
    fn normal(self) -> f64 {
        (0..12).map(|draw| self.uniform(draw)).sum::<f64>() - 6.0
    }

    /// How many events happen where `mean` are expected.
    pub(crate) fn poisson(self, mean: f64) -> u64 {
        if mean > 30.0 {
            return round(mean + mean.sqrt() * self.normal());
        }
        let (mut count, mut product, limit) = (0, self.uniform(0), (-mean).exp());
        while product > limit {
            count += 1;
            product *= self.uniform(count);
        }
        count
    }

    /// How many of `count` events fall into the first half.
    pub(crate) fn half(self, count: u64) -> u64 {
        if count > 1_024 {
            #[allow(clippy::cast_precision_loss)] // counts are far below 2^53
            let count_f = count as f64;
            return round(count_f / 2.0 + count_f.sqrt() / 2.0 * self.normal()).min(count);
        }
        let words = count / 64;
        let whole: u64 = (0..words).map(|draw| u64::from(self.bits(draw).count_ones())).sum();
        let rest = self.bits(words) & ((1_u64 << (count % 64)) - 1);
        whole + u64::from(rest.count_ones())
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped; the cast saturates
fn round(value: f64) -> u64 {
    value.round().max(0.0) as u64
}

/// The finaliser of SplitMix64.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_mean_and_spread_of_their_distribution() {
        #[allow(clippy::cast_precision_loss)]
        let moments = |draw: &dyn Fn(Seed) -> u64| {
            let draws: Vec<f64> = (0..4_000).map(|i| draw(Seed::new(i)) as f64).collect();
            let mean = draws.iter().sum::<f64>() / 4_000.0;
            (mean, draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 4_000.0)
        };
        for mean in [0.01, 0.5, 4.0, 29.0, 100.0] {
            let (m, variance) = moments(&|seed| seed.poisson(mean));
            assert!((m - mean).abs() < 0.06 * mean.max(0.2), "{mean}: {m}");
            assert!((variance - mean).abs() < 0.12 * mean.max(0.2), "{mean}: {variance}");
        }
        for count in [1_u32, 63, 64, 700, 5_000] {
            let (mean, variance) = moments(&|seed| seed.half(u64::from(count)));
            let count = f64::from(count);
            assert!((mean - count / 2.0).abs() < 0.05 * count.sqrt() + 0.03, "{count}: {mean}");
            assert!((variance - count / 4.0).abs() < 0.1 * count / 4.0, "{count}: {variance}");
        }
        assert_ne!(Seed::new(1).named("a"), Seed::new(1).named("b"));
    }
}
