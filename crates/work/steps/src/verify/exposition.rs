//! What pods say about their requests, in Prometheus' text format (kubernetes-deploy §3.5, RED metrics). Pure.

use serde::{Deserialize, Serialize};

/// Counters of one pod at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counters {
    pub requests: f64,
    pub errors: f64,
    /// Cumulative, by upper bound in seconds; the last one is infinite and stored as nothing.
    pub buckets: Vec<(Option<f64>, f64)>,
}

/// Labels under which frameworks tell the status of an answer.
const STATUS: [&str; 5] = ["status", "code", "status_code", "http_status", "http_response_status_code"];

impl Counters {
    /// Adds up the families `*_requests_total` that tell a status, and `*_duration_seconds_bucket`, of what the pod serves.
    /// Nothing when the text has neither.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut counters = Self::default();
        let mut known = false;
        for (name, labels, value) in text.lines().filter_map(line) {
            if is_foreign(name) || !value.is_finite() {
                continue;
            }
            if name.ends_with("requests_total") {
                let Some(status) = STATUS.iter().find_map(|wanted| label(&labels, wanted)) else { continue };
                known = true;
                counters.requests += value;
                if status.starts_with('5') {
                    counters.errors += value;
                }
            } else if name.ends_with("duration_seconds_bucket") {
                let Some(bound) = label(&labels, "le").and_then(|le| le.parse::<f64>().ok()) else { continue };
                known = true;
                counters.add(Some(bound).filter(|bound| bound.is_finite()), value);
            }
        }
        counters.buckets.sort_by(|a, b| a.0.unwrap_or(f64::INFINITY).total_cmp(&b.0.unwrap_or(f64::INFINITY)));
        known.then_some(counters)
    }

    fn add(&mut self, bound: Option<f64>, value: f64) {
        match self.buckets.iter_mut().find(|(known, _)| *known == bound) {
            Some((_, sum)) => *sum += value,
            None => self.buckets.push((bound, value)),
        }
    }

    /// What was counted since an earlier moment. A process that began anew counts from zero.
    pub(super) fn since(&self, before: &Self) -> Self {
        if self.requests < before.requests || self.buckets.len() != before.buckets.len() {
            return self.clone();
        }
        let buckets = self.buckets.iter().zip(&before.buckets);
        Self {
            requests: self.requests - before.requests,
            errors: (self.errors - before.errors).max(0.0),
            buckets: buckets.map(|((bound, now), (_, then))| (*bound, (now - then).max(0.0))).collect(),
        }
    }

    /// The 95th percentile in milliseconds, between the bounds of its bucket.
    pub(super) fn p95(&self) -> Option<f64> {
        let total = self.buckets.last().map(|(_, count)| *count).filter(|count| *count > 0.0)?;
        let rank = 0.95 * total;
        let (mut lower, mut below) = (0.0, 0.0);
        for (bound, count) in &self.buckets {
            let Some(bound) = bound else { break };
            if *count >= rank && *count > below {
                return Some(1_000.0 * (lower + (bound - lower) * (rank - below) / (count - below)));
            }
            (lower, below) = (*bound, *count);
        }
        // Beyond the largest bound: at least that.
        Some(1_000.0 * lower)
    }
}

/// Calls that the pod makes, and the scrape itself.
fn is_foreign(name: &str) -> bool {
    name.starts_with("promhttp_") || name.contains("client") || name.starts_with("rest_")
}

type Labels<'a> = Vec<(&'a str, String)>;

fn label<'a>(labels: &'a Labels<'_>, name: &str) -> Option<&'a str> {
    labels.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
}

/// `name{label="value"} 1.5 1700000000`
fn line(line: &str) -> Option<(&str, Labels<'_>, f64)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (name, labels, rest) = match line.find('{') {
        Some(open) => {
            let (labels, rest) = labels(&line[open + 1..])?;
            (&line[..open], labels, rest)
        }
        None => {
            let (name, rest) = line.split_once([' ', '\t'])?;
            (name, Vec::new(), rest)
        }
    };
    let value = rest.split_whitespace().next()?.parse().ok()?;
    Some((name.trim(), labels, value))
}

/// Up to the closing brace, and what follows it.
fn labels(mut rest: &str) -> Option<(Labels<'_>, &str)> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        if let Some(after) = rest.strip_prefix('}') {
            return Some((found, after));
        }
        let (name, after) = rest.split_once('=')?;
        let quoted = after.trim_start().strip_prefix('"')?;
        let mut value = String::new();
        let mut characters = quoted.char_indices();
        let end = loop {
            match characters.next()? {
                (at, '"') => break at,
                (_, '\\') => match characters.next()?.1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                (_, other) => value.push(other),
            }
        };
        found.push((name.trim(), value));
        rest = &quoted[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::Counters;

    const TEXT: &str = "# TYPE http_requests_total counter
http_requests_total{path=\"/a}b\\\"\",status=\"200\"} 90
http_requests_total{path=\"/\",status=\"503\"} 10 1700000000
http_client_requests_total{status=\"500\"} 400
promhttp_metric_handler_requests_total{code=\"200\"} 7
jobs_requests_total 3
http_request_duration_seconds_bucket{le=\"0.1\"} 50
http_request_duration_seconds_bucket{le=\"+Inf\"} 100
http_request_duration_seconds_bucket{le=\"0.5\"} 100
http_request_duration_seconds_sum 9
broken{le=\"
";

    #[test]
    fn requests_are_counted_as_the_pod_tells_them() {
        let counters = Counters::read(TEXT).unwrap();
        assert_eq!((counters.requests, counters.errors), (100.0, 10.0));
        assert_eq!(counters.buckets, [(Some(0.1), 50.0), (Some(0.5), 100.0), (None, 100.0)]);
        // 45 of the 50 slow ones: nine tenths of the way from 100 ms to 500 ms.
        assert!((counters.p95().unwrap() - 460.0).abs() < 1e-9);
        assert_eq!(Counters::read("go_goroutines 5\n"), None);
    }

    #[test]
    fn a_counter_that_falls_begins_anew() {
        let before = Counters::read(TEXT).unwrap();
        let mut after = before.clone();
        (after.requests, after.errors) = (130.0, 12.0);
        after.buckets = vec![(Some(0.1), 80.0), (Some(0.5), 130.0), (None, 130.0)];
        let grown = after.since(&before);
        assert_eq!((grown.requests, grown.errors, grown.buckets[0].1), (30.0, 2.0, 30.0));
        assert!((grown.p95().unwrap() - 95.0).abs() < 1e-9, "{grown:?}");
        assert_eq!(before.since(&after), before);
        assert_eq!(after.since(&after).p95(), None);
    }
}
