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

#[cfg(test)]
mod tests {
    use super::{Fate, Fates};
    use crate::settings::Setting;
    use crate::{Scopes, Store, Write};
    use std::sync::Arc;
    use windlass_clock::Clock;
    use windlass_model::{Millis, Scope, Timestamp};

    #[derive(Debug)]
    struct Always(Fate);

    impl Fates for Always {
        fn of(&self, _nouns: &[&'static str]) -> Fate {
            self.0
        }
    }

    fn write() -> Write {
        let mut write = Write::new();
        write.set_setting(&Setting {
            scope: Scope::Account,
            name: "a".into(),
            value: "1".into(),
            updated_at: Timestamp::default(),
            updated_by: "user:ada".into(),
        });
        write
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_in_a_dead_process_hears_what_became_of_its_commit() {
        let clock = Clock::simulated(Timestamp::default());
        for (fate, stored) in [(Fate::DiesBefore, 0), (Fate::DiesAfter, 1)] {
            let store = Store::in_memory(clock).unwrap();
            let dying = store.in_next_process(Arc::new(Always(fate))).unwrap().unwrap();
            assert!(clock.timeout(Millis::from_mins(60), dying.write(write())).await.is_err(), "{fate:?}");
            let next = dying.in_next_process(Arc::new(Always(Fate::Stored))).unwrap().unwrap();
            let found = next.settings().list(&Scopes::At(Scope::Account), Some("a")).await.unwrap();
            assert_eq!(found.len(), stored, "{fate:?}");
            next.write(write()).await.unwrap();
        }
    }
}
