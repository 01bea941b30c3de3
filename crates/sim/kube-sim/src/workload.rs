//! What the images of pods do: asked by logs, by the pod proxy and by the pod controller.

use crate::faults::FlapFault;
use serde_json::Value;
use std::fmt;
use windlass_model::{Millis, Timestamp};

/// The behaviour behind the images. The simulation asks; it never runs anything.
pub trait Workloads: Send + Sync + fmt::Debug {
    /// What happens to a container that is started for the `restarts + 1`-th time.
    fn behaviour(&self, pod: &Value, container: &str, restarts: u32) -> Behaviour;

    /// Lines that the container wrote until `now`, oldest first.
    fn logs(&self, pod: &Value, container: &str, now: Timestamp) -> Vec<LogLine>;

    /// What the pod answers to `GET path`, as text. Nothing when it listens nowhere.
    fn page(&self, _pod: &Value, _path: &str, _now: Timestamp) -> Option<String> {
        None
    }
}

/// One line of a container's output, without its line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    pub at: Timestamp,
    pub text: String,
}

/// The life of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    /// How long the pull of the image takes.
    pub pull_takes: Millis,
    /// The registry's answer when the image cannot be pulled.
    pub pull_fails: Option<String>,
    /// From the end of the pull until the process runs.
    pub start_after: Millis,
    /// From the start of the process until its readiness probe would succeed. Nothing: never.
    pub ready_after: Option<Millis>,
    /// From then on, how the probe comes and goes.
    pub flaps: Option<FlapFault>,
    /// When the process ends by itself, and with which code. Nothing for a service.
    pub exits: Option<(Millis, i32)>,
    /// How long the process takes to end when it is asked to; the pod's grace period is the most it gets.
    pub stop_takes: Millis,
}

impl Default for Behaviour {
    /// A service that is there at once and ends at once.
    fn default() -> Self {
        Self {
            pull_takes: Millis::ZERO,
            pull_fails: None,
            start_after: Millis::ZERO,
            ready_after: Some(Millis::ZERO),
            flaps: None,
            exits: None,
            stop_takes: Millis::ZERO,
        }
    }
}

/// Services that are ready at once, and processes of jobs that end well after a second. They write no logs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainWorkloads;

impl Workloads for PlainWorkloads {
    fn behaviour(&self, pod: &Value, _container: &str, _restarts: u32) -> Behaviour {
        let restarts = pod.pointer("/spec/restartPolicy").and_then(Value::as_str).unwrap_or("Always");
        let exits = (restarts != "Always").then_some((Millis::from_secs(1), 0));
        Behaviour { exits, ..Behaviour::default() }
    }

    fn logs(&self, _pod: &Value, _container: &str, _now: Timestamp) -> Vec<LogLine> {
        Vec::new()
    }
}
