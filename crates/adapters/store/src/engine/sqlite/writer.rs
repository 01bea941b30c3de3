//! Group commit: one thread takes all decisions that wait and makes them durable together.
//!
//! While the disk stores one group the next one gathers, so that one wait for the disk serves as many decisions as there are.
//! Each decision fails alone; a failed COMMIT fails all of its group (architecture §5).
//!
//! Most groups hold no decision that fails, and a savepoint for each would copy every page it touches. So a group is tried
//! [`Together`](Way::Together) first, and only when one of it fails all are done again with savepoints.

use super::connection::{run, told};
use crate::engine::kept::Kept;
use crate::error::{Cause, StoreError};
use crate::sql::Statement;
use crate::write::Answer;
use rusqlite::Connection;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// More decisions than this wait outside, and their callers with them.
const WAITING: usize = 4_096;
/// More decisions than this make no commit cheaper.
const GROUP: usize = 1_024;

/// One write that waits.
#[derive(Debug)]
struct Decision {
    statements: Vec<Statement>,
    reply: oneshot::Sender<Result<Vec<Answer>, StoreError>>,
}

#[derive(Debug)]
pub(crate) struct Writer {
    queue: Option<mpsc::Sender<Decision>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(connection: Connection, kept: Arc<Kept>) -> std::io::Result<Self> {
        let (queue, waiting) = mpsc::channel(WAITING);
        let thread =
            std::thread::Builder::new().name("store-writer".into()).spawn(move || work(&connection, &kept, waiting))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Waits until the statements are on disk. A caller that stops waiting does not take them back.
    pub(crate) async fn write(&self, statements: Vec<Statement>) -> Result<Vec<Answer>, StoreError> {
        let (reply, answer) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.send(Decision { statements, reply }).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Drop for Writer {
    /// Lets the thread finish what waits, so that the file is closed when the store is gone.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has nothing to finish.
            let _ = thread.join();
        }
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable { source: Cause::new("the thread that writes has stopped") }
}

fn work(connection: &Connection, kept: &Kept, mut waiting: mpsc::Receiver<Decision>) {
    let mut group = Vec::new();
    while waiting.blocking_recv_many(&mut group, GROUP) > 0 {
        commit(connection, kept, std::mem::take(&mut group));
    }
}

/// Makes a group of decisions durable and answers each of them.
fn commit(connection: &Connection, kept: &Kept, mut group: Vec<Decision>) {
    let mut way = Way::Together;
    loop {
        let outcome = attempt(connection, &group, way);
        kept.forget(group.iter().flat_map(|decision| &decision.statements));
        match outcome {
            Outcome::Stored(answers) => {
                for (decision, answer) in group.into_iter().zip(answers) {
                    // The caller may have stopped waiting.
                    let _ = decision.reply.send(answer);
                }
                return;
            }
            Outcome::Lost(error) => {
                for decision in group {
                    let _ = decision.reply.send(Err(error.clone()));
                }
                return;
            }
            Outcome::LostBy(culprit, error) if way == Way::Apart || group.len() == 1 => {
                let _ = group.remove(culprit).reply.send(Err(error));
            }
            Outcome::LostBy(..) => way = Way::Apart,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The first decision that fails takes the transaction with it.
    Together,
    /// Each decision is a savepoint.
    Apart,
}

enum Outcome {
    Stored(Vec<Result<Vec<Answer>, StoreError>>),
    /// Nothing is stored.
    Lost(StoreError),
    /// Nothing is stored since this decision failed and took the whole transaction with it.
    LostBy(usize, StoreError),
}

fn attempt(connection: &Connection, group: &[Decision], way: Way) -> Outcome {
    if group.is_empty() {
        return Outcome::Stored(Vec::new());
    }
    if let Err(error) = execute(connection, "BEGIN IMMEDIATE") {
        return Outcome::Lost(error);
    }
    let mut answers = Vec::with_capacity(group.len());
    for (index, decision) in group.iter().enumerate() {
        let answer = match way {
            Way::Together => run_all(connection, &decision.statements).inspect_err(|_| roll_back(connection)),
            Way::Apart => savepoint(connection, &decision.statements),
        };
        match answer {
            // By us, or by SQLite, which gives up the whole transaction for some errors: a failed write, no memory.
            Err(error) if connection.is_autocommit() => return Outcome::LostBy(index, error),
            answer => answers.push(answer),
        }
    }
    match execute(connection, "COMMIT") {
        Ok(()) => Outcome::Stored(answers),
        Err(error) => {
            roll_back(connection);
            Outcome::Lost(error)
        }
    }
}

fn run_all(connection: &Connection, statements: &[Statement]) -> Result<Vec<Answer>, StoreError> {
    statements.iter().map(|statement| run(connection, statement)).collect()
}

fn savepoint(connection: &Connection, statements: &[Statement]) -> Result<Vec<Answer>, StoreError> {
    execute(connection, "SAVEPOINT decision")?;
    let answers = run_all(connection, statements);
    let undone = if answers.is_ok() || connection.is_autocommit() {
        Ok(())
    } else {
        execute(connection, "ROLLBACK TO decision")
    };
    let released = undone.and_then(|()| match connection.is_autocommit() {
        true => Ok(()),
        false => execute(connection, "RELEASE decision"),
    });
    match released {
        Ok(()) => answers,
        // Half of a decision must not be stored with the group: give up the whole transaction.
        Err(error) => {
            roll_back(connection);
            Err(error)
        }
    }
}

/// One decision by itself.
pub(crate) fn alone(connection: &Connection, statements: &[Statement]) -> Result<Vec<Answer>, StoreError> {
    execute(connection, "BEGIN IMMEDIATE")?;
    let answers = run_all(connection, statements).and_then(|answers| execute(connection, "COMMIT").map(|()| answers));
    if answers.is_err() {
        roll_back(connection);
    }
    answers
}

fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        // Fails only when there is no transaction any more, which is what is wanted.
        let _ = execute(connection, "ROLLBACK");
    }
}

fn execute(connection: &Connection, sql: &'static str) -> Result<(), StoreError> {
    connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.raw_execute())
        .map(|_| ())
        .map_err(|error| told("transaction", error))
}

#[cfg(test)]
mod tests;
