//! Who wrote what: what nobody may do twice, and nobody after others.

use crate::history::History;
use crate::vitals::Vitals;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex};
use windlass_model::{RunId, TaskId, Timestamp};

tokio::task_local! {
    /// For whom this task of the runtime works.
    pub static WHO: Arc<Who>;
}

/// An attempt of a task in the hands of a process.
#[derive(Debug)]
pub struct Who {
    /// Delegate and number of its process.
    pub process: (usize, u32),
    pub run: RunId,
    pub task: TaskId,
    pub attempt: u32,
    /// Which release: service, and cluster besides.
    pub place: String,
    /// Of its process: nothing leaves the dead.
    pub vitals: Vitals,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (delegate, process) = self.process;
        write!(f, "{}/{} by {delegate}.{process}", self.task, self.attempt)
    }
}

/// What was written, as far as it is compared.
#[derive(Debug, Default)]
struct Written {
    /// The runs that wrote to a release, in the order of their first write.
    runs: BTreeMap<String, Vec<RunId>>,
    /// The last attempt that wrote for a task, and whose it was.
    attempts: BTreeMap<TaskId, (u32, (usize, u32))>,
    /// Changes that were made by an attempt: a repetition would be an effect too many.
    changes: BTreeSet<(TaskId, u32, [u8; 16])>,
    /// The last write of each run.
    last: BTreeMap<RunId, Timestamp>,
    /// How many changes there were.
    count: u64,
    /// How often another process went on with what one had begun to change.
    hand_overs: u64,
}

/// What all gates of a world know together. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<Mutex<Written>>);

impl Ledger {
    /// When a run changed something last.
    pub fn last_write(&self, run: RunId) -> Option<Timestamp> {
        self.0.lock().unwrap().last.get(&run).copied()
    }

    pub fn count(&self) -> u64 {
        self.0.lock().unwrap().count
    }

    pub fn hand_overs(&self) -> u64 {
        self.0.lock().unwrap().hand_overs
    }

    pub fn enter(&self, who: &Who, change: [u8; 16], now: Timestamp, history: &History) {
        let mut written = self.0.lock().unwrap();
        written.count += 1;
        written.last.insert(who.run, now);
        let runs = written.runs.entry(who.place.clone()).or_default();
        match runs.iter().position(|run| *run == who.run) {
            None => runs.push(who.run),
            Some(at) if at + 1 == runs.len() => {}
            Some(_) => {
                let now = runs[runs.len() - 1];
                history.wrong(format_args!(
                    "two deployments to {} at once: {who} of {} wrote within {now}",
                    who.place, who.run
                ));
            }
        }
        let before = written.attempts.insert(who.task, (who.attempt, who.process));
        if let Some(before) = before
            && (before.0 > who.attempt || before.0 == who.attempt && before.1 != who.process)
        {
            history.wrong(format_args!("{who} wrote after {before:?} did"));
        }
        written.hand_overs += u64::from(before.is_some_and(|before| before.1 != who.process));
        if !written.changes.insert((who.task, who.attempt, change)) {
            history.wrong(format_args!("{who} made the same change twice"));
        }
    }
}
