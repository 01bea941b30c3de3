//! What a step has done, for whoever stops it in the middle.

use crate::release::Meta;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct Progress(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    doing: String,
    done: Vec<String>,
    record: Option<Meta>,
}

/// The newest facts that are told; a release of thousands of objects needs no thousand lines.
const MOST: usize = 30;

impl Progress {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is going on now: told when the time is up.
    pub(crate) fn doing(&self, text: impl Into<String>) {
        self.state().doing = text.into();
    }

    /// Something that is in the cluster now.
    pub(crate) fn did(&self, text: impl Into<String>) {
        self.state().done.push(text.into());
    }

    /// The record that must not stay in progress.
    pub(crate) fn record(&self, meta: Option<&Meta>) {
        self.state().record = meta.cloned();
    }

    pub(crate) fn open_record(&self) -> Option<Meta> {
        self.state().record.clone()
    }

    pub(crate) fn current(&self) -> String {
        self.state().doing.clone()
    }

    /// One sentence about everything that was done.
    pub(crate) fn summary(&self) -> String {
        let state = self.state();
        if state.done.is_empty() {
            return "nothing was changed".to_owned();
        }
        let shown: Vec<&str> = state.done.iter().take(MOST).map(String::as_str).collect();
        let more = state.done.len().saturating_sub(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    }
}
