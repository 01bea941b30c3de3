use windlass_model::Millis;

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time until it is told to end (SIGTERM).
    pub time: Millis,
    /// Time from then on until it is ended (SIGKILL).
    pub grace: Millis,
    /// Bytes kept of each output: the first of standard output, the last of standard error.
    pub kept: usize,
    /// Bytes of both outputs together that are passed on while it runs.
    pub streamed: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Millis::from_mins(10), grace: Millis::from_secs(5), kept: 1 << 20, streamed: 64 << 20 }
    }
}
