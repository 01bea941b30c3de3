//! What becomes of commits in a simulation: a process can be made to die at each of them.

use crate::error::StoreError;
use crate::write::Answer;
use std::fmt::Debug;
use std::future::{Future, pending};

/// What becomes of one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Stored,
    /// The process dies first: nothing is stored.
    DiesBefore,
    /// The process dies then: all is stored, and nobody in the process hears of it.
    DiesAfter,
}

/// Decides what becomes of commits, see [`crate::Store::in_next_process`]. Of a process that has died nothing is stored any more.
pub trait Fates: Debug + Send + Sync {
    /// `nouns`: what each statement of the commit is about.
    fn of(&self, nouns: &[&'static str]) -> Fate;
}

/// Whoever waits in a process that has died waits for ever; dropping the process drops them.
pub(crate) async fn meet(
    fate: Fate,
    commit: impl Future<Output = Result<Vec<Answer>, StoreError>>,
) -> Result<Vec<Answer>, StoreError> {
    match fate {
        Fate::Stored => commit.await,
        Fate::DiesBefore => pending().await,
        Fate::DiesAfter => {
            // A commit that fails stores nothing, which is as good a moment to die.
            let _ = commit.await;
            pending().await
        }
    }
}
