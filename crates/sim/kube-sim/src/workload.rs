//! What the images of pods do: asked by logs and by the pod controller.

use serde_json::Value;
use std::fmt;
use windlass_model::{Millis, Timestamp};

/// The behaviour behind the images. The simulation asks; it never runs anything.
pub trait Workloads: Send + Sync + fmt::Debug {
    /// What happens to a container once its image is there.
    fn behaviour(&self, pod: &Value, container: &str) -> Behaviour;

    /// Lines that the container wrote until `now`, oldest first.
    fn logs(&self, pod: &Value, container: &str, now: Timestamp) -> Vec<LogLine>;
}

/// One line of a container's output, without its line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    pub at: Timestamp,
    pub text: String,
}

/// The life of a container after its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// From the start of the process until its readiness probe would succeed.
    pub ready_after: Millis,
    /// When the process ends by itself, and with which code. Nothing for a service.
    pub exits: Option<(Millis, i32)>,
}

/// Services that are ready at once, and processes of jobs that end well after a second. They write no logs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainWorkloads;

impl Workloads for PlainWorkloads {
    fn behaviour(&self, pod: &Value, _container: &str) -> Behaviour {
        let restarts = pod.pointer("/spec/restartPolicy").and_then(Value::as_str).unwrap_or("Always");
        let exits = (restarts != "Always").then_some((Millis::from_secs(1), 0));
        Behaviour { ready_after: Millis::ZERO, exits }
    }

    fn logs(&self, _pod: &Value, _container: &str, _now: Timestamp) -> Vec<LogLine> {
        Vec::new()
    }
}
