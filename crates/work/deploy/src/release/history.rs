use super::record::{Meta, Status, Strategy, Track};
use std::collections::BTreeSet;

/// Records of any state that stay, besides those that are needed.
const NEWEST: usize = 10;

/// The records of one release, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    records: Vec<Meta>,
    /// The last number that another product gave to this release; ours go on from there.
    pub imported: u64,
}

impl History {
    pub(crate) fn new(mut records: Vec<Meta>) -> Self {
        records.sort_by_key(|meta| meta.number);
        Self { records, imported: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Meta> {
        self.records.iter()
    }

    pub(crate) fn get(&self, number: u64) -> Option<&Meta> {
        self.records.iter().find(|meta| meta.number == number)
    }

    pub(crate) fn next_number(&self) -> u64 {
        let last = self.records.last().map_or(0, |meta| meta.number);
        last.max(self.imported).saturating_add(1)
    }

    /// What an earlier attempt of the same task wrote.
    pub(crate) fn of_task(&self, task: &str) -> Option<&Meta> {
        self.records.iter().rev().find(|meta| meta.task == task)
    }

    /// The records of a stage execution that changed the plain workloads, oldest first.
    pub(crate) fn of_stage_execution(&self, stage_execution: &str) -> impl Iterator<Item = &Meta> {
        self.records.iter().filter(move |meta| {
            meta.stage_execution == stage_execution && meta.is_plain() && meta.strategy != Strategy::Rollback
        })
    }

    /// The release that runs now, unless something failed since.
    pub(crate) fn last_successful(&self) -> Option<&Meta> {
        self.records.iter().rev().find(|meta| meta.is_plain() && meta.status == Status::Succeeded)
    }

    /// What a rollback of this stage execution returns to: fixed by its first record (decisions, "Rollback target").
    pub(crate) fn previous_successful(&self, stage_execution: &str) -> Option<u64> {
        match self.of_stage_execution(stage_execution).next() {
            Some(first) => first.previous_successful,
            None => self.last_successful().map(|meta| meta.number),
        }
    }

    /// Records that nobody works on any more: the lock was held by others and is ours now.
    pub(crate) fn orphans(&self, task: &str) -> Vec<u64> {
        let is_orphan = |meta: &&Meta| meta.status == Status::InProgress && meta.task != task;
        self.records.iter().filter(is_orphan).map(|meta| meta.number).collect()
    }

    /// Canaries that have not been deleted, oldest first.
    pub(crate) fn canaries(&self) -> impl Iterator<Item = &Meta> {
        let is_gone = |meta: &Meta| matches!(meta.status, Status::Superseded | Status::RolledBack);
        self.records.iter().filter(move |meta| meta.track == Some(Track::Canary) && !is_gone(meta))
    }

    /// The progressive canary of a stage execution, unless it was rolled back.
    pub(crate) fn shift_of(&self, stage_execution: &str) -> Option<&Meta> {
        self.records.iter().rev().find(|meta| {
            meta.strategy == Strategy::Progressive
                && meta.stage_execution == stage_execution
                && meta.status != Status::RolledBack
        })
    }

    /// The newest record of a color that was deployed.
    pub(crate) fn of_color(&self, color: &str) -> Option<&Meta> {
        self.records.iter().rev().find(|meta| {
            meta.track.is_some_and(|track| track.name() == color)
                && matches!(meta.status, Status::Succeeded | Status::Superseded)
        })
    }

    /// The newest blue/green record.
    pub(crate) fn last_blue_green(&self) -> Option<&Meta> {
        self.records.iter().rev().find(|meta| meta.strategy == Strategy::BlueGreen)
    }

    /// Whether a color has had the traffic after a plain release.
    pub(crate) fn is_swapped_since(&self, number: u64) -> bool {
        self.records.iter().any(|meta| meta.number > number && meta.services.as_ref().is_some_and(|s| s.swapped))
    }

    /// Records that may be deleted (kubernetes-deploy §1.11, retention): not the newest ones, not the last successful ones, and
    /// none to which a rollback could return.
    pub(crate) fn expendable(&self, keep: u32) -> Vec<u64> {
        let mut needed: BTreeSet<u64> = self.records.iter().rev().take(NEWEST).map(|meta| meta.number).collect();
        let was_successful = |m: &&Meta| m.is_plain() && matches!(m.status, Status::Succeeded | Status::Superseded);
        let keep = usize::try_from(keep.max(1)).unwrap_or(usize::MAX);
        needed.extend(self.records.iter().rev().filter(was_successful).take(keep).map(|meta| meta.number));
        needed.extend(self.canaries().map(|meta| meta.number));
        needed.extend(["blue", "green"].iter().filter_map(|color| self.of_color(color)).map(|meta| meta.number));
        for meta in &self.records {
            let may_be_undone = needed.contains(&meta.number) && meta.status != Status::Superseded;
            if let (true, Some(previous)) = (may_be_undone, meta.previous_successful) {
                needed.insert(previous);
            }
        }
        self.records.iter().map(|meta| meta.number).filter(|number| !needed.contains(number)).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::release::record::SCHEMA;

    pub(crate) fn meta(number: u64, status: Status, stage_execution: &str) -> Meta {
        Meta {
            schema: SCHEMA,
            release: "shop".into(),
            number,
            status,
            strategy: Strategy::Rolling,
            track: None,
            execution: "run_1".into(),
            stage_execution: stage_execution.into(),
            task: format!("task_{number}"),
            pipeline: "o/p/x".into(),
            stage: "deploy".into(),
            step: "rolling".into(),
            service: "shop".into(),
            environment: "prod".into(),
            infrastructure: "k8s".into(),
            started_at: String::new(),
            finished_at: None,
            commit: None,
            commits: Default::default(),
            artifact: None,
            manifest_hash: String::new(),
            resources: Vec::new(),
            workloads: Vec::new(),
            pruned: Vec::new(),
            previous_successful: None,
            undid: None,
            restored: None,
            services: None,
            shift: None,
            reason: None,
        }
    }

    #[test]
    fn numbers_go_on_from_the_highest_one() {
        assert_eq!(History::default().next_number(), 1);
        let mut history = History::new(vec![meta(7, Status::Failed, "a"), meta(3, Status::Succeeded, "b")]);
        assert_eq!(history.next_number(), 8);
        history.imported = 40;
        assert_eq!(history.next_number(), 41);
    }

    #[test]
    fn the_target_of_a_rollback_is_fixed_by_the_first_record_of_the_stage() {
        let history = History::new(vec![meta(1, Status::Succeeded, "a"), meta(2, Status::Failed, "b")]);
        assert_eq!(history.previous_successful("c"), Some(1));
        let mut first = meta(3, Status::Failed, "c");
        first.previous_successful = Some(1);
        let mut canary = meta(4, Status::Succeeded, "c");
        canary.track = Some(Track::Canary);
        // The step was tried again, and went well: the stage still goes back to where it began.
        let history =
            History::new(vec![meta(1, Status::Superseded, "a"), first, canary, meta(5, Status::Succeeded, "c")]);
        assert_eq!(history.previous_successful("c"), Some(1));
        assert_eq!(history.last_successful().map(|m| m.number), Some(5));
    }

    #[test]
    fn what_may_be_needed_stays() {
        let mut all: Vec<Meta> = (1..=30).map(|n| meta(n, Status::Failed, "x")).collect();
        for (number, status) in [(2, Status::Superseded), (3, Status::Superseded), (5, Status::Superseded)] {
            all[number - 1].status = status;
        }
        all[5].status = Status::Succeeded;
        all[5].previous_successful = Some(2);
        all[7].track = Some(Track::Canary);
        let history = History::new(all);
        // 2: the last success returns to it; 3: gone; 8: a canary that is still there.
        let expected: Vec<u64> = (1..=20).filter(|n| ![2, 5, 6, 8].contains(n)).collect();
        assert_eq!(history.expendable(2), expected);
        assert!(!history.expendable(3).contains(&3));
        assert!(History::new(vec![meta(1, Status::Failed, "a")]).expendable(0).is_empty());
    }
}
