//! The life of one pod: its containers in order, and its end.

use super::container::{Container, Definition, Images, Restart, Scene, Stage};
use super::probe::Probe;
use super::script::Script;
use crate::object::Object;
use serde_json::Value;
use windlass_model::{Millis, Timestamp};

/// Something to tell people about a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) field: String,
    pub(super) is_warning: bool,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

impl Note {
    pub(super) fn normal(field: &str, reason: &'static str, message: String) -> Self {
        Self { field: field.to_owned(), is_warning: false, reason, message }
    }

    pub(super) fn warning(field: &str, reason: &'static str, message: String) -> Self {
        Self { field: field.to_owned(), is_warning: true, reason, message }
    }
}

/// How many things may happen to a pod in one go; a process that ends at once for ever stops here until the next look.
const STEPS: usize = 1_000;

#[derive(Clone, Debug)]
pub(super) struct Life {
    ip: String,
    pub(super) started: Timestamp,
    pub(super) init: Vec<Container>,
    pub(super) main: Vec<Container>,
    /// The moment up to which the life was lived.
    clock: Timestamp,
    /// When all processes will have ended, once the pod is to be deleted.
    stops: Option<Timestamp>,
}

/// Asks what a container does that was restarted so often.
pub(super) type Ask<'a> = dyn Fn(&str, u32) -> Script + 'a;

impl Life {
    /// Takes over a pod: a new one, or one whose status says that it is running already.
    pub(super) fn new(pod: &Value, ip: String, now: Timestamp) -> Self {
        let take = |specs: &str, statuses: &str| {
            let resume = |spec: &Value| {
                let mut container = Container::new(spec.text("/image"));
                let known = pod.list(statuses).iter().find(|status| status.text("/name") == spec.text("/name"));
                if let Some(status) = known {
                    container.restarts = status.int("/restartCount").and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
                    container.ready = status.at("/ready") == Some(&Value::Bool(true));
                    container.started = status.at("/started") == Some(&Value::Bool(true));
                    let time = |pointer: &str| Timestamp::parse(status.text(pointer));
                    if let Some(since) = time("/state/running/startedAt") {
                        container.resume(since, now);
                    } else if let Some(finished) = time("/state/terminated/finishedAt") {
                        let code = status.int("/state/terminated/exitCode").and_then(|n| i32::try_from(n).ok());
                        let started = time("/state/terminated/startedAt").unwrap_or(finished);
                        let code = code.unwrap_or(0);
                        container.stage = Stage::Done(super::container::Ended { code, started, finished });
                    }
                }
                container
            };
            pod.list(specs).iter().map(resume).collect::<Vec<_>>()
        };
        let started = Timestamp::parse(pod.text("/status/startTime")).unwrap_or(now);
        let init = take("/spec/initContainers", "/status/initContainerStatuses");
        let main = take("/spec/containers", "/status/containerStatuses");
        Self { ip, started, init, main, clock: now, stops: None }
    }

    pub(super) fn ip(&self) -> &str {
        &self.ip
    }

    /// All processes have ended because the pod is to be deleted.
    pub(super) fn has_stopped(&self, now: Timestamp) -> bool {
        self.stops.is_some_and(|at| at <= now)
    }

    /// Lives up to now. Answers when the next thing happens.
    pub(super) fn advance(
        &mut self,
        pod: &Value,
        now: Timestamp,
        ask: &Ask<'_>,
        images: &mut Images<'_>,
        notes: &mut Vec<Note>,
    ) -> Option<Timestamp> {
        let definitions = Definitions::of(pod, &self.ip);
        if pod.is_deleting() {
            return self.stop(pod, &definitions, now, ask, notes);
        }
        for (container, definition) in self.main.iter_mut().zip(&definitions.main) {
            if container.image != definition.image {
                let script = ask(&definition.name, container.restarts);
                container.replace(now, &mut Scene { definition, script: &script, images, notes });
            }
        }
        for _ in 0..STEPS {
            self.start_what_may(&definitions, ask, images, notes);
            let all = self.init.iter_mut().zip(&definitions.init).chain(self.main.iter_mut().zip(&definitions.main));
            let due = all.filter_map(|(container, definition)| {
                let script = ask(&definition.name, container.restarts);
                container.due(definition, &script, self.clock).map(|at| (at, container, definition, script))
            });
            let (at, container, definition, script) = due.min_by_key(|(at, ..)| *at)?;
            if at > now {
                self.clock = now;
                return Some(at);
            }
            // What became due by a fault that has just begun happens now and not in the past.
            self.clock = self.clock.max(at);
            container.happen(self.clock, &mut Scene { definition, script: &script, images, notes });
        }
        Some(now + Millis(1))
    }

    /// Init containers one after the other, then all others at once.
    fn start_what_may(
        &mut self,
        definitions: &Definitions,
        ask: &Ask<'_>,
        images: &mut Images<'_>,
        notes: &mut Vec<Note>,
    ) {
        for (container, definition) in self.init.iter_mut().zip(&definitions.init) {
            if container.stage == Stage::Idle {
                let script = ask(&definition.name, container.restarts);
                container.begin(self.clock, &mut Scene { definition, script: &script, images, notes });
            }
            let lets_others_start = match &container.stage {
                Stage::Done(ended) => ended.code == 0,
                // A sidecar runs on beside the others.
                Stage::Running { .. } => !definition.initialises && container.started,
                _ => false,
            };
            if !lets_others_start {
                return;
            }
        }
        for (container, definition) in self.main.iter_mut().zip(&definitions.main) {
            if container.stage == Stage::Idle {
                let script = ask(&definition.name, container.restarts);
                container.begin(self.clock, &mut Scene { definition, script: &script, images, notes });
            }
        }
    }

    /// Whether all init containers have done their work.
    pub(super) fn is_initialized(&self) -> bool {
        self.init.iter().all(|container| match &container.stage {
            Stage::Done(ended) => ended.code == 0,
            Stage::Running { .. } => container.started,
            _ => false,
        } || container.ready)
    }

    fn stop(
        &mut self,
        pod: &Value,
        definitions: &Definitions,
        now: Timestamp,
        ask: &Ask<'_>,
        notes: &mut Vec<Note>,
    ) -> Option<Timestamp> {
        let grace =
            Millis::from_secs(pod.int("/metadata/deletionGracePeriodSeconds").unwrap_or(0).max(0).unsigned_abs());
        let running = self.main.iter().zip(&definitions.main).filter(|(c, _)| matches!(c.stage, Stage::Running { .. }));
        let mut takes = Millis::ZERO;
        for (container, definition) in running {
            if self.stops.is_none() {
                let text = format!("Stopping container {}", definition.name);
                notes.push(Note::normal(&definition.field, "Killing", text));
            }
            takes = takes.max(ask(&definition.name, container.restarts).stop_takes());
        }
        let until = now + takes.min(grace);
        let stops = self.stops.map_or(until, |known| known.min(now + grace));
        self.stops = Some(stops);
        self.clock = now;
        (stops > now).then_some(stops)
    }
}

/// The definitions of a pod's containers.
struct Definitions {
    init: Vec<Definition>,
    main: Vec<Definition>,
}

impl Definitions {
    fn of(pod: &Value, ip: &str) -> Self {
        let restart = match pod.text("/spec/restartPolicy") {
            "Never" => Restart::Never,
            "OnFailure" => Restart::OnFailure,
            _ => Restart::Always,
        };
        let title = format!("{}_{}({})", pod.name(), pod.namespace(), pod.uid());
        let define = |list: &str| {
            let is_init = list == "initContainers";
            let one = |container: &Value| {
                let is_sidecar = is_init && container.text("/restartPolicy") == "Always";
                let name = container.text("/name").to_owned();
                Definition {
                    image: container.text("/image").to_owned(),
                    always_pulls: container.text("/imagePullPolicy") == "Always",
                    restart: if is_sidecar { Restart::Always } else { restart },
                    initialises: is_init && !is_sidecar,
                    readiness: Probe::of(container, "readinessProbe", ip),
                    startup: Probe::of(container, "startupProbe", ip),
                    pod: title.clone(),
                    field: format!("spec.{list}{{{name}}}"),
                    name,
                }
            };
            pod.list(&format!("/spec/{list}")).iter().map(one).collect()
        };
        Self { init: define("initContainers"), main: define("containers") }
    }
}
