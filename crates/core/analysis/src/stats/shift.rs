//! How far two samples lie apart: the Hodges-Lehmann estimate and its interval (kubernetes-deploy §3.4 A, steps 3 to 6).

use super::{Pooled, median_sorted, quantile};

/// The shift of the test sample against the control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shift {
    /// Median of all differences.
    pub estimate: f64,
    /// Where the shift lies with probability 1 − alpha; `None` when the samples are too small to tell.
    pub interval: Option<(f64, f64)>,
    pub pooled: Pooled,
}

/// Estimates the shift at the two-sided error probability `alpha`.
///
/// `correlation` is the corrected lag-1 autocorrelation of [`corrected`]. Samples must be finite and should not be longer
/// than 300: the work grows with their product. `None` when one is empty.
pub fn hodges_lehmann(test: &[f64], control: &[f64], alpha: f64, correlation: f64) -> Option<Shift> {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    let (test, control) = (sorted(test), sorted(control));
    let mut differences: Vec<f64> = test.iter().flat_map(|t| control.iter().map(move |c| t - c)).collect();
    differences.sort_unstable_by(f64::total_cmp);
    let estimate = median_sorted(&differences)?;

    let pooled = Pooled::of_sorted(&test, &control);
    let sigma = pooled.sigma * ((1.0 + correlation) / (1.0 - correlation)).sqrt();
    let pairs = differences.len();
    let k = (pairs as f64 / 2.0 - quantile(1.0 - alpha / 2.0) * sigma - 0.5).floor();
    let interval = if k >= 0.0 {
        let k = k as usize;
        differences.get(k).copied().zip(differences.get(pairs - 1 - k.min(pairs - 1)).copied())
    } else {
        None
    };
    Some(Shift { estimate, interval, pooled })
}

/// Corrects the mean lag-1 autocorrelation `r` for its bias in series of `length` values.
pub fn corrected(r: f64, length: f64) -> f64 {
    (r + (1.0 + 3.0 * r) / length.max(1.0)).clamp(0.0, 0.8)
}

#[cfg(test)]
mod tests {
    use super::{Shift, corrected, hodges_lehmann};
    use proptest::prelude::*;

    const C: [f64; 10] = [100., 102., 98., 101., 99., 103., 97., 100., 104., 96.];

    fn shift(test: &[f64], alpha: f64) -> Shift {
        hodges_lehmann(test, &C, alpha, 0.0).unwrap()
    }

    /// kubernetes-deploy §3.4 A, test vectors.
    #[test]
    fn vectors_of_the_specification() {
        let up = [120., 118., 125., 119., 122., 121., 117., 124., 123., 116.];
        assert_eq!(shift(&up, 0.05).pooled.u, 100.0);
        assert!((shift(&up, 0.05).pooled.sigma - 13.223_782).abs() < 1e-6);
        assert_eq!(shift(&up, 0.05).estimate, 20.5);
        assert_eq!(shift(&up, 0.05).interval, Some((18.0, 23.0)));
        assert_eq!(shift(&up, 0.02).interval, Some((17.0, 24.0)));
        assert_eq!(shift(&up, 0.01).interval, Some((16.0, 25.0)));

        let same = [101., 99., 103., 98., 102., 100., 97., 104., 105., 96.];
        assert_eq!(shift(&same, 0.02).pooled.u, 55.0);
        assert!((shift(&same, 0.02).pooled.sigma - 13.168_943).abs() < 1e-6);
        assert_eq!((shift(&same, 0.02).estimate, shift(&same, 0.02).interval), (0.5, Some((-3.0, 4.0))));

        let slight = [106., 108., 104., 107., 105., 109., 103., 106., 110., 102.];
        assert_eq!(shift(&slight, 0.02).pooled.u, 95.5);
        assert!((shift(&slight, 0.02).pooled.sigma - 13.203_867).abs() < 1e-6);
        assert_eq!((shift(&slight, 0.02).estimate, shift(&slight, 0.02).interval), (6.0, Some((3.0, 9.0))));
    }

    #[test]
    fn correlation_widens_until_nothing_can_be_told() {
        let up = C.map(|c| c + 20.0);
        let width = |r: f64| hodges_lehmann(&up, &C, 0.02, r).unwrap().interval.map(|(lo, hi)| hi - lo);
        assert!(width(0.2) > width(0.0) && width(0.0).is_some());
        assert_eq!(width(0.8), None, "10 values with that much correlation are about one");
        assert_eq!(corrected(0.0, 10.0), 0.1);
        assert_eq!(corrected(0.9, 10.0), 0.8);
        assert_eq!(corrected(-0.9, 10.0), 0.0);
        assert_eq!(hodges_lehmann(&[], &C, 0.02, 0.0), None);
    }

    fn samples() -> impl Strategy<Value = Vec<f64>> {
        proptest::collection::vec(prop_oneof![-1e3..1e3f64, Just(0.0), -1e300..1e300f64], 5..40)
    }

    proptest! {
        #[test]
        fn exchanging_the_sides_mirrors_the_answer(t in samples(), c in samples(), alpha in 0.001..0.2f64, r in 0.0..0.8f64) {
            let there = hodges_lehmann(&t, &c, alpha, r).unwrap();
            let back = hodges_lehmann(&c, &t, alpha, r).unwrap();
            prop_assert_eq!(there.estimate, -back.estimate);
            prop_assert_eq!(there.interval, back.interval.map(|(lo, hi)| (-hi, -lo)));
            prop_assert!((there.pooled.sigma - back.pooled.sigma).abs() < 1e-9);
            prop_assert!((there.pooled.u + back.pooled.u - (t.len() * c.len()) as f64).abs() < 1e-9);
        }

        #[test]
        fn a_larger_alpha_never_widens(t in samples(), c in samples(), a in 0.001..0.2f64, b in 0.001..0.2f64) {
            let (small, large) = (a.min(b), a.max(b));
            let wide = hodges_lehmann(&t, &c, small, 0.0).unwrap();
            let narrow = hodges_lehmann(&t, &c, large, 0.0).unwrap();
            if let (Some(w), Some(n)) = (wide.interval, narrow.interval) {
                prop_assert!(w.0 <= n.0 && n.1 <= w.1 && n.0 <= narrow.estimate && narrow.estimate <= n.1);
            }
            prop_assert!(narrow.interval.is_some() || wide.interval.is_none());
        }
    }
}
