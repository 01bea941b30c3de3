//! The numbers of runs, counted in memory.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use windlass_model::{Identifier, Scope};

/// The number that was given last, of each pipeline that was asked for.
#[derive(Debug, Default)]
pub(crate) struct Sequences(Mutex<HashMap<(Scope, Identifier), u64>>);

impl Sequences {
    fn lock(&self) -> MutexGuard<'_, HashMap<(Scope, Identifier), u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next number, if the last one is known.
    pub(crate) fn next(&self, of: &(Scope, Identifier)) -> Option<u64> {
        let mut known = self.lock();
        let last = known.get_mut(of)?;
        *last += 1;
        Some(*last)
    }

    /// The next number, when the store knows this one. Two may ask the store at once: the second goes on from the first.
    pub(crate) fn first(&self, of: (Scope, Identifier), stored: u64) -> u64 {
        let mut known = self.lock();
        let last = known.entry(of).or_insert(stored);
        *last = (*last).max(stored) + 1;
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::Sequences;
    use windlass_model::{Identifier, Scope};

    #[test]
    fn two_who_ask_the_store_at_once_get_two_numbers() {
        let sequences = Sequences::default();
        let of = (Scope::Account, Identifier::parse("release").unwrap());
        assert_eq!(sequences.next(&of), None);
        assert_eq!(sequences.first(of.clone(), 7), 8);
        assert_eq!(sequences.first(of.clone(), 7), 9);
        assert_eq!(sequences.next(&of), Some(10));
    }
}
