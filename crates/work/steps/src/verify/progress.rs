//! How far a verification has come: what a twin of this delegate needs to go on (kubernetes-deploy §4.4).

use super::scrape::Scrapes;
use super::sides::Survey;
use super::usage::Usage;
use super::watch::Watch;
use serde::{Deserialize, Serialize};
use windlass_analysis::control::{Comparison, Situation, choose};
use windlass_analysis::{Report, WARM_UP};
use windlass_model::task::Note;
use windlass_model::task::verify::VerifyWork;
use windlass_model::{Millis, Timestamp};

/// The checkpoint. Readings of a monitoring system are not part of it: it is asked again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progress {
    /// Values count from here.
    pub begin: Timestamp,
    pub end: Timestamp,
    situation: Situation,
    pub watch: Watch,
    pub scrapes: Scrapes,
    pub usage: Usage,
    /// Low sensitivity waits for a second unhealthy answer.
    pub previous: Option<Report>,
}

impl Progress {
    /// A verification that starts now: it takes its duration from when the pods have warmed up.
    pub(super) fn new(work: &VerifyWork, survey: &Survey, stored: bool, now: Timestamp) -> Self {
        let settled = survey.ready_at.unwrap_or(work.deployed_at).max(work.deployed_at) + WARM_UP;
        // A clock that is ahead of the cluster's must not make people wait.
        let begin = settled.max(now).min(now + WARM_UP);
        let situation = Situation {
            wanted: work.kind,
            deployed_by: survey.deployed_by,
            deploy_started: survey.deploy_began(work.deployed_at),
            deploy_ended: work.deployed_at,
            ready_at: Some(begin - WARM_UP),
            now,
            stable_pods: survey.stable_pods,
            stable_runs_release: survey.stable_runs_release,
            baseline_pods: survey.baseline_pods,
            stored_samples: stored,
        };
        Self {
            begin,
            end: begin + work.duration,
            situation,
            watch: Watch::default(),
            scrapes: Scrapes::default(),
            usage: Usage::default(),
            previous: None,
        }
    }

    /// What is compared with what, up to a moment.
    pub(super) fn comparison(&self, now: Timestamp) -> Comparison {
        choose(&Situation { now, ..self.situation.clone() })
    }

    /// For people who look on: how long it has been going, and what was seen.
    pub(super) fn note(&self, now: Timestamp, seen: &str) -> Note {
        let passed = now.min(self.end).since(self.begin);
        Note::measured(format!("{}: {seen}", self.told(now)), passed.0, self.end.since(self.begin).0)
    }

    /// For people: `3m of 10m`.
    pub(super) fn told(&self, now: Timestamp) -> String {
        let whole = self.end.since(self.begin);
        let passed = Millis::from_secs(now.min(self.end).since(self.begin).secs());
        format!("{passed} of {whole}")
    }
}
