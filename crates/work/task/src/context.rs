use crate::Log;
use crate::log::Level;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use windlass_clock::Clock;
use windlass_model::task::Note;
use windlass_model::{Json, Timestamp};

/// Where a handler's words go. The delegate sends them to the server; tests keep them.
pub trait Reporter: Send + Sync {
    fn line(&self, level: Level, text: String, at: Timestamp);

    /// How far the task has come. A newer checkpoint replaces the older one; it is sent at once and waits for nobody.
    fn checkpoint(&self, checkpoint: Json);

    /// One line for people who look at the run: "2 of 3 pods ready".
    fn note(&self, note: Note);

    /// Whether the server listens, as far as that is known: not once it was silent for so long that the task may be somebody else's.
    fn is_heard(&self) -> bool {
        true
    }
}

/// Everything a handler may use besides the task.
#[derive(Clone)]
pub struct TaskContext {
    reporter: Arc<dyn Reporter>,
    clock: Clock,
    cancel: CancellationToken,
    workspace: PathBuf,
}

impl TaskContext {
    /// `workspace` is an empty folder that is deleted after the task.
    pub fn new(reporter: Arc<dyn Reporter>, clock: Clock, cancel: CancellationToken, workspace: PathBuf) -> Self {
        Self { reporter, clock, cancel, workspace }
    }

    pub fn log(&self) -> Log<'_> {
        Log::new(&*self.reporter, self.clock)
    }

    /// Tells the server how far this is. What has been done so far need not be done again by a successor.
    pub fn checkpoint(&self, checkpoint: &impl Serialize) {
        // Handlers' checkpoints are plain structs with text keys.
        if let Ok(json) = serde_json::to_value(checkpoint) {
            self.reporter.checkpoint(json);
        }
    }

    pub fn note(&self, note: impl Into<Note>) {
        self.reporter.note(note.into());
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether the task is still this worker's, as far as can be known without asking. Who stood still finds out here, before anything of
    /// his moves; [`Self::cancelled`] follows.
    pub fn holds(&self) -> bool {
        self.reporter.is_heard()
    }

    /// Done when the task should stop: aborted, out of time, or the lease was lost.
    pub fn cancelled(&self) -> &CancellationToken {
        &self.cancel
    }

    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// What an earlier attempt had reached, if it can be read: a checkpoint of another version counts as none.
    pub fn restore<T: DeserializeOwned>(&self, checkpoint: Option<&Json>) -> Option<T> {
        serde_json::from_value(checkpoint?.clone()).ok()
    }
}

impl std::fmt::Debug for TaskContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskContext").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}
