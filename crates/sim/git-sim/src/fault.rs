//! Faults as data: what goes wrong at which door, how often.

use crate::RepoName;
use serde::{Deserialize, Serialize};
use windlass_model::Millis;

/// The way a request came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// Clone and fetch. Each is two or more requests.
    Fetch,
    Push,
    /// The REST API.
    Api,
}

/// One rule. A request meets the first rule that applies to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fault {
    /// Every door when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
    /// `org/repo` or `org/*`; every repository when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// How many matching requests pass before the fault begins.
    #[serde(default)]
    pub after: u64,
    /// How many requests it hits; without end when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// Waits first, by the server's clock.
    #[serde(default)]
    pub latency_millis: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<FaultAnswer>,
}

/// What the client gets instead of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FaultAnswer {
    /// An HTTP status of 400 to 599.
    Status(u16),
    /// As if the token were unknown.
    AuthFailure,
}

/// What to do with one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mishap {
    pub(crate) latency: Millis,
    pub(crate) answer: Option<FaultAnswer>,
}

#[derive(Debug, Default)]
pub(crate) struct Faults {
    rules: Vec<(Fault, u64)>,
}

impl Faults {
    pub(crate) fn new(rules: Vec<Fault>) -> Self {
        Self { rules: rules.into_iter().map(|rule| (rule, 0)).collect() }
    }

    /// Counts a request and says what happens to it.
    pub(crate) fn strike(&mut self, door: Door, repo: Option<&RepoName>) -> Mishap {
        for (rule, seen) in &mut self.rules {
            if !rule.concerns(door, repo) {
                continue;
            }
            let turn = *seen;
            *seen += 1;
            let begun = turn >= rule.after;
            let over = rule.times.is_some_and(|times| turn >= rule.after.saturating_add(times));
            if begun && !over {
                return Mishap { latency: Millis(rule.latency_millis), answer: rule.answer };
            }
        }
        Mishap::default()
    }
}

impl Fault {
    fn concerns(&self, door: Door, repo: Option<&RepoName>) -> bool {
        let repo_fits = match (&self.repo, repo) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(pattern), Some(repo)) => match pattern.strip_suffix("/*") {
                Some(org) => org == repo.org(),
                None => pattern.parse().as_ref() == Ok(repo),
            },
        };
        repo_fits && self.door.is_none_or(|wanted| wanted == door)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_hits_as_often_as_it_says() {
        let text = r#"[{"door":"fetch","repo":"company/*","after":1,"times":2,"answer":{"status":503}},
                       {"repo":"company/app","latencyMillis":250}]"#;
        let mut faults = Faults::new(serde_json::from_str(text).unwrap());
        let app: RepoName = "company/app".parse().unwrap();
        let other: RepoName = "other/app".parse().unwrap();
        let slow = Mishap { latency: Millis(250), answer: None };
        let broken = Mishap { latency: Millis::ZERO, answer: Some(FaultAnswer::Status(503)) };
        let seen: Vec<Mishap> = (0..4).map(|_| faults.strike(Door::Fetch, Some(&app))).collect();
        assert_eq!(seen, [slow, broken, broken, slow]);
        assert_eq!(faults.strike(Door::Push, Some(&app)), slow);
        assert_eq!(faults.strike(Door::Fetch, Some(&other)), Mishap::default());
        assert_eq!(faults.strike(Door::Api, None), Mishap::default());
        assert!(serde_json::from_str::<Fault>(r#"{"dor":"fetch"}"#).is_err());
    }
}
