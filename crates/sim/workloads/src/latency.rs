//! How long requests take: a log-normal distribution in the buckets of a histogram.

use crate::profile::Latency;

/// Upper bounds in seconds: Prometheus' defaults and some between them. The last bucket, `+Inf`, is not listed.
pub(crate) const BOUNDS: [f64; 17] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];
/// With `+Inf`.
pub(crate) const BUCKETS: usize = BOUNDS.len() + 1;

/// The 99 % point of the normal distribution.
const Z99: f64 = 2.326_347_874;

impl Latency {
    fn sigma(&self) -> f64 {
        (self.p99 / self.median).ln() / Z99
    }

    /// The share of requests that take at most `seconds`.
    fn share_below(&self, seconds: f64) -> f64 {
        let sigma = self.sigma();
        if sigma <= 0.0 {
            return if seconds >= self.median { 1.0 } else { 0.0 };
        }
        normal_cdf((seconds / self.median).ln() / sigma)
    }

    /// The share of requests in each bucket; sums to 1.
    pub(crate) fn shares(&self) -> [f64; BUCKETS] {
        let mut shares = [0.0; BUCKETS];
        let mut below = 0.0;
        for (share, bound) in shares.iter_mut().zip(BOUNDS) {
            let up_to = self.share_below(bound);
            *share = (up_to - below).max(0.0);
            below = up_to;
        }
        shares[BUCKETS - 1] = 1.0 - below;
        shares
    }

    /// The duration that stands for the requests of a bucket in the sum: its middle, bent towards the median.
    pub(crate) fn typical(&self, bucket: usize) -> f64 {
        let low = if bucket == 0 { 0.0 } else { BOUNDS[bucket - 1] };
        match BOUNDS.get(bucket) {
            Some(high) if (low..*high).contains(&self.median) => self.median,
            Some(high) => f64::midpoint(low, *high),
            None => low * 1.25,
        }
    }

    /// A duration from a uniform number, for log lines: the inverse by bisection over the distribution.
    pub(crate) fn draw(&self, uniform: f64) -> f64 {
        let (mut low, mut high) = (-4.0, 4.0);
        for _ in 0..30 {
            let middle = f64::midpoint(low, high);
            if normal_cdf(middle) < uniform { low = middle } else { high = middle }
        }
        self.median * (self.sigma() * low).exp()
    }
}

/// Abramowitz and Stegun 7.1.26; the error is below 1.5e-7.
fn normal_cdf(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly =
        t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let half = 0.5 * poly * (-x * x).exp();
    if z < 0.0 { half } else { 1.0 - half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_points_are_where_they_should_be() {
        let latency = Latency { median: 0.045, p99: 0.3 };
        for (seconds, share) in [(0.045, 0.5), (0.3, 0.99), (0.000_001, 0.0), (1_000.0, 1.0)] {
            assert!((latency.share_below(seconds) - share).abs() < 1e-6, "{seconds}");
        }
        assert!((latency.shares().iter().sum::<f64>() - 1.0).abs() < 1e-9);
        for (uniform, seconds) in [(0.5, 0.045), (0.99, 0.3)] {
            assert!((latency.draw(uniform) - seconds).abs() < 1e-4);
        }
        let constant = Latency { median: 0.06, p99: 0.06 };
        assert_eq!(constant.shares().iter().position(|share| *share == 1.0), Some(4));
    }
}
