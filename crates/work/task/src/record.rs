//! A reporter that keeps everything: for tests, and for checks that are run without a server.

use crate::log::Level;
use crate::{Reporter, TaskContext};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_model::task::Note;
use windlass_model::{Json, Timestamp};

/// What was reported, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    Line(Level, String),
    Checkpoint(Json),
    Note(Note),
}

/// Keeps what a handler reports.
#[derive(Clone, Debug, Default)]
pub struct Recorder(Arc<Mutex<Vec<Recorded>>>);

impl Recorder {
    pub fn new() -> Self {
        Self::default()
    }

    /// A context that reports here.
    pub fn context(&self, clock: Clock, workspace: impl Into<PathBuf>) -> TaskContext {
        TaskContext::new(Arc::new(self.clone()), clock, CancellationToken::new(), workspace.into())
    }

    /// Everything so far.
    pub fn all(&self) -> Vec<Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The log as a person would read it: sections underlined, levels that are not `info` in front.
    pub fn text(&self) -> String {
        let lines = self.all().into_iter().filter_map(|entry| match entry {
            Recorded::Line(Level::Section, text) => Some(format!("== {text}")),
            Recorded::Line(Level::Info, text) => Some(text),
            Recorded::Line(level, text) => Some(format!("{}: {text}", level.name())),
            _ => None,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The newest checkpoint.
    pub fn checkpoint(&self) -> Option<Json> {
        self.all().into_iter().rev().find_map(|entry| match entry {
            Recorded::Checkpoint(json) => Some(json),
            _ => None,
        })
    }

    fn push(&self, entry: Recorded) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }
}

impl Reporter for Recorder {
    fn line(&self, level: Level, text: String, _at: Timestamp) {
        self.push(Recorded::Line(level, text));
    }

    fn checkpoint(&self, checkpoint: Json) {
        self.push(Recorded::Checkpoint(checkpoint));
    }

    fn note(&self, note: Note) {
        self.push(Recorded::Note(note));
    }
}

#[cfg(test)]
mod tests {
    use super::Recorder;
    use windlass_clock::Clock;

    #[test]
    fn what_is_reported_reads_like_a_log() {
        let recorder = Recorder::new();
        let cx = recorder.context(Clock::system(), "/nowhere");
        cx.log().section("Apply");
        cx.log().info("configured Deployment/shop\ncreated Service/shop");
        cx.log().warn("no quota");
        cx.checkpoint(&serde_json::json!({"applied": 2}));
        assert_eq!(recorder.text(), "== Apply\nconfigured Deployment/shop\ncreated Service/shop\nwarn: no quota");
        assert_eq!(
            cx.restore::<serde_json::Map<String, serde_json::Value>>(recorder.checkpoint().as_ref()).unwrap()["applied"],
            2
        );
        assert_eq!(cx.restore::<Vec<u8>>(recorder.checkpoint().as_ref()), None);
    }
}
