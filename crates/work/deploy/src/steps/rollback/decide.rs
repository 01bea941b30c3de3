use crate::release::{History, Status};

/// What a rollback has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Nothing(String),
    Refused(String),
    /// The first release ever failed.
    NoneBefore {
        undo: Vec<u64>,
    },
    Return {
        target: u64,
        undo: Vec<u64>,
    },
}

/// `after_success`: the stage execution ended well, and somebody wants it undone (pipelines §5.8).
pub(super) fn decide(history: &History, stage_execution: &str, after_success: bool) -> Decision {
    let of_stage: Vec<_> = history.of_stage_execution(stage_execution).collect();
    let Some(first) = of_stage.first() else {
        return match history.last_successful() {
            _ if after_success => Decision::Refused(
                "the records of that deployment are gone: it cannot be rolled back any more".to_owned(),
            ),
            Some(last) if history.is_swapped_since(last.number) => Decision::Nothing(
                "nothing to roll back: the traffic is with blue/green releases; swap them back".to_owned(),
            ),
            // K8sApply steps leave no record; the last release is brought back over what they did.
            Some(last) => Decision::Return { target: last.number, undo: Vec::new() },
            None => Decision::Nothing("nothing to roll back: there is no release".to_owned()),
        };
    };
    let undo: Vec<u64> =
        of_stage.iter().filter(|meta| meta.status != Status::RolledBack).map(|meta| meta.number).collect();
    let Some(newest) = undo.last() else {
        return Decision::Nothing("nothing to roll back: it has been rolled back already".to_owned());
    };
    let later = history.last_successful().filter(|meta| meta.number > *newest && !undo.contains(&meta.number));
    if let Some(later) = later {
        let message = format!(
            "release {} was deployed since by run {}: only the newest deployment can be rolled back",
            later.number, later.execution
        );
        return Decision::Refused(message);
    }
    match first.previous_successful {
        Some(target) => Decision::Return { target, undo },
        None => Decision::NoneBefore { undo },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::{History, Meta, PrimaryService, Strategy, Track, history_tests::meta};

    fn with_previous(mut meta: Meta, previous: u64) -> Meta {
        meta.previous_successful = Some(previous);
        meta
    }

    #[test]
    fn where_a_rollback_goes() {
        let good = || meta(1, Status::Succeeded, "a");
        let bad = || with_previous(meta(2, Status::Failed, "b"), 1);
        let history = History::new(vec![good(), bad()]);
        assert_eq!(decide(&history, "b", false), Decision::Return { target: 1, undo: vec![2] });
        // Tried twice, the second time well; a later step of the stage failed.
        let history = History::new(vec![good(), bad(), with_previous(meta(3, Status::Succeeded, "b"), 1)]);
        assert_eq!(decide(&history, "b", false), Decision::Return { target: 1, undo: vec![2, 3] });
        assert_eq!(decide(&history, "b", true), Decision::Return { target: 1, undo: vec![2, 3] });
        // Somebody deployed since.
        let history = History::new(vec![
            good(),
            with_previous(meta(2, Status::Superseded, "b"), 1),
            meta(3, Status::Succeeded, "c"),
        ]);
        assert!(matches!(decide(&history, "b", true), Decision::Refused(_)));
        // The first one ever.
        let history = History::new(vec![meta(1, Status::Failed, "a")]);
        assert_eq!(decide(&history, "a", false), Decision::NoneBefore { undo: vec![1] });
    }

    #[test]
    fn a_release_from_before_blue_green_is_not_brought_back() {
        let mut colored = meta(2, Status::Succeeded, "b");
        colored.strategy = Strategy::BlueGreen;
        colored.track = Some(Track::Blue);
        let services = |swapped| PrimaryService { swapped, ..PrimaryService::default() };
        colored.services = Some(services(false));
        let history = |colored: &Meta| History::new(vec![meta(1, Status::Succeeded, "a"), colored.clone()]);
        assert_eq!(decide(&history(&colored), "c", false), Decision::Return { target: 1, undo: vec![] });
        colored.services = Some(services(true));
        assert!(matches!(decide(&history(&colored), "c", false), Decision::Nothing(_)));
    }

    #[test]
    fn what_was_not_done_is_not_undone() {
        let history = History::new(vec![meta(1, Status::Succeeded, "a")]);
        assert_eq!(decide(&history, "b", false), Decision::Return { target: 1, undo: vec![] });
        assert!(matches!(decide(&history, "b", true), Decision::Refused(_)));
        assert!(matches!(decide(&History::default(), "b", false), Decision::Nothing(_)));
        let done = with_previous(meta(2, Status::RolledBack, "b"), 1);
        assert!(matches!(
            decide(&History::new(vec![meta(1, Status::Succeeded, "a"), done]), "b", false),
            Decision::Nothing(_)
        ));
    }
}
