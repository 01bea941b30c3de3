//! What goes wrong, in a word.

use std::fmt;
use std::str::FromStr;
use windlass_kube_sim::faults::{ApiFault, FaultPlan, NodeFault, RequestMatch};
use windlass_model::Millis;
use windlass_workloads::{Exit, Latency, Profile, Traffic};

/// A fault. Those of images strike every image that was not in the clusters before: what is released now.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The image cannot be pulled.
    ImagePull,
    /// The share of requests that fail, 0 to 1.
    ErrorRate(f64),
    /// The median time of an answer; the slowest take six times as long.
    Latency(Millis),
    /// The process starts this much later.
    SlowStart(Millis),
    /// The readiness probe never succeeds.
    NeverReady,
    /// The process ends with code 1 after this time, again and again.
    Crash(Millis),
    /// The first node does not answer any more from this time of the run on.
    NodeLost(Millis),
    /// Three in ten calls of the API server are refused with this status.
    Api(u16),
    /// Every call of the API server takes this much longer.
    ApiSlow(Millis),
}

/// Why a text is not a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    #[error("there is no fault `{text}`{}: write {}", meant(.near), Fault::WORDS.join(", "))]
    Unknown { text: String, near: Option<String> },
    #[error("`{word}={value}`: `{word}` takes {wanted}")]
    Value { word: String, value: String, wanted: &'static str },
}

fn meant(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!(", did you mean `{name}`?")).unwrap_or_default()
}

impl Fault {
    /// How each is written.
    pub const WORDS: [&'static str; 10] = [
        "image-pull",
        "error-rate=8%",
        "latency=2s",
        "slow-start=5m",
        "never-ready",
        "crash=10s",
        "node-lost=30s",
        "api-429",
        "api-500",
        "api-slow=2s",
    ];

    /// What it does to a released image.
    pub(crate) fn strike(&self, profile: &mut Profile) {
        match self {
            Self::ImagePull => profile.pull.fails = Some("not found: manifest unknown".to_owned()),
            Self::ErrorRate(rate) => profile.traffic = Some(Traffic { error_rate: *rate, ..traffic(profile) }),
            Self::Latency(median) => {
                #[allow(clippy::cast_precision_loss)] // some minutes in milliseconds
                let median = median.0.max(1) as f64 / 1_000.0;
                profile.traffic = Some(Traffic { latency: Latency { median, p99: median * 6.0 }, ..traffic(profile) });
            }
            Self::SlowStart(length) => profile.start_delay = Millis(profile.start_delay.0.saturating_add(length.0)),
            Self::NeverReady => profile.readiness.after = None,
            Self::Crash(after) => profile.exit = Some(Exit { after: *after, code: 1, times: None }),
            Self::NodeLost(_) | Self::Api(_) | Self::ApiSlow(_) => {}
        }
    }

    /// What it adds to the plan of a cluster.
    pub(crate) fn plan(&self, plan: &mut FaultPlan) {
        let calls = |latency, status, rate| ApiFault {
            on: RequestMatch::default(),
            latency,
            status,
            retry_after: Millis::from_secs(1),
            rate,
            next: None,
            after: Millis::ZERO,
            until: None,
        };
        match self {
            Self::NodeLost(after) => {
                plan.nodes.push(NodeFault { node: "node-1".to_owned(), after: *after, until: None });
            }
            Self::Api(status) => plan.api.push(calls(Millis::ZERO, Some(*status), 0.3)),
            Self::ApiSlow(latency) => plan.api.push(calls(*latency, None, 1.0)),
            _ => {}
        }
    }
}

/// What the image serves anyway, or a little of everything.
fn traffic(profile: &Profile) -> Traffic {
    let usual = Traffic { rate: 20.0, error_rate: 0.0, latency: Latency { median: 0.05, p99: 0.3 } };
    profile.traffic.unwrap_or(usual)
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let (word, value) =
            text.split_once('=').map_or((text, None), |(word, value)| (word.trim(), Some(value.trim())));
        let wrong =
            |wanted| FaultError::Value { word: word.to_owned(), value: value.unwrap_or_default().to_owned(), wanted };
        let length = |usual: Millis| match value {
            None => Ok(usual),
            Some(value) => Millis::parse(value).map_err(|_| wrong("a duration like 30s")),
        };
        let plain = |fault: Self| if value.is_none() { Ok(fault) } else { Err(wrong("no value")) };
        match word.trim() {
            "image-pull" => plain(Self::ImagePull),
            "never-ready" => plain(Self::NeverReady),
            "error-rate" => {
                share(value.unwrap_or("8%")).map(Self::ErrorRate).ok_or_else(|| wrong("a share like 8% or 0.08"))
            }
            "latency" => length(Millis::from_secs(2)).map(Self::Latency),
            "slow-start" => length(Millis::from_mins(5)).map(Self::SlowStart),
            "crash" => length(Millis::from_secs(10)).map(Self::Crash),
            "node-lost" => length(Millis::from_secs(30)).map(Self::NodeLost),
            "api-slow" => length(Millis::from_secs(2)).map(Self::ApiSlow),
            "api-429" => plain(Self::Api(429)),
            "api-500" => plain(Self::Api(500)),
            "api-503" => plain(Self::Api(503)),
            other => {
                let words = Self::WORDS.map(|word| word.split('=').next().unwrap_or(word));
                let near = windlass_diagnostic::nearest(other, words).map(str::to_owned);
                Err(FaultError::Unknown { text: text.to_owned(), near })
            }
        }
    }
}

fn share(text: &str) -> Option<f64> {
    let share = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ImagePull => f.write_str("image-pull"),
            Self::ErrorRate(share) => write!(f, "error-rate={}%", share * 100.0),
            Self::Latency(median) => write!(f, "latency={median}"),
            Self::SlowStart(length) => write!(f, "slow-start={length}"),
            Self::NeverReady => f.write_str("never-ready"),
            Self::Crash(after) => write!(f, "crash={after}"),
            Self::NodeLost(after) => write!(f, "node-lost={after}"),
            Self::Api(status) => write!(f, "api-{status}"),
            Self::ApiSlow(latency) => write!(f, "api-slow={latency}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_words() {
        for word in Fault::WORDS {
            assert_eq!(word.parse::<Fault>().unwrap().to_string(), word);
        }
        assert_eq!("error-rate=0.08".parse(), Ok(Fault::ErrorRate(0.08)));
        assert_eq!("crash".parse(), Ok(Fault::Crash(Millis::from_secs(10))));
        for (text, says) in [
            ("image-pul", "did you mean `image-pull`?"),
            ("error-rate=80", "`error-rate` takes a share like 8% or 0.08"),
            ("slow-start=long", "takes a duration like 30s"),
            ("image-pull=x", "takes no value"),
        ] {
            let error = text.parse::<Fault>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
