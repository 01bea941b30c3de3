//! What an image does.

use windlass_model::Millis;

/// The behaviour of a container with a certain image. The default starts at once, is ready at once, serves nobody and runs
/// for ever.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    pub pull: Pull,
    /// From the end of the pull until the process runs.
    pub start_delay: Millis,
    pub readiness: Readiness,
    pub exit: Option<Exit>,
    /// How long the process takes to end when it is asked to.
    pub stop_takes: Millis,
    pub traffic: Option<Traffic>,
    pub cpu: Cpu,
    pub memory: Memory,
    pub logs: Vec<LogTemplate>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pull {
    pub takes: Millis,
    /// The registry's answer when the image cannot be pulled: `ErrImagePull`, then `ImagePullBackOff`.
    pub fails: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readiness {
    /// From the start of the process until its readiness probe succeeds. `None`: never.
    pub after: Option<Millis>,
    pub flaps: Option<Flaps>,
}

/// Readiness that comes and goes, beginning with `ready`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaps {
    pub ready: Millis,
    pub unready: Millis,
}

/// The process ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    pub after: Millis,
    pub code: i32,
    /// How many starts end so; the ones after run. `None`: all.
    pub times: Option<u32>,
}

/// Requests that one pod serves while it is ready.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// Mean requests a second.
    pub rate: f64,
    /// The share that is answered with 500, 0 to 1.
    pub error_rate: f64,
    pub latency: Latency,
}

/// A log-normal distribution by two of its points, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    pub median: f64,
    pub p99: f64,
}

/// Cores: what an idle process takes, and what each request costs in core-seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cpu {
    pub idle: f64,
    pub per_request: f64,
}

/// Bytes: the working set after the start, and what it gains a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    pub base: f64,
    pub growth_per_minute: f64,
}

/// Lines of the container's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogTemplate {
    pub when: LogMoment,
    /// With `{pod}`, `{namespace}`, `{container}`, `{image}`, `{tag}`, `{time}`, `{n}` and, for requests, `{latency}` in ms.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogMoment {
    /// Once, when the process starts.
    Start,
    /// Once, when the process ends by itself.
    Exit,
    /// Again and again.
    Every(Millis),
    /// For each request that is answered well.
    Request,
    /// For each request that is answered with 500.
    Error,
}

impl Default for Readiness {
    /// Ready at once and for good.
    fn default() -> Self {
        Self { after: Some(Millis::ZERO), flaps: None }
    }
}

impl Profile {
    /// When the process that started for the `restarts + 1`-th time ends by itself.
    pub fn exit_of(&self, restarts: u32) -> Option<Exit> {
        self.exit.filter(|exit| exit.times.is_none_or(|times| restarts < times))
    }
}
