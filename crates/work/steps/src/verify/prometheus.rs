//! Readings from Prometheus, and from what answers like it (Thanos, Mimir, VictoriaMetrics).

use crate::answer::{chain, unreachable};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use windlass_analysis::{Reading, Series, Window};
use windlass_clock::Clock;
use windlass_http::{Client, HttpError, Request, RequestError, RetryPolicy, Url};
use windlass_model::task::verify::{BasicAuth, MetricQuery};
use windlass_model::{Failure, FailureType, Millis, Timestamp};
use windlass_registry::basic;

/// There is another look soon: better a gap in the values than a long wait.
const PATIENCE: RetryPolicy =
    RetryPolicy { tries: 3, first: Millis(200), most: Millis::from_secs(5), patience: Millis::from_secs(5) };

/// An answer takes no longer in the world's time.
const ANSWER: Millis = Millis::from_secs(60);

/// A server and how to sign in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prometheus<'a> {
    pub client: &'a Client,
    pub clock: &'a Clock,
    pub identifier: &'a str,
    pub url: &'a str,
    pub headers: &'a BTreeMap<String, String>,
    pub basic_auth: Option<&'a BasicAuth>,
}

/// Why a query has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum QueryError {
    #[error("the connector is not written correctly")]
    Request(#[from] RequestError),
    #[error(transparent)]
    Unreachable(#[from] HttpError),
    /// With the words of the server.
    #[error("{server} answered with status {status}{}", because(.why))]
    Refused { server: String, status: u16, why: String },
    #[error("the answer is not one of Prometheus: {0}")]
    Answer(String),
}

fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

/// A series as it came.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub labels: BTreeMap<String, String>,
    pub points: Vec<Reading>,
}

#[derive(Deserialize)]
struct Answer {
    status: String,
    #[serde(default)]
    error: String,
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(default)]
    result: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    metric: BTreeMap<String, String>,
    #[serde(default)]
    values: Vec<(f64, String)>,
}

impl Prometheus<'_> {
    /// Asks for all series of a query over a stretch of time.
    pub(super) async fn range(&self, query: &str, over: Window, step: Millis) -> Result<Vec<Found>, QueryError> {
        let request = self.request(query, over, step)?;
        let answer = self.send(&request).await?;
        let read = serde_json::from_slice::<Answer>(&answer.body);
        if !answer.status.is_success() {
            let why = read.map(|answer| answer.error).unwrap_or_default();
            return Err(QueryError::Refused { server: format!("{request:?}"), status: answer.status.as_u16(), why });
        }
        match read {
            Ok(Answer { status, data: Some(data), .. }) if status == "success" => Ok(data.found()),
            Ok(other) => Err(QueryError::Answer(format!("status `{}` {}", other.status, other.error))),
            Err(error) => Err(QueryError::Answer(error.to_string())),
        }
    }

    /// As [`Client::send_retrying`], but virtual time stands still while an answer is outstanding, and only then.
    async fn send(&self, request: &Request) -> Result<windlass_http::Answer, HttpError> {
        let mut tries = 0;
        loop {
            let outcome = {
                let _hold = self.clock.hold(ANSWER);
                self.client.send(request).await
            };
            tries += 1;
            let again = match &outcome {
                Ok(answer) => RetryPolicy::is_transient(answer.status),
                Err(error) => error.is_transient(),
            };
            match PATIENCE.wait(tries, None, 0.5).filter(|_| again) {
                Some(wait) => self.clock.real().sleep(wait).await,
                None => return outcome,
            }
        }
    }

    /// A form: queries may be longer than addresses can be. Asking twice changes nothing.
    fn request(&self, query: &str, over: Window, step: Millis) -> Result<Request, RequestError> {
        let mut form = Url::parse("http://form/").map_err(|_| RequestError::Url(String::new()))?;
        form.query_pairs_mut().extend_pairs([
            ("query", query),
            ("start", &seconds(over.from)),
            ("end", &seconds(over.until)),
            ("step", &format!("{}", step.to_std().as_secs_f64())),
        ]);
        let url = format!("{}/api/v1/query_range", self.url.trim().trim_end_matches('/'));
        let mut request = Request::new("POST", &url)?.header("content-type", "application/x-www-form-urlencoded")?;
        for (name, value) in self.headers {
            request = request.header(name, value)?;
        }
        if let Some(BasicAuth { username, password }) = self.basic_auth {
            request = request.header("authorization", &basic(username, password))?;
        }
        Ok(request.body(form.query().unwrap_or_default().to_owned()).idempotent())
    }
}

impl Data {
    fn found(self) -> Vec<Found> {
        let read = |one: Row| Found {
            labels: one.metric,
            points: one
                .values
                .into_iter()
                .map(|(at, value)| Reading { at: moment(at), value: number(&value) })
                .collect(),
        };
        self.result.into_iter().map(read).collect()
    }
}

impl QueryError {
    pub(super) fn to_failure(&self, source: &str, metric: &str) -> Failure {
        let place = format!("health source `{source}`, metric `{metric}`");
        let failure = match self {
            Self::Unreachable(error) => unreachable(error),
            Self::Refused { status: 401, .. } => Failure::new(FailureType::Authentication, chain(self))
                .hint("check user, password or token of the connector: they may have expired"),
            Self::Refused { status: 403, .. } => Failure::new(FailureType::Authorization, chain(self))
                .hint("let the connector's user ask for these metrics"),
            Self::Refused { status: 400 | 422, .. } => Failure::new(FailureType::ConfigurationFailure, chain(self))
                .hint("correct the query; it must give one series for each pod"),
            Self::Refused { status: 429 | 500.., .. } => Failure::new(FailureType::Connectivity, chain(self))
                .hint("see whether the monitoring system is overloaded, then retry"),
            Self::Request(_) | Self::Answer(_) | Self::Refused { .. } => {
                Failure::new(FailureType::ConfigurationFailure, chain(self))
                    .hint("check that the connector's URL is that of the Prometheus API, without `/api/v1`")
            }
        };
        Failure { message: format!("{place}: {}", failure.message), ..failure }
    }

    /// For the table of metrics.
    pub(super) fn shown(&self) -> String {
        chain(self)
    }
}

/// Series by the pod that their label names; those of other pods are left out. A query that gives no label has one series for
/// everything, if that is of use to the comparison (`whole`).
pub(super) fn by_pod(
    found: Vec<Found>,
    query: &MetricQuery,
    whole: bool,
    belongs: impl Fn(&str) -> bool,
    ready_at: impl Fn(&str) -> Option<Timestamp>,
) -> Result<Vec<Series<Reading>>, String> {
    let label = &query.instance_label;
    let mut pods = BTreeSet::new();
    let mut series = Vec::new();
    for one in found {
        let pod = match one.labels.get(label) {
            Some(pod) if !belongs(pod) => continue,
            Some(pod) => pod.clone(),
            None if whole => String::new(),
            None => {
                return Err(format!("the query gives a series without the label `{label}`: add `by ({label})` to it"));
            }
        };
        if !pods.insert(pod.clone()) {
            let of = if pod.is_empty() { "without the label `pod`".to_owned() } else { format!("of pod {pod}") };
            return Err(format!("the query gives several series {of}: aggregate them with `by ({label})`"));
        }
        series.push(Series { ready_at: ready_at(&pod), pod, points: one.points });
    }
    Ok(series)
}

/// How far readings lie apart: as far as each looks back, so that they do not tell the same twice, and close enough for eight of
/// them; 15 s to 5 min.
pub(super) fn step(query: &str, duration: Millis) -> Millis {
    const CLOSEST: Millis = Millis::from_secs(15);
    const MOST_POINTS: u64 = 500;
    let longest = lookbacks(query).max().unwrap_or(CLOSEST);
    longest.min(Millis(duration.0 / 8)).min(Millis::from_mins(5)).max(Millis(duration.0 / MOST_POINTS)).max(CLOSEST)
}

/// The ranges in a query: `[1m]`, `[1h30m:15s]`. Texts in quotes that look like one do no harm.
fn lookbacks(query: &str) -> impl Iterator<Item = Millis> {
    query.split('[').skip(1).filter_map(|rest| {
        let inside = rest.split([']', ':']).next()?;
        Millis::parse(inside.trim()).ok()
    })
}

fn seconds(at: Timestamp) -> String {
    let millis = at.millis();
    format!("{}.{:03}", millis.div_euclid(1_000), millis.rem_euclid(1_000))
}

fn moment(seconds: f64) -> Timestamp {
    // Out of range saturates, which no window contains.
    Timestamp::from_millis((seconds * 1_000.0).round() as i64)
}

/// `+Inf` and `NaN` are numbers to Rust as well.
fn number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(label: &str) -> MetricQuery {
        MetricQuery {
            identifier: "m".into(),
            name: "m".into(),
            group: "errors".into(),
            query: String::new(),
            unit: String::new(),
            instance_label: label.into(),
            direction: windlass_analysis::Direction::HigherIsWorse,
            critical: false,
            abs_min: None,
            thresholds: Vec::new(),
        }
    }

    fn found(pods: &[Option<&str>]) -> Vec<Found> {
        let one = |pod: &Option<&str>| Found {
            labels: pod.iter().map(|pod| ("pod".to_owned(), (*pod).to_owned())).collect(),
            points: vec![Reading { at: Timestamp::from_secs(1), value: 2.0 }],
        };
        pods.iter().map(one).collect()
    }

    fn names(found: Vec<Found>, whole: bool) -> Result<Vec<String>, String> {
        let series = by_pod(found, &query("pod"), whole, |pod| pod.starts_with("web"), |_| None)?;
        Ok(series.into_iter().map(|one| one.pod).collect())
    }

    #[test]
    fn series_belong_to_pods() {
        assert_eq!(names(found(&[Some("web-1"), Some("db-1"), Some("web-2")]), false).unwrap(), ["web-1", "web-2"]);
        assert_eq!(names(found(&[None]), true).unwrap(), [""]);
        let twice = names(found(&[Some("web-1"), Some("web-1")]), false).unwrap_err();
        assert_eq!(twice, "the query gives several series of pod web-1: aggregate them with `by (pod)`");
        let nameless = names(found(&[None]), false).unwrap_err();
        assert_eq!(nameless, "the query gives a series without the label `pod`: add `by (pod)` to it");
    }

    #[test]
    fn readings_do_not_overlap_where_there_is_time() {
        for (text, minutes, want) in [
            ("up", 10, 15),
            ("rate(a[30s])", 10, 30),
            ("rate(a[1m]) / rate(b[30s])", 10, 60),
            ("rate(a[5m])", 10, 75),
            ("rate(a[1m])", 5, 37),
            ("max_over_time(a[1h:15s])", 120, 300),
            ("a{b=\"[x]\"}", 10, 15),
            ("up", 60 * 24, 172),
        ] {
            assert_eq!(step(text, Millis::from_mins(minutes)).secs(), want, "{text}");
        }
    }

    #[test]
    fn numbers_are_read_as_prometheus_writes_them() {
        assert_eq!(number("0.5"), 0.5);
        assert!(number("NaN").is_nan() && number("+Inf") == f64::INFINITY && number("?").is_nan());
        assert_eq!(seconds(Timestamp::from_millis(1_500)), "1.500");
        assert_eq!(moment(1.5), Timestamp::from_millis(1_500));
    }
}
