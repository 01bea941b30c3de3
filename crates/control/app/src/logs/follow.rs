//! Reading the logs of a run: what is there, and what comes.

use super::failed;
use crate::access::{Authorized, StoredRun};
use crate::{Answer, App, Failure};
use futures::Stream;
use futures::stream::unfold;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use windlass_diagnostic::nearest;
use windlass_logs::{Line, LogError};
use windlass_model::{Millis, RunId, Timestamp};
use windlass_store::log_index::LogEntry;
use windlass_store::{Changes, Topic};

/// How often a reader looks by itself: a lost hint costs this much.
const LOOK: Millis = Millis::from_secs(2);

/// How long after the end of a run logs that are still open are waited for.
const LAST_WORDS: Millis = Millis::from_secs(5);

/// The log of one step attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogRow {
    pub key: String,
    pub run: RunId,
    /// The path of the step.
    pub node: String,
    pub step: String,
    pub attempt: u32,
    pub opened_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// Known when it is closed.
    pub lines: u64,
    pub bytes: u64,
}

impl From<LogEntry> for LogRow {
    fn from(entry: LogEntry) -> Self {
        let LogEntry { key, run, node, opened_at, closed_at, lines, bytes, .. } = entry;
        // `pipeline.stages.a.….step#2`, or without number.
        let (path, attempt) = match node.rsplit_once('#') {
            Some((path, attempt)) => (path, attempt.parse().unwrap_or(1)),
            None => (node.as_str(), 1),
        };
        let step = path.rsplit('.').next().unwrap_or_default().to_owned();
        Self { key, run, node: path.to_owned(), step, attempt, opened_at, closed_at, lines, bytes }
    }
}

/// What a reader wants.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Of this step only: its path, or its identifier.
    pub step: Option<String>,
    /// Also what comes, until the run ends.
    pub follow: bool,
    /// Of what is there already only so many lines of each log, the last ones.
    pub tail: Option<u64>,
}

/// A piece of what a reader sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogPart {
    /// The first lines of this log follow.
    Begins(LogRow),
    /// At least one line. A position that jumps tells of lines that are not kept any more.
    Lines { key: String, lines: Vec<Line> },
    /// Nothing follows.
    Ends,
}

impl App {
    /// The logs of a run in the order in which they began, of one step or of all.
    pub async fn logs_of(&self, run: &Authorized<StoredRun>, step: Option<&str>) -> Answer<Vec<LogRow>> {
        let run = run.id;
        let mut rows: Vec<LogRow> = self.store().log_index().of_run(run).await?.into_iter().map(LogRow::from).collect();
        rows.retain(|row| step.is_none_or(|step| row.step == step || row.node == step));
        rows.sort_by(|a, b| (a.opened_at, &a.key).cmp(&(b.opened_at, &b.key)));
        Ok(rows)
    }

    /// Refuses a step that the run does not have, started or not.
    async fn known_step(&self, run: RunId, step: &str) -> Answer<()> {
        let nodes = self.machine().look(run, windlass_engine::project).await?.map(|p| p.nodes).unwrap_or_default();
        if nodes.iter().any(|node| node.identifier == step || node.node.as_str() == step) {
            return Ok(());
        }
        let failure = Failure::not_found(format!("{run} has no step `{step}`"));
        Err(match nearest(step, nodes.iter().map(|node| node.identifier.as_str())) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint("`windlass run show` lists them"),
        })
    }

    /// The lines of a run's logs.
    pub async fn follow_logs(
        &self,
        run: &Authorized<StoredRun>,
        reading: Reading,
    ) -> Answer<impl Stream<Item = LogPart> + Send + use<>> {
        if let Some(step) = &reading.step {
            self.known_step(run.id, step).await?;
        }
        let reader = Reader {
            changes: self.store().changes(),
            app: self.clone(),
            run: run.clone(),
            reading,
            positions: BTreeMap::new(),
            last: None,
            ready: VecDeque::new(),
            patience: None,
            over: false,
        };
        Ok(unfold(reader, |mut reader| async {
            let part = reader.next().await?;
            Some((part, reader))
        }))
    }
}

struct Reader {
    app: App,
    changes: Changes,
    run: Authorized<StoredRun>,
    reading: Reading,
    /// The next line of each log, by key.
    positions: BTreeMap<String, u64>,
    /// The log that was told last.
    last: Option<String>,
    ready: VecDeque<LogPart>,
    /// When the last words are no longer waited for, in real time.
    patience: Option<Timestamp>,
    over: bool,
}

impl Reader {
    async fn next(&mut self) -> Option<LogPart> {
        loop {
            if let Some(part) = self.ready.pop_front() {
                return Some(part);
            }
            if self.over {
                return None;
            }
            match self.look().await {
                Ok(true) => {}
                Ok(false) => {
                    let real = self.app.clock().real();
                    let _ = real.timeout(LOOK, self.changes.any_of(&[Topic::Logs, Topic::Runs])).await;
                }
                Err(failure) => {
                    // The reader comes again; what it has seen it knows.
                    tracing::warn!(run = %self.run.id, error = %crate::failure::chain(&failure), "a log cannot be read");
                    return None;
                }
            }
        }
    }

    /// Takes what is new. `false`: nothing was.
    async fn look(&mut self) -> Answer<bool> {
        // Whether it goes on is asked first: what was printed before that is found after it.
        let going = self.reading.follow && self.goes_on().await?;
        for row in self.app.logs_of(&self.run, self.reading.step.as_deref()).await? {
            let from = self.positions.get(&row.key).copied().unwrap_or_default();
            let lines = match self.app.logs().read(&row.key, from).await {
                Ok(lines) => lines,
                Err(LogError::Unknown { .. }) => continue,
                Err(error) => return Err(failed(error)),
            };
            let Some(last) = lines.last() else { continue };
            let key = row.key.clone();
            let begun = self.positions.contains_key(&key);
            self.positions.insert(key.clone(), last.pos + 1);
            if self.last.as_ref() != Some(&key) {
                self.last = Some(key.clone());
                self.ready.push_back(LogPart::Begins(row));
            }
            let skipped = match self.reading.tail.filter(|_| !begun) {
                Some(tail) => lines.len().saturating_sub(usize::try_from(tail).unwrap_or(usize::MAX)),
                None => 0,
            };
            let lines: Vec<Line> = lines.into_iter().skip(skipped).collect();
            if !lines.is_empty() {
                self.ready.push_back(LogPart::Lines { key, lines });
            }
        }
        if self.ready.is_empty() && !going {
            self.ready.push_back(LogPart::Ends);
            self.over = true;
        }
        Ok(!self.ready.is_empty())
    }

    /// Whether more may come: the run goes on, or a worker still has its last words to tell.
    async fn goes_on(&mut self) -> Answer<bool> {
        if self.app.known_run(self.run.id).await?.ended_at.is_none() {
            return Ok(true);
        }
        let logs = self.app.logs_of(&self.run, self.reading.step.as_deref()).await?;
        let now = self.app.clock().real().now();
        let until = *self.patience.get_or_insert(now + LAST_WORDS);
        Ok(now < until && logs.iter().any(|log| log.closed_at.is_none()))
    }
}
