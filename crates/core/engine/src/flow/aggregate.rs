//! What a node's children make of it (pipelines §5.6).

use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::run::Run;
use windlass_model::Status;

/// The status of a parent whose children have all ended; children that never started do not count.
pub(crate) fn aggregate(children: impl Iterator<Item = Status>) -> Status {
    /// Worst first.
    const WORST: [Status; 6] = [
        Status::Aborted,
        Status::ApprovalRejected,
        Status::Expired,
        Status::Errored,
        Status::Failed,
        Status::AbortedByFreeze,
    ];
    let mut worst = WORST.len();
    let (mut any, mut all_skipped) = (false, true);
    for status in children.filter(|status| status.is_terminal()) {
        any = true;
        all_skipped &= status == Status::Skipped;
        if let Some(rank) = WORST.iter().position(|bad| *bad == status) {
            worst = worst.min(rank);
        }
    }
    match WORST.get(worst) {
        // The two words for "failed" are one rank.
        Some(Status::Errored) => Status::Failed,
        Some(bad) => *bad,
        None if any && all_skipped => Status::Skipped,
        None => Status::Success,
    }
}

/// The status people see: waiting bubbles up from what is below (pipelines §5.6).
pub(crate) fn shown_status(run: &Run, ix: NodeIx) -> Status {
    let node = &run.nodes[ix];
    if !node.is_active() || node.container.is_none() || node.status == Status::Discontinuing {
        return node.status;
    }
    if node.wait != Wait::Nothing {
        return node.status;
    }
    let mut shown = None;
    let mut busy = false;
    for child in node.children.iter().map(|child| shown_status(run, *child)) {
        if child.is_waiting() && child != Status::WaitStepRunning {
            shown = shown.min(Some(rank(child))).or(Some(rank(child)));
        } else if !child.is_terminal() && child != Status::NotStarted && child != Status::Paused {
            busy = true;
        }
    }
    match shown {
        Some(rank) => WAITS[rank],
        None if run.paused && !busy => Status::Paused,
        None if run.paused => Status::Pausing,
        None => Status::Running,
    }
}

/// Which wait is shown when there are several.
const WAITS: [Status; 4] =
    [Status::ApprovalWaiting, Status::InterventionWaiting, Status::InputWaiting, Status::ResourceWaiting];

fn rank(status: Status) -> usize {
    WAITS.iter().position(|wait| *wait == status).unwrap_or(WAITS.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::aggregate;
    use windlass_model::Status::{
        Aborted, ApprovalRejected, Errored, Expired, Failed, IgnoreFailed, NotStarted, Skipped, Success,
    };

    #[test]
    fn the_worst_child_names_its_parent() {
        for (children, parent) in [
            (vec![], Success),
            (vec![Skipped, Skipped], Skipped),
            (vec![Skipped, Success], Success),
            (vec![IgnoreFailed], Success),
            (vec![Success, Failed], Failed),
            (vec![Errored], Failed),
            (vec![Failed, Expired], Expired),
            (vec![Expired, ApprovalRejected], ApprovalRejected),
            (vec![ApprovalRejected, Aborted], Aborted),
            (vec![NotStarted, Skipped], Skipped),
        ] {
            assert_eq!(aggregate(children.iter().copied()), parent, "{children:?}");
        }
    }
}
