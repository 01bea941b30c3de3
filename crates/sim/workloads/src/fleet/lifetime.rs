//! The life of one container: its starts, its ends, and when it served.

use super::{list, text};
use crate::chance::Seed;
use crate::labels::Labels;
use crate::profile::Profile;
use serde_json::Value;
use std::sync::Arc;
use windlass_model::{Millis, Timestamp};

/// How much of the past is kept for one container.
const RUNS: usize = 100;
const SPANS: usize = 500;

/// A container of a pod through all its restarts.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) labels: Labels,
    pub(crate) profile: Arc<Profile>,
    pub(crate) runs: Vec<Run>,
    /// When the number of restarts changed, and to what.
    restarts: Vec<(Timestamp, u64)>,
    ended: Option<Timestamp>,
    seed: Seed,
}

/// One process from its start to its end. Counters begin at zero with it.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) start: Timestamp,
    pub(crate) end: Option<Timestamp>,
    /// When requests came in, oldest first; only the last may be open.
    serving: Vec<(Timestamp, Option<Timestamp>)>,
    /// What was served in spans that are forgotten.
    served_before: Millis,
}

impl Process {
    pub(super) fn new(labels: Labels, profile: Arc<Profile>, seed: Seed) -> Self {
        Self { labels, profile, runs: Vec::new(), restarts: Vec::new(), ended: None, seed }
    }

    /// Takes the status of the pod that the container belongs to.
    pub(super) fn observe(&mut self, pod: &Value, now: Timestamp) {
        let statuses = list(pod, "/status/containerStatuses");
        let Some(status) = statuses.iter().find(|status| text(status, "/name") == self.labels.get("container")) else {
            return;
        };
        let restarts = status.pointer("/restartCount").and_then(Value::as_u64).unwrap_or(0);
        match moment(status, "/state/running/startedAt") {
            Some(start) => {
                if self.runs.last().is_none_or(|run| run.start != start) {
                    self.close(moment(status, "/lastState/terminated/finishedAt").unwrap_or(start));
                    self.runs.push(Run { start, end: None, serving: Vec::new(), served_before: Millis::ZERO });
                    self.runs.drain(..self.runs.len().saturating_sub(RUNS));
                }
                self.serve(pod, now);
            }
            None => self.close(moment(status, "/state/terminated/finishedAt").unwrap_or(now)),
        }
        if self.restarts.last().is_none_or(|(_, known)| *known != restarts) {
            let since = if restarts == 0 { moment(pod, "/metadata/creationTimestamp") } else { None };
            let at = since.or_else(|| self.runs.last().map(|run| run.start)).unwrap_or(now);
            self.restarts.push((at, restarts));
            self.restarts.drain(..self.restarts.len().saturating_sub(RUNS));
        }
    }

    /// Requests come while the pod is ready and nobody has asked it to go.
    fn serve(&mut self, pod: &Value, now: Timestamp) {
        let Some(run) = self.runs.last_mut() else { return };
        let ready = list(pod, "/status/conditions").iter().find(|condition| text(condition, "/type") == "Ready");
        let since = ready.and_then(|ready| moment(ready, "/lastTransitionTime")).unwrap_or(now);
        let stopped = moment(pod, "/metadata/deletionTimestamp").map(|at| {
            let grace = pod.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or(0);
            Timestamp::from_secs(at.secs().saturating_sub(grace))
        });
        let is_ready = stopped.is_none() && ready.is_some_and(|ready| text(ready, "/status") == "True");
        match (is_ready, run.serving.last_mut()) {
            (true, Some((_, None))) => {}
            (true, last) => {
                let free = last.and_then(|(_, end)| *end).unwrap_or(run.start);
                run.serving.push((since.max(run.start).max(free), None));
                if run.serving.len() > SPANS {
                    let (from, to) = run.serving.remove(0);
                    run.served_before = Millis(run.served_before.0 + to.map_or(0, |to| to.since(from).0));
                }
            }
            (false, Some((start, end @ None))) => *end = Some(stopped.unwrap_or(since).max(*start)),
            (false, _) => {}
        }
    }

    pub(super) fn end(&mut self, at: Timestamp) {
        self.close(at);
        self.ended.get_or_insert(at);
    }

    fn close(&mut self, at: Timestamp) {
        if let Some(run) = self.runs.last_mut().filter(|run| run.end.is_none()) {
            let at = at.max(run.start);
            run.end = Some(at);
            if let Some((start, end @ None)) = run.serving.last_mut() {
                *end = Some(at.max(*start));
            }
        }
    }

    /// The process that ran at a moment, and the chance that belongs to it.
    pub(crate) fn run_at(&self, at: Timestamp) -> Option<(&Run, Seed)> {
        let run = self.runs.iter().rev().find(|run| run.start <= at)?;
        (run.end.is_none_or(|end| at < end)).then(|| (run, self.seed_of(run)))
    }

    pub(crate) fn seed_of(&self, run: &Run) -> Seed {
        self.seed.child(run.start.millis().cast_unsigned())
    }

    /// How often the container had been started again at a moment; `None` when the pod was not there.
    pub(crate) fn restarts_at(&self, at: Timestamp) -> Option<u64> {
        if self.ended.is_some_and(|ended| at >= ended) {
            return None;
        }
        self.restarts.iter().rev().find(|(since, _)| *since <= at).map(|(_, count)| *count)
    }
}

impl Run {
    /// How long requests came in until a moment.
    pub(crate) fn served_until(&self, at: Timestamp) -> Millis {
        let spans = self.serving.iter().map(|(start, end)| end.map_or(at, |end| end.min(at)).since(*start).0);
        Millis(self.served_before.0 + spans.sum::<u64>())
    }

    /// The moment at which so much had been served.
    pub(crate) fn moment_of(&self, served: Millis) -> Timestamp {
        let mut left = served.0.saturating_sub(self.served_before.0);
        let mut moment = self.start;
        for (start, end) in &self.serving {
            moment = *start + Millis(left);
            let length = end.map_or(u64::MAX, |end| end.since(*start).0);
            if left < length {
                return moment;
            }
            left -= length;
        }
        moment
    }
}

fn moment(value: &Value, pointer: &str) -> Option<Timestamp> {
    Timestamp::parse(text(value, pointer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_secs(second)
    }

    fn time(second: i64) -> String {
        at(second).to_jiff().to_string()
    }

    fn pod(start: i64, ready: Option<i64>, unready: Option<i64>) -> Value {
        let (status, since) =
            if let Some(since) = ready { ("True", since) } else { ("False", unready.unwrap_or(start)) };
        json!({
            "metadata": {"creationTimestamp": time(0)},
            "status": {
                "conditions": [{"type": "Ready", "status": status, "lastTransitionTime": time(since)}],
                "containerStatuses": [{"name": "app", "restartCount": 0, "state": {"running": {"startedAt": time(start)}}}],
            },
        })
    }

    #[test]
    fn a_life_is_put_together_from_what_was_seen() {
        let labels = Labels::from([("container", "app")]);
        let mut process = Process::new(labels, Arc::default(), Seed::new(1));
        process.observe(&pod(10, None, None), at(11));
        // Seen late: the status says since when.
        process.observe(&pod(10, Some(15), None), at(18));
        process.observe(&pod(10, None, Some(25)), at(26));
        process.observe(&pod(10, Some(30), None), at(31));
        let (run, _) = process.run_at(at(40)).unwrap();
        let served = |second| run.served_until(at(second)).secs();
        assert_eq!([12, 15, 20, 25, 29, 35].map(served), [0, 0, 5, 10, 10, 15]);
        assert_eq!([0, 9, 10, 14].map(|s| run.moment_of(Millis::from_secs(s)).secs()), [15, 24, 30, 34]);

        let mut crashed = pod(50, Some(55), None);
        crashed["status"]["containerStatuses"][0]["restartCount"] = json!(1);
        crashed["status"]["containerStatuses"][0]["lastState"] = json!({"terminated": {"finishedAt": time(45)}});
        process.observe(&crashed, at(56));
        assert!(process.run_at(at(44)).is_some() && process.run_at(at(45)).is_none());
        let (run, _) = process.run_at(at(60)).unwrap();
        assert_eq!(run.served_until(at(60)).secs(), 5, "a new process begins at zero");
        assert_eq!([5, 49, 50].map(|s| process.restarts_at(at(s))), [Some(0), Some(0), Some(1)]);

        let mut leaving = crashed.clone();
        leaving["metadata"]["deletionTimestamp"] = json!(time(100));
        leaving["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        process.observe(&leaving, at(71));
        process.end(at(90));
        assert_eq!(process.runs[1].served_until(at(99)).secs(), 15, "nothing comes in after the request to go");
        assert!(process.run_at(at(89)).is_some() && process.run_at(at(90)).is_none());
        assert_eq!(process.restarts_at(at(90)), None);
    }
}
