//! One container: from the pull of its image to its end, and again.

use super::life::Note;
use super::probe::{Probe, Probing};
use super::script::Script;
use windlass_model::{Millis, Timestamp};

/// Pulls and restarts are tried again after this, doubled each time up to the most.
const BACK_OFF: Millis = Millis::from_secs(10);
const BACK_OFF_MOST: Millis = Millis::from_secs(300);
/// A process that ran this long starts again at once when it ends.
const RAN_WELL: Millis = Millis::from_secs(600);
/// How long a failed pull shows as `ErrImagePull` before it shows as `ImagePullBackOff`.
const PULL_ERROR_SHOWS: Millis = Millis::from_secs(1);

fn back_off(times: u32) -> Millis {
    Millis(BACK_OFF.0.saturating_mul(1 << times.min(16)).min(BACK_OFF_MOST.0))
}

/// A process that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) code: i32,
    pub(super) started: Timestamp,
    pub(super) finished: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Not begun: others go first.
    Idle,
    Pulling {
        began: Timestamp,
        until: Timestamp,
    },
    PullFailed {
        until: Timestamp,
        again: Timestamp,
        answer: String,
    },
    PullBackOff {
        until: Timestamp,
        answer: String,
    },
    Creating {
        until: Timestamp,
    },
    Running {
        since: Timestamp,
    },
    CrashBackOff {
        until: Timestamp,
        wait: Millis,
    },
    /// For good.
    Done(Ended),
}

/// When a process that ended is started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Restart {
    Always,
    OnFailure,
    Never,
}

/// What a container's definition says; the same for its whole life.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) image: String,
    /// The image is looked up in the registry at every start.
    pub(super) always_pulls: bool,
    pub(super) restart: Restart,
    /// It has to end before the others start.
    pub(super) initialises: bool,
    pub(super) readiness: Option<Probe>,
    pub(super) startup: Option<Probe>,
    /// `name_namespace(uid)` of the pod, for messages.
    pub(super) pod: String,
    /// `spec.containers{name}`, for events.
    pub(super) field: String,
}

#[derive(Clone, Debug)]
pub(super) struct Container {
    pub(super) stage: Stage,
    /// The image that runs, which may not be the one that is asked for now.
    pub(super) image: String,
    pub(super) restarts: u32,
    pub(super) last: Option<Ended>,
    pub(super) ready: bool,
    pub(super) started: bool,
    probing: Probing,
    failed_pulls: u32,
    crashes: u32,
}

/// Asks whether a node has an image, or says that it has one now.
pub(super) type Images<'a> = dyn FnMut(&str, bool) -> bool + 'a;

/// What happens around a container: who it is, what it will do, what its node has, and whom it tells.
pub(super) struct Scene<'a> {
    pub(super) definition: &'a Definition,
    pub(super) script: &'a Script,
    pub(super) images: &'a mut Images<'a>,
    pub(super) notes: &'a mut Vec<Note>,
}

impl Scene<'_> {
    fn tell(&mut self, reason: &'static str, text: String) {
        self.notes.push(Note::normal(&self.definition.field, reason, text));
    }

    fn warn(&mut self, reason: &'static str, text: String) {
        self.notes.push(Note::warning(&self.definition.field, reason, text));
    }
}

impl Container {
    pub(super) fn new(image: &str) -> Self {
        Self {
            stage: Stage::Idle,
            image: image.to_owned(),
            restarts: 0,
            last: None,
            ready: false,
            started: false,
            probing: Probing::default(),
            failed_pulls: 0,
            crashes: 0,
        }
    }

    /// Goes on with a process that was running already.
    pub(super) fn resume(&mut self, since: Timestamp, now: Timestamp) {
        self.stage = Stage::Running { since };
        self.probing = Probing::from(now);
    }

    pub(super) fn begin(&mut self, at: Timestamp, scene: &mut Scene<'_>) {
        self.image.clone_from(&scene.definition.image);
        if !scene.definition.always_pulls && (scene.images)(&self.image, false) {
            let text = format!("Container image \"{}\" already present on machine", self.image);
            scene.tell("Pulled", text);
            self.stage = Stage::Creating { until: at + scene.script.start_after() };
            return;
        }
        scene.tell("Pulling", format!("Pulling image \"{}\"", self.image));
        self.stage = Stage::Pulling { began: at, until: at + scene.script.pull_takes() };
    }

    /// When the next thing happens by itself.
    pub(super) fn due(&self, definition: &Definition, script: &Script, now: Timestamp) -> Option<Timestamp> {
        match &self.stage {
            Stage::Idle | Stage::Done(_) => None,
            Stage::Pulling { until, .. }
            | Stage::PullFailed { until, .. }
            | Stage::PullBackOff { until, .. }
            | Stage::Creating { until }
            | Stage::CrashBackOff { until, .. } => Some(*until),
            Stage::Running { since } => {
                let exit = script.exit(*since, definition.initialises).map(|(at, _)| at);
                // A fault that begins makes probes matter again.
                let is_settled = self.ready && script.stays_ready(*since, now);
                let has_probe = definition.readiness.is_some() || !self.started;
                let probe = if is_settled || !has_probe { None } else { self.probing.next.or(Some(now)) };
                [exit, probe].into_iter().flatten().min()
            }
        }
    }

    /// Does what is due.
    pub(super) fn happen(&mut self, at: Timestamp, scene: &mut Scene<'_>) {
        match self.stage.clone() {
            Stage::Idle | Stage::Done(_) => {}
            Stage::Pulling { began, until } => match scene.script.pull_fails() {
                Some(answer) => {
                    let text = format!("Failed to pull image \"{}\": {answer}", self.image);
                    scene.warn("Failed", text);
                    scene.warn("Failed", "Error: ErrImagePull".to_owned());
                    let again = at + back_off(self.failed_pulls);
                    self.failed_pulls += 1;
                    let answer = answer.to_owned();
                    self.stage = Stage::PullFailed { until: at + PULL_ERROR_SHOWS, again, answer };
                }
                None => {
                    let took = until.since(began);
                    let text =
                        format!("Successfully pulled image \"{}\" in {took} ({took} including waiting)", self.image);
                    scene.tell("Pulled", text);
                    (scene.images)(&self.image, true);
                    self.failed_pulls = 0;
                    self.stage = Stage::Creating { until: at + scene.script.start_after() };
                }
            },
            Stage::PullFailed { again, answer, .. } => {
                scene.tell("BackOff", format!("Back-off pulling image \"{}\"", self.image));
                scene.warn("Failed", "Error: ImagePullBackOff".to_owned());
                self.stage = Stage::PullBackOff { until: again, answer };
            }
            Stage::PullBackOff { .. } => self.begin(at, scene),
            Stage::Creating { .. } => self.start(at, scene),
            Stage::CrashBackOff { .. } => {
                self.restarts += 1;
                self.begin(at, scene);
            }
            Stage::Running { since } => match scene.script.exit(since, scene.definition.initialises) {
                Some((end, code)) if end <= at => self.end(at, since, code, scene),
                _ => self.probe(at, since, scene),
            },
        }
    }

    fn start(&mut self, at: Timestamp, scene: &mut Scene<'_>) {
        let name = &scene.definition.name;
        scene.tell("Created", format!("Created container: {name}"));
        scene.tell("Started", format!("Started container {name}"));
        self.stage = Stage::Running { since: at };
        self.started = scene.definition.startup.is_none();
        self.ready = self.started && scene.definition.readiness.is_none();
        let first = scene.definition.startup.as_ref().or(scene.definition.readiness.as_ref());
        self.probing = first.map_or_else(Probing::default, |probe| Probing::from(at + probe.initial));
    }

    fn probe(&mut self, at: Timestamp, since: Timestamp, scene: &mut Scene<'_>) {
        let is_good = scene.script.is_ready(since, at);
        let is_startup = !self.started;
        let Some(probe) = (if is_startup { &scene.definition.startup } else { &scene.definition.readiness }) else {
            (self.started, self.probing) = (true, Probing::default());
            return;
        };
        let in_a_row = self.probing.count(is_good);
        self.probing.next = Some(at + probe.period);
        if !is_good {
            scene.warn("Unhealthy", probe.complaint.clone());
        }
        let is_decided = in_a_row >= if is_good { probe.successes } else { probe.failures };
        match (is_startup, is_good) {
            _ if !is_decided => {}
            (true, true) => {
                self.started = true;
                self.ready = scene.definition.readiness.is_none();
                let first = scene.definition.readiness.as_ref().map(|probe| (since + probe.initial).max(at));
                self.probing = first.map_or_else(Probing::default, Probing::from);
            }
            (true, false) => {
                let text = format!("Container {} failed startup probe, will be restarted", scene.definition.name);
                scene.tell("Killing", text);
                self.end(at, since, 137, scene);
            }
            (false, is_good) => self.ready = is_good,
        }
    }

    /// The process ended; it starts again, now or later, or stays so.
    fn end(&mut self, at: Timestamp, since: Timestamp, code: i32, scene: &mut Scene<'_>) {
        let ended = Ended { code, started: since, finished: at };
        (self.ready, self.started) = (false, false);
        let starts_again = match scene.definition.restart {
            Restart::Always => !scene.definition.initialises || code != 0,
            Restart::OnFailure => code != 0,
            Restart::Never => false,
        };
        if !starts_again {
            // What has done its work counts as ready where others wait for it.
            self.ready = scene.definition.initialises && code == 0;
            self.stage = Stage::Done(ended);
            return;
        }
        self.last = Some(ended);
        self.crashes = if at.since(since) >= RAN_WELL { 1 } else { self.crashes + 1 };
        if self.crashes <= 1 {
            self.restarts += 1;
            self.begin(at, scene);
            return;
        }
        let wait = back_off(self.crashes - 2);
        let text =
            format!("Back-off restarting failed container {} in pod {}", scene.definition.name, scene.definition.pod);
        scene.warn("BackOff", text);
        self.stage = Stage::CrashBackOff { until: at + wait, wait };
    }

    /// The definition names another image now: the process is replaced.
    pub(super) fn replace(&mut self, at: Timestamp, scene: &mut Scene<'_>) {
        if let Stage::Running { since } = self.stage {
            let text = format!("Container {} definition changed, will be restarted", scene.definition.name);
            scene.tell("Killing", text);
            self.last = Some(Ended { code: 0, started: since, finished: at });
            self.restarts += 1;
        }
        (self.ready, self.started, self.failed_pulls) = (false, false, 0);
        self.begin(at, scene);
    }
}
