//! Delegates that said no to a task: each is asked again, last and only after a pause (kubernetes-deploy §4.3).

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use windlass_model::id::DelegateId;
use windlass_model::{Millis, TaskId, Timestamp};

/// The pause after the first no. Each further one doubles it.
const PAUSE: Millis = Millis::from_secs(2);
const LONGEST_PAUSE: Millis = Millis::from_secs(60);

/// What a delegate said to one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined {
    /// How often, at least once.
    pub times: u32,
    pub reason: String,
    /// The last time, real time.
    pub at: Timestamp,
}

impl Declined {
    /// Before this it is not asked again.
    pub fn ask_again(&self) -> Timestamp {
        let doubled = PAUSE.0.saturating_mul(1 << self.times.saturating_sub(1).min(16));
        self.at + Millis(doubled).min(LONGEST_PAUSE)
    }
}

/// Who declined what, kept by the replica to which the delegates are connected. A restart forgets it: that costs each of
/// them one more question.
#[derive(Debug, Default)]
pub(crate) struct Declines(Mutex<HashMap<TaskId, BTreeMap<DelegateId, Declined>>>);

impl Declines {
    fn tasks(&self) -> MutexGuard<'_, HashMap<TaskId, BTreeMap<DelegateId, Declined>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn note(&self, task: TaskId, delegate: DelegateId, reason: &str, at: Timestamp) {
        let mut tasks = self.tasks();
        let of_task = tasks.entry(task).or_default();
        let times = of_task.get(&delegate).map_or(0, |before| before.times).saturating_add(1);
        of_task.insert(delegate, Declined { times, reason: reason.to_owned(), at });
    }

    pub(super) fn of(&self, task: TaskId) -> BTreeMap<DelegateId, Declined> {
        self.tasks().get(&task).cloned().unwrap_or_default()
    }

    /// Somebody took it, or it ended.
    pub(super) fn forget(&self, task: TaskId) {
        self.tasks().remove(&task);
    }

    /// Forgets tasks of which nobody spoke for so long that they cannot be waiting any more.
    pub(super) fn forget_before(&self, before: Timestamp) {
        self.tasks().retain(|_, of_task| of_task.values().any(|declined| declined.at >= before));
    }
}

#[cfg(test)]
mod tests {
    use super::{Declines, LONGEST_PAUSE, PAUSE};
    use windlass_model::id::DelegateId;
    use windlass_model::{TaskId, Timestamp};

    #[test]
    fn each_no_doubles_the_pause_until_the_longest() {
        let declines = Declines::default();
        let (task, delegate) = (TaskId::from_ulid(ulid::Ulid(1)), DelegateId::from_ulid(ulid::Ulid(2)));
        let now = Timestamp::from_secs(100);
        let mut pauses = Vec::new();
        for _ in 0..40 {
            declines.note(task, delegate, "full", now);
            pauses.push(declines.of(task)[&delegate].ask_again().since(now).0 / 1000);
        }
        assert_eq!(pauses[..7], [2, 4, 8, 16, 32, 60, 60]);
        assert_eq!((pauses[0], pauses[39]), (PAUSE.0 / 1000, LONGEST_PAUSE.0 / 1000));
    }

    #[test]
    fn what_nobody_waits_for_is_forgotten() {
        let declines = Declines::default();
        let delegate = DelegateId::from_ulid(ulid::Ulid(9));
        for n in 1..=3_u8 {
            declines.note(TaskId::from_ulid(ulid::Ulid(n.into())), delegate, "full", Timestamp::from_secs(n.into()));
        }
        declines.forget(TaskId::from_ulid(ulid::Ulid(3)));
        declines.forget_before(Timestamp::from_secs(2));
        let left: Vec<_> =
            (1..=3_u8).filter(|n| !declines.of(TaskId::from_ulid(ulid::Ulid((*n).into()))).is_empty()).collect();
        assert_eq!(left, [2]);
    }
}
