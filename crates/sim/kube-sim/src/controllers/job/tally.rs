//! How far the pods of a job have come.

use super::super::pod::{is_over, is_ready};
use crate::object::Object;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use windlass_model::{Millis, Timestamp};

pub(super) const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// After a failure a new pod waits this long, doubled with each further one.
const BACK_OFF: Millis = Millis::from_secs(10);
const BACK_OFF_MOST: Millis = Millis::from_secs(600);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) active: i64,
    pub(super) leaving: i64,
    pub(super) ready: i64,
    pub(super) succeeded: i64,
    pub(super) failed: i64,
    /// Restarts within pods, which count as failures where pods restart on failure.
    restarts: i64,
    completed: BTreeSet<i64>,
    taken: BTreeSet<i64>,
    /// No new pod before this moment.
    pub(super) pause_until: Option<Timestamp>,
}

impl Tally {
    pub(super) fn of(job: &Value, pods: &[Arc<Value>]) -> Self {
        let mut tally = Self::default();
        let is_indexed = job.text("/spec/completionMode") == "Indexed";
        let restarts_in_place = job.text("/spec/template/spec/restartPolicy") == "OnFailure";
        let mut failures: Vec<Timestamp> = Vec::new();
        let mut last_success: Option<Timestamp> = None;
        for pod in pods {
            let index = pod.annotation(INDEX).and_then(|text| text.parse::<i64>().ok());
            match pod.text("/status/phase") {
                "Succeeded" => {
                    last_success = last_success.max(finished(pod));
                    match index.filter(|_| is_indexed) {
                        Some(index) => drop(tally.completed.insert(index)),
                        None => tally.succeeded += 1,
                    }
                }
                "Failed" => {
                    tally.failed += 1;
                    failures.extend(finished(pod));
                }
                _ if pod.is_deleting() => tally.leaving += 1,
                _ => {
                    tally.active += 1;
                    tally.ready += i64::from(is_ready(pod));
                    tally.taken.extend(index);
                }
            }
            if restarts_in_place && !is_over(pod) {
                let statuses =
                    pod.list("/status/containerStatuses").iter().chain(pod.list("/status/initContainerStatuses"));
                tally.restarts += statuses.filter_map(|status| status.int("/restartCount")).sum::<i64>();
            }
        }
        if is_indexed {
            tally.succeeded = i64::try_from(tally.completed.len()).unwrap_or(i64::MAX);
        }
        // Pods that were deleted are remembered by the status.
        tally.succeeded = tally.succeeded.max(if is_indexed { 0 } else { job.int("/status/succeeded").unwrap_or(0) });
        tally.failed = tally.failed.max(job.int("/status/failed").unwrap_or(0));
        failures.retain(|at| last_success.is_none_or(|success| *at > success));
        if let Some(last) = failures.iter().max() {
            let doubled = u32::try_from(failures.len() - 1).unwrap_or(16).min(16);
            tally.pause_until = Some(*last + Millis((BACK_OFF.0 << doubled).min(BACK_OFF_MOST.0)));
        }
        tally
    }

    /// What counts against `backoffLimit`.
    pub(super) fn failures(&self) -> i64 {
        self.failed + self.restarts
    }

    /// The lowest indexes that nobody has done or does.
    pub(super) fn free_indexes(&self, completions: i64, count: usize) -> Vec<i64> {
        (0..completions)
            .filter(|index| !self.completed.contains(index) && !self.taken.contains(index))
            .take(count)
            .collect()
    }

    /// `0-2,5`
    pub(super) fn completed_text(&self) -> String {
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for index in &self.completed {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *index => *last = *index,
                _ => ranges.push((*index, *index)),
            }
        }
        let show = |(first, last): &(i64, i64)| match last - first {
            0 => first.to_string(),
            1 => format!("{first},{last}"),
            _ => format!("{first}-{last}"),
        };
        ranges.iter().map(show).collect::<Vec<_>>().join(",")
    }
}

/// When the last container of a pod ended.
fn finished(pod: &Value) -> Option<Timestamp> {
    let statuses = pod.list("/status/containerStatuses").iter().chain(pod.list("/status/initContainerStatuses"));
    statuses.filter_map(|status| Timestamp::parse(status.text("/state/terminated/finishedAt"))).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pauses_grow_with_failures_and_indexes_are_told_as_ranges() {
        let failed = |second: u32| {
            Arc::new(
                json!({"status": {"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"finishedAt": format!("2026-03-02T10:00:{second:02}Z")}}}]}}),
            )
        };
        let job = json!({"spec": {"completions": 1}});
        for (pods, seconds) in
            [(vec![failed(0)], 10), (vec![failed(0), failed(10)], 30), (vec![failed(0), failed(10), failed(30)], 70)]
        {
            let until = Tally::of(&job, &pods).pause_until.unwrap();
            assert_eq!(until.since(Timestamp::parse("2026-03-02T10:00:00Z").unwrap()).secs(), seconds);
        }
        let tally = Tally { completed: [0, 1, 2, 5, 7, 8].into(), taken: [3].into(), ..Tally::default() };
        assert_eq!(tally.completed_text(), "0-2,5,7,8");
        assert_eq!(tally.free_indexes(10, 3), [4, 6, 9]);
    }
}
