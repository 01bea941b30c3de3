//! What the images of pods do: asked by logs, by the pod proxy, by the pod controller and by the resource metrics.

mod usage;

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

    /// What a container used in the last [`USAGE_WINDOW`] before `now`. Nothing when it did not run all that time, or when
    /// nothing is known of its image. As a metrics server does, this reads the page of the pod.
    fn usage(&self, pod: &Value, container: &str, now: Timestamp) -> Option<Usage> {
        let page = |at| self.page(pod, "/metrics", at);
        usage::between(page(before(now)).as_deref()?, page(now).as_deref()?, container)
    }

    /// Whether anything is measured. Where nothing is, the cluster is one without a metrics server.
    fn is_measured(&self, now: Timestamp) -> bool {
        self.page(&Value::Null, "/metrics", now).is_some()
    }
}

/// Over how long the use of the processor is taken.
pub const USAGE_WINDOW: Millis = Millis::from_secs(15);

fn before(now: Timestamp) -> Timestamp {
    Timestamp::from_micros(now.micros() - i64::try_from(USAGE_WINDOW.0).unwrap_or(0) * 1_000)
}

/// What a container uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Billionths of a processor.
    pub cpu: u64,
    /// Bytes.
    pub memory: u64,
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
