//! How surprising a number of events is (kubernetes-deploy §3.4 B).

/// P(X ≥ `least`) for X ~ Binomial(`trials`, `q`), computed in log space.
///
/// The sum stops when its terms no longer matter, which takes about as many steps as the square root of `trials`; above
/// 10⁹ trials the normal approximation answers instead.
pub fn upper_tail(least: u64, trials: u64, q: f64) -> f64 {
    if least == 0 {
        return 1.0;
    }
    if least > trials || q.is_nan() || q <= 0.0 {
        return 0.0;
    }
    if q >= 1.0 {
        return 1.0;
    }
    let (n, x) = (trials as f64, least as f64);
    let mean = n * q;
    if trials > EXACT {
        let z = (x - 0.5 - mean) / (mean * (1.0 - q)).sqrt();
        return 0.5 * libm::erfc(z / std::f64::consts::SQRT_2);
    }
    if x > mean {
        sum_upwards(least, trials, q)
    } else {
        // The upper side holds most of the mass: what is missing is the tail of the failures.
        1.0 - sum_upwards(trials - least + 1, trials, 1.0 - q)
    }
    .clamp(0.0, 1.0)
}

const EXACT: u64 = 1_000_000_000;

/// Terms from `least` to `trials`; they fall because `least` lies above the mean.
fn sum_upwards(least: u64, trials: u64, q: f64) -> f64 {
    let (n, x) = (trials as f64, least as f64);
    let first = libm::lgamma(n + 1.0) - libm::lgamma(x + 1.0) - libm::lgamma(n - x + 1.0)
        + x * libm::log(q)
        + (n - x) * libm::log1p(-q);
    let odds = q / (1.0 - q);
    let (mut term, mut sum) = (1.0, 1.0);
    for k in least..trials {
        term *= (trials - k) as f64 / (k + 1) as f64 * odds;
        sum += term;
        if term < sum * 1e-17 {
            break;
        }
    }
    libm::exp(first + libm::log(sum))
}

#[cfg(test)]
mod tests {
    use super::upper_tail;
    use proptest::prelude::*;

    /// kubernetes-deploy §3.4 B, vectors.
    #[test]
    fn vectors_of_the_specification() {
        for (x_t, e_t, x_c, e_c, p) in [
            (6, 30.0, 3, 270.0, 6.42e-5),
            (2, 30.0, 3, 270.0, 0.0815),
            (1, 10.0, 0, 100.0, 0.0909),
            (3, 10.0, 0, 100.0, 7.51e-4),
        ] {
            let got = upper_tail(x_t, x_t + x_c, e_t / (e_t + e_c));
            assert!((got / p - 1.0).abs() < 2e-3, "{x_t}/{e_t} against {x_c}/{e_c}: {got}");
        }
    }

    #[test]
    fn small_cases_by_hand() {
        for (least, trials, q, p) in [
            (0, 5, 0.3, 1.0),
            (1, 1, 0.25, 0.25),
            (2, 2, 0.5, 0.25),
            (1, 2, 0.5, 0.75),
            (3, 2, 0.5, 0.0),
            (1, 3, 1.0, 1.0),
            (1, 3, 0.0, 0.0),
        ] {
            assert!((upper_tail(least, trials, q) - p).abs() < 1e-14, "{least} of {trials} at {q}");
        }
        assert_eq!(upper_tail(1, 2, f64::NAN), 0.0);
    }

    #[test]
    fn huge_numbers_end_and_stay_probabilities() {
        for (least, trials, q) in [(u64::MAX, u64::MAX, 0.5), (1, u64::MAX, 1e-300), (500_000_000, 1_000_000_000, 0.5)]
        {
            let p = upper_tail(least, trials, q);
            assert!((0.0..=1.0).contains(&p), "{p}");
        }
        assert!((upper_tail(500_000_000, 999_999_999, 0.5) - 0.5).abs() < 1e-6);
        // Both ways of computing agree where they meet.
        let (exact, near) = (upper_tail(500_040_000, 999_999_999, 0.5), upper_tail(500_040_001, 1_000_000_001, 0.5));
        assert!((exact / near - 1.0).abs() < 1e-3, "{exact} {near}");
    }

    proptest! {
        #[test]
        fn agrees_with_the_plain_sum(trials in 1u64..60, share in 0.0..1.0f64, q in 0.01..0.99f64) {
            let least = (share * trials as f64) as u64;
            let choose = |n: u64, k: u64| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
            let plain: f64 = (least..=trials)
                .map(|k| choose(trials, k) * q.powi(k as i32) * (1.0 - q).powi((trials - k) as i32))
                .sum();
            prop_assert!((upper_tail(least, trials, q) - plain).abs() < 1e-10);
        }

        #[test]
        fn more_events_are_never_less_surprising(x in 0u64..2_000, trials in 1u64..2_000, q in 0.0..1.0f64) {
            prop_assert!(upper_tail(x + 1, trials, q) <= upper_tail(x, trials, q) + 1e-12);
        }
    }
}
