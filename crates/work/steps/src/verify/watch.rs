//! Built-in metrics out of the status of pods and their events (kubernetes-deploy §3.5). Pure: others ask the cluster.
//!
//! What is kept grows with the number of pods, not with time: it is part of every checkpoint.

use super::pod::{list, moment, name, readiness, text};
use super::sides::{Side, Survey};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_analysis::{Builtin, Data, Observed, Reading, Series, Sides, Tally};
use windlass_model::{Json, Timestamp};

/// The reasons for which a container waits and will not start by itself.
const STUCK: [&str; 8] = [
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "InvalidImageName",
    "CreateContainerError",
    "CreateContainerConfigError",
    "RunContainerError",
    "StartError",
];

const WARNINGS: [&str; 7] =
    ["Unhealthy", "BackOff", "FailedScheduling", "FailedMount", "Evicted", "NodeNotReady", "FailedCreate"];

/// Events that are remembered; a workload that makes more has other worries.
const MOST_EVENTS: usize = 5_000;

/// A time to ready is compared only when each side has this many.
const FEWEST: usize = 5;

/// What was seen of all pods since the beginning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Watch {
    pods: BTreeMap<String, Seen>,
    /// How often each event had happened when it was last looked at, by uid.
    events: BTreeMap<String, u64>,
    began: bool,
    /// Why events are not known.
    no_events: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Seen {
    side: Side,
    /// The last look.
    at: Timestamp,
    ready_at: Option<Timestamp>,
    time_to_ready: Option<f64>,
    /// As the status says it.
    restart_count: u64,
    /// When each container ended last.
    ended: BTreeMap<String, Timestamp>,
    /// Milliseconds: of its containers, of these stuck, of the pod since it was first Ready, of these without Ready.
    running: u64,
    stuck: u64,
    serving: u64,
    unready: u64,
    restarts: u64,
    oom: u64,
    exits: u64,
    warnings: u64,
}

/// Events and exposure of one pod.
type CountOf = fn(&Seen) -> (u64, f64);

impl Watch {
    /// Takes the pods as they are now. The first time only says where counting begins.
    pub(super) fn pods(&mut self, pods: &[Json], survey: &Survey, now: Timestamp) {
        for pod in pods {
            let Some(side) = survey.sides.get(name(pod)) else { continue };
            match self.pods.get_mut(name(pod)) {
                Some(seen) => {
                    seen.side = *side;
                    seen.look(pod, now);
                }
                None => {
                    let mut seen = Seen::first(*side, pod, now);
                    if self.began {
                        // It was made meanwhile: everything of it counts.
                        let made = moment(pod, "/metadata/creationTimestamp").unwrap_or(now);
                        seen = Seen { at: made, restart_count: 0, ended: BTreeMap::new(), ..seen };
                        seen.look(pod, now);
                    }
                    self.pods.insert(name(pod).to_owned(), seen);
                }
            }
        }
        self.began = true;
    }

    /// Takes the events of the namespace, after its pods. Those from before `begin` only say where counting begins.
    pub(super) fn events(&mut self, events: &[Json], pods: &[Json], begin: Timestamp) {
        self.no_events = None;
        for event in events {
            let reason = text(event, "/reason");
            if text(event, "/type") != "Warning" || !WARNINGS.contains(&reason) {
                continue;
            }
            let count = ["/series/count", "/count"].into_iter().find_map(|at| event.pointer(at).and_then(Json::as_u64));
            let count = count.unwrap_or(1);
            let uid = text(event, "/metadata/uid").to_owned();
            if self.events.len() >= MOST_EVENTS && !self.events.contains_key(&uid) {
                continue;
            }
            let before = self.events.insert(uid, count);
            let first = ["/firstTimestamp", "/eventTime", "/metadata/creationTimestamp"];
            let is_new = first.into_iter().find_map(|at| moment(event, at)).is_some_and(|at| at >= begin);
            let grown = count.saturating_sub(before.unwrap_or(if is_new { 0 } else { count }));
            let object = text(event, "/involvedObject/name");
            let of = match text(event, "/involvedObject/kind") {
                "Pod" => object,
                _ => owned_by(pods, object),
            };
            if let Some(seen) = self.pods.get_mut(of) {
                seen.warnings = seen.warnings.saturating_add(grown);
            }
        }
    }

    pub(super) fn without_events(&mut self, why: String) {
        self.no_events = Some(why);
    }

    /// All pods that were ever on a side.
    pub(super) fn on(&self, side: Side) -> impl Iterator<Item = &str> {
        self.pods.iter().filter(move |(_, seen)| seen.side == side).map(|(pod, _)| pod.as_str())
    }

    /// When a pod first became Ready.
    pub(super) fn ready_at(&self, pod: &str) -> Option<Timestamp> {
        self.pods.get(pod).and_then(|seen| seen.ready_at)
    }

    /// Everything so far. The control side is that of the cluster; whoever compares with something else exchanges it.
    pub(super) fn observed(&self) -> Vec<Observed> {
        let counts: [(&str, CountOf); 5] = [
            ("restarts", |seen| (seen.restarts, minutes(seen.running))),
            ("waiting", |seen| (seen.stuck / 60_000, minutes(seen.running))),
            ("oom", |seen| (seen.oom, minutes(seen.running))),
            ("exits", |seen| (seen.exits, minutes(seen.running))),
            ("unready", |seen| (seen.unready / 1_000, seconds(seen.serving))),
        ];
        let mut observed: Vec<Observed> = counts.into_iter().filter_map(|(id, of)| self.tallies(id, of)).collect();
        observed.extend(match &self.no_events {
            None => self.tallies("warnings", |seen| (seen.warnings, minutes(seen.running))),
            Some(why) => metric("warnings", Data::Missing(why.clone())),
        });
        observed.extend(self.times_to_ready());
        observed
    }

    fn tallies(&self, identifier: &str, of: impl Fn(&Seen) -> (u64, f64)) -> Option<Observed> {
        let side = |side: Side| {
            let pods = self.pods.iter().filter(|(_, seen)| seen.side == side);
            pods.map(|(pod, seen)| {
                let (events, exposure) = of(seen);
                let points = vec![Tally { at: seen.at, events, exposure }];
                Series { pod: pod.clone(), ready_at: seen.ready_at, points }
            })
            .collect()
        };
        metric(identifier, Data::Tallies(Sides { test: side(Side::Test), control: side(Side::Control) }))
    }

    fn times_to_ready(&self) -> Option<Observed> {
        let side = |side: Side| -> Vec<Series<Reading>> {
            let pods = self.pods.iter().filter(|(_, seen)| seen.side == side);
            pods.filter_map(|(pod, seen)| {
                let points = vec![Reading { at: seen.at, value: seen.time_to_ready? }];
                Some(Series { pod: pod.clone(), ready_at: None, points })
            })
            .collect()
        };
        let sides = Sides { test: side(Side::Test), control: side(Side::Control) };
        let enough = sides.test.len() >= FEWEST && sides.control.len() >= FEWEST;
        enough.then(|| metric("time_to_ready", Data::Readings(sides))).flatten()
    }
}

impl Seen {
    fn first(side: Side, pod: &Json, now: Timestamp) -> Self {
        let (ready, since) = readiness(pod);
        let ready_at = since.filter(|_| ready);
        let statuses = list(pod, "/status/containerStatuses");
        let restart_count = restarts(statuses);
        let started = moment(pod, "/status/startTime");
        let took = ready_at.zip(started).map(|(ready, started)| ready.since(started).to_std().as_secs_f64());
        Self {
            side,
            at: now,
            ready_at,
            // A pod that began anew was Ready before.
            time_to_ready: took.filter(|_| restart_count == 0),
            restart_count,
            ended: ends(statuses).map(|(name, at, _, _)| (name.to_owned(), at)).collect(),
            running: 0,
            stuck: 0,
            serving: 0,
            unready: 0,
            restarts: 0,
            oom: 0,
            exits: 0,
            warnings: 0,
        }
    }

    fn look(&mut self, pod: &Json, now: Timestamp) {
        let passed = now.since(self.at).0;
        let statuses = list(pod, "/status/containerStatuses");
        let stuck = statuses.iter().filter(|status| STUCK.contains(&text(status, "/state/waiting/reason"))).count();
        self.running += passed * list(pod, "/spec/containers").len() as u64;
        self.stuck += passed * stuck as u64;

        let (ready, since) = readiness(pod);
        if let Some(first) = self.ready_at {
            self.serving += passed.min(now.since(first).0);
            if !ready {
                // From when on it is unready may lie between two looks.
                self.unready += since.map_or(passed, |since| now.since(since).0.min(passed));
            }
        } else if ready {
            self.ready_at = since.or(Some(now));
            self.serving += since.map_or(0, |since| now.since(since).0.min(passed));
            let started = moment(pod, "/status/startTime");
            let took = self.ready_at.zip(started).map(|(ready, started)| ready.since(started).to_std().as_secs_f64());
            self.time_to_ready = took.filter(|_| restarts(statuses) == 0);
        }

        let count = restarts(statuses);
        self.restarts += count.saturating_sub(self.restart_count);
        self.restart_count = count;
        for (container, at, reason, code) in ends(statuses) {
            if self.ended.insert(container.to_owned(), at) == Some(at) {
                continue;
            }
            match (reason, code) {
                ("OOMKilled", _) => self.oom += 1,
                (_, 0) => {}
                _ => self.exits += 1,
            }
        }
        self.at = now;
    }
}

fn metric(identifier: &str, data: Data) -> Option<Observed> {
    Builtin::find(identifier).map(|row| Observed { metric: row.metric(), data })
}

fn minutes(millis: u64) -> f64 {
    seconds(millis) / 60.0
}

fn seconds(millis: u64) -> f64 {
    std::time::Duration::from_millis(millis).as_secs_f64()
}

fn restarts(statuses: &[Json]) -> u64 {
    statuses.iter().filter_map(|status| status.pointer("/restartCount").and_then(Json::as_u64)).sum()
}

/// The last end of each container that has ended: name, moment, reason, exit code.
fn ends(statuses: &[Json]) -> impl Iterator<Item = (&str, Timestamp, &str, i64)> {
    statuses.iter().filter_map(|status| {
        let ended = ["/state/terminated", "/lastState/terminated"].into_iter().find_map(|at| status.pointer(at))?;
        let code = ended.pointer("/exitCode").and_then(Json::as_i64).unwrap_or(0);
        Some((text(status, "/name"), moment(ended, "/finishedAt")?, text(ended, "/reason"), code))
    })
}

/// A pod that an object made, to which what is said of the object is counted.
fn owned_by<'a>(pods: &'a [Json], owner: &str) -> &'a str {
    let is_owner = |pod: &&Json| list(pod, "/metadata/ownerReferences").iter().any(|own| text(own, "/name") == owner);
    pods.iter().find(is_owner).map_or("", |pod| name(pod))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::sides::survey;
    use serde_json::json;
    use windlass_analysis::VerifyKind;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_secs(1_000_000 + second)
    }

    fn time(second: i64) -> String {
        at(second).to_jiff().to_string()
    }

    /// A pod of one container that was Ready from second 0 on.
    fn pod(name: &str, track: &str, restarts: u64, status: &Json) -> Json {
        let mut container = json!({"name": "main", "restartCount": restarts});
        for (key, value) in status.as_object().unwrap() {
            container[key] = value.clone();
        }
        let ready = status.get("state").is_none();
        json!({
            "metadata": {"name": name, "labels": {"harness.io/track": track}, "creationTimestamp": time(-20),
                "ownerReferences": [{"name": format!("{name}-set")}]},
            "spec": {"containers": [{"name": "main", "image": track}]},
            "status": {"startTime": time(-20), "phase": "Running", "containerStatuses": [container],
                "conditions": [{"type": "Ready", "status": if ready { "True" } else { "False" },
                    "lastTransitionTime": time(if ready { 0 } else { 90 })}]},
        })
    }

    fn ended(reason: &str, code: i64, second: i64) -> Json {
        json!({"lastState": {"terminated": {"reason": reason, "exitCode": code, "finishedAt": time(second)}}})
    }

    /// Events and exposure of the canary, by metric.
    fn told(watch: &Watch) -> Vec<String> {
        let line = |one: &Observed| match &one.data {
            Data::Tallies(sides) => {
                let point = sides.test[0].points[0];
                format!("{}: {} in {:.1}", one.metric.name, point.events, point.exposure)
            }
            other => format!("{}: {other:?}", one.metric.name),
        };
        watch.observed().iter().map(line).collect()
    }

    #[test]
    fn only_what_happens_while_somebody_looks_counts() {
        let mut watch = Watch::default();
        let mut look = |second: i64, pods: &[Json]| watch.pods(pods, &survey(pods, VerifyKind::Canary), at(second));
        let stable = pod("web", "stable", 4, &json!({}));
        look(60, &[stable.clone(), pod("web-canary", "canary", 2, &ended("OOMKilled", 137, 30))]);
        look(75, &[stable.clone(), pod("web-canary", "canary", 3, &ended("OOMKilled", 137, 70))]);
        look(90, &[stable.clone(), pod("web-canary", "canary", 3, &ended("OOMKilled", 137, 70))]);
        let stuck = json!({"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": ended("Error", 3, 100)["lastState"]});
        look(105, &[stable.clone(), pod("web-canary", "canary", 4, &stuck)]);
        look(180, &[stable, pod("web-canary", "canary", 4, &stuck)]);
        insta::assert_snapshot!(told(&watch).join("\n"), @r"
        container restarts: 2 in 2.0
        containers that cannot start: 1 in 2.0
        containers killed for memory: 1 in 2.0
        containers that ended with an error: 1 in 2.0
        unready time: 90 in 120.0
        warning events: 0 in 2.0
        ");
        let json = serde_json::to_value(&watch).unwrap();
        assert_eq!(serde_json::from_value::<Watch>(json).unwrap(), watch);
    }

    #[test]
    fn events_count_from_the_beginning_on_and_only_as_often_as_they_are_new() {
        let mut watch = Watch::default();
        let pods = [pod("web", "stable", 0, &json!({})), pod("web-canary", "canary", 0, &json!({}))];
        let event = |uid: &str, reason: &str, object: (&str, &str), count: u64, second: i64| {
            json!({"metadata": {"uid": uid}, "type": "Warning", "reason": reason, "count": count,
                "firstTimestamp": time(second), "involvedObject": {"kind": object.0, "name": object.1}})
        };
        let mut look = |events: &[Json], second: i64| {
            watch.pods(&pods, &survey(&pods, VerifyKind::Canary), at(second));
            watch.events(events, &pods, at(60));
            watch.pods["web-canary"].warnings
        };
        let old = |count| event("a", "Unhealthy", ("Pod", "web-canary"), count, 10);
        assert_eq!(look(&[old(7)], 60), 0);
        assert_eq!(look(&[old(9)], 75), 2);
        let set = event("b", "FailedCreate", ("ReplicaSet", "web-canary-set"), 3, 80);
        assert_eq!(look(&[old(9), set, event("c", "Pulled", ("Pod", "web-canary"), 9, 80)], 90), 5);
        assert_eq!(look(&[event("d", "BackOff", ("Pod", "somebody-else"), 9, 80)], 105), 5);
        watch.without_events("forbidden".into());
        assert!(matches!(&watch.observed()[5].data, Data::Missing(why) if why == "forbidden"));
    }
}
