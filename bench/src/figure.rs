//! What was measured, against what was promised.

use std::fmt;

/// What the architecture promises (§10).
#[derive(Clone, Copy, Debug)]
pub(crate) enum Budget {
    AtMost(f64),
    AtLeast(f64),
}

/// One line of the table: the same measurement several times.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    what: String,
    unit: &'static str,
    samples: Vec<f64>,
    budget: Option<Budget>,
}

impl Figure {
    fn median(&self) -> f64 {
        self.samples.get(self.samples.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Whether the middle one keeps the promise; nothing when there is none.
    fn is_met(&self) -> Option<bool> {
        let median = self.median();
        self.budget.map(|budget| match budget {
            Budget::AtMost(limit) => median <= limit,
            Budget::AtLeast(limit) => median >= limit,
        })
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (self.samples.first().copied(), self.samples.last().copied());
        let number = |value: Option<f64>| value.map_or_else(|| "?".to_owned(), shown);
        let spread = format!("({} / {} / {})", number(least), shown(self.median()), number(most));
        let budget = match self.budget {
            None => "-".to_owned(),
            Some(Budget::AtMost(limit)) => format!("≤ {} {}", shown(limit), self.unit),
            Some(Budget::AtLeast(limit)) => format!("≥ {} {}", shown(limit), self.unit),
        };
        let met = match self.is_met() {
            None => "-",
            Some(true) => "yes",
            Some(false) => "NO",
        };
        write!(f, "{} | {} {} {spread} | {budget} | {met}", self.what, shown(self.median()), self.unit)
    }
}

/// Three digits that mean something.
fn shown(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// The value below which this share of the samples lies.
pub(crate) fn quantile(samples: &[f64], share: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((last as f64 * share).ceil() as usize).copied().unwrap_or(f64::NAN)
}

/// All figures so far; each is told as soon as it is there.
#[derive(Debug)]
pub(crate) struct Report {
    /// How often everything is measured.
    pub(crate) times: usize,
    figures: Vec<Figure>,
}

impl Report {
    pub(crate) fn new(times: usize) -> Self {
        Self { times, figures: Vec::new() }
    }

    pub(crate) fn tell(&mut self, what: &str, unit: &'static str, budget: Option<Budget>, mut samples: Vec<f64>) {
        samples.sort_by(f64::total_cmp);
        let figure = Figure { what: what.to_owned(), unit, samples, budget };
        println!("{figure}");
        self.figures.push(figure);
    }

    /// A table for docs/performance.md.
    pub(crate) fn table(&self) {
        println!("\n| what | middle (least / middle / most) | budget | met |\n|---|---|---|---|");
        for figure in &self.figures {
            println!("| {figure} |");
        }
    }

    /// Whether every promise is kept.
    pub(crate) fn is_met(&self) -> bool {
        self.figures.iter().all(|figure| figure.is_met() != Some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Figure, quantile};

    #[test]
    fn a_line_tells_middle_spread_budget_and_whether_it_is_met() {
        let figure = |budget| Figure { what: "x".into(), unit: "ms", samples: vec![1.0, 12.34, 567.8], budget };
        assert_eq!(figure(Some(Budget::AtMost(50.0))).to_string(), "x | 12.3 ms (1.00 / 12.3 / 568) | ≤ 50.0 ms | yes");
        assert_eq!(figure(Some(Budget::AtLeast(50.0))).to_string(), "x | 12.3 ms (1.00 / 12.3 / 568) | ≥ 50.0 ms | NO");
        assert!(figure(None).to_string().ends_with("| - | -"));
    }

    #[test]
    fn quantiles_are_samples() {
        let samples: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!([0.5, 0.99, 1.0].map(|share| quantile(&samples, share)), [51.0, 100.0, 100.0]);
    }
}
