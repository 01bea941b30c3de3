//! What happened, as one hash and, if wanted, as lines.

use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use windlass_clock::Clock;
use windlass_model::Timestamp;

/// Takes down everything that crosses a border: commits, messages, calls to clusters, deaths. Cheap to clone.
#[derive(Clone, Debug)]
pub struct History(Arc<Mutex<Pages>>);

#[derive(Debug)]
struct Pages {
    clock: Clock,
    start: Timestamp,
    hash: Sha256,
    count: u64,
    lines: Option<Vec<String>>,
    wrongs: Vec<String>,
}

impl History {
    /// `told`: whether the lines are kept.
    pub fn new(clock: Clock, told: bool) -> Self {
        let lines = told.then(Vec::new);
        let (start, hash) = (clock.now(), Sha256::new());
        Self(Arc::new(Mutex::new(Pages { clock, start, hash, count: 0, lines, wrongs: Vec::new() })))
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap()
    }

    pub fn note(&self, what: fmt::Arguments<'_>) {
        let mut pages = self.pages();
        let passed = pages.clock.now().since(pages.start);
        let line = format!("{:>9} {what}", passed.0);
        pages.hash.update(line.as_bytes());
        pages.hash.update(b"\n");
        pages.count += 1;
        if let Some(lines) = &mut pages.lines {
            lines.push(line);
        }
    }

    /// Something that must never happen.
    pub fn wrong(&self, what: impl fmt::Display) {
        self.note(format_args!("WRONG {what}"));
        self.pages().wrongs.push(what.to_string());
    }

    pub fn wrongs(&self) -> Vec<String> {
        self.pages().wrongs.clone()
    }

    /// How much happened, and the hash of it all in order.
    pub fn digest(&self) -> (u64, String) {
        let pages = self.pages();
        let hash = pages.hash.clone().finalize();
        (pages.count, hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect())
    }

    pub fn lines(&self) -> Vec<String> {
        self.pages().lines.clone().unwrap_or_default()
    }
}
