/// Two samples ranked together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// Mann-Whitney U of the first sample: pairs in which it is larger, ties as a half.
    pub u: f64,
    /// Standard deviation of U when nothing differs and all values are independent, corrected for ties.
    pub sigma: f64,
}

impl Pooled {
    /// Both samples must be sorted and free of NaN.
    pub fn of_sorted(test: &[f64], control: &[f64]) -> Self {
        let (m, n) = (test.len() as f64, control.len() as f64);
        let total = m + n;
        if test.is_empty() || control.is_empty() || total < 2.0 {
            return Self { u: 0.0, sigma: 0.0 };
        }
        let (mut i, mut j) = (0, 0);
        let (mut u, mut ties) = (0.0, 0.0);
        while i < test.len() || j < control.len() {
            let value = match (test.get(i), control.get(j)) {
                (Some(a), Some(b)) => a.min(*b),
                (Some(a), None) => *a,
                (None, Some(b)) => *b,
                (None, None) => break,
            };
            // At least one of the two runs is not empty, so the loop ends. (`<=`: zero and minus zero are one value.)
            let in_test = test[i..].iter().take_while(|x| **x <= value).count();
            let in_control = control[j..].iter().take_while(|x| **x <= value).count();
            u += in_test as f64 * (j as f64 + in_control as f64 / 2.0);
            let group = (in_test + in_control) as f64;
            ties += group * group * group - group;
            i += in_test;
            j += in_control;
        }
        let variance = m * n / 12.0 * ((total + 1.0) - ties / (total * (total - 1.0)));
        Self { u, sigma: variance.max(0.0).sqrt() }
    }
}

/// Lag-1 autocorrelation of the ranks of a series in order of time; `None` below 4 values, 0 for a constant series.
pub fn autocorrelation(series: &[f64]) -> Option<f64> {
    if series.len() < 4 {
        return None;
    }
    let ranks = ranks(series);
    let mean = (series.len() as f64 + 1.0) / 2.0;
    let variance: f64 = ranks.iter().map(|r| (r - mean) * (r - mean)).sum();
    if variance <= 0.0 {
        return Some(0.0);
    }
    let covariance: f64 = ranks.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    Some(covariance / variance)
}

/// Ranks from 1, ties share the middle of their places.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    while first < order.len() {
        let value = values[order[first]];
        let after = order[first..].iter().position(|i| values[*i] > value).map_or(order.len(), |p| first + p);
        let rank = (first + after + 1) as f64 / 2.0;
        for place in &order[first..after] {
            ranks[*place] = rank;
        }
        first = after;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::{autocorrelation, ranks};

    #[test]
    fn ties_share_a_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(ranks(&[0.0, -0.0]), [1.5, 1.5]);
    }

    #[test]
    fn autocorrelation_of_known_series() {
        assert_eq!(autocorrelation(&[1.0, 2.0, 3.0]), None);
        assert_eq!(autocorrelation(&[5.0; 6]), Some(0.0));
        // Ranks 1 2 3 4, mean 2.5: (1.5·0.5 − 0.25 + 0.5·1.5) / 5
        assert_eq!(autocorrelation(&[1.0, 2.0, 4.0, 9.0]), Some(0.25));
        assert!(autocorrelation(&[1.0, 9.0, 1.0, 9.0, 1.0, 9.0]).unwrap() < -0.8);
    }
}
