//! Steps that undo others do nothing when these never began (pipelines §5.5).

use crate::draft::Draft;
use crate::nodes::NodeIx;
use windlass_model::Status;

/// Why a rollback step has nothing to do; none when it has, or is no rollback step.
pub(super) fn nothing_to_undo(draft: &Draft, ix: NodeIx, kind: &str) -> Option<String> {
    if !draft.undoes(ix) {
        return None;
    }
    let forward: &[&str] = match kind {
        // What an apply put there is brought back to the last release too (decisions, Deploying).
        "K8sRollingRollback" => &["K8sRollingDeploy", "K8sApply", "K8sCanaryDeploy", "K8sBlueGreenDeploy"],
        "K8sCanaryDelete" | "K8sProgressiveCanaryRollback" => &["K8sCanaryDeploy"],
        "K8sBGSwapServices" => &["K8sBGSwapServices"],
        "K8sBlueGreenStageScaleDown" => &["K8sBlueGreenDeploy"],
        _ => return None,
    };
    let stage = draft.home_stage(ix)?;
    if draft.did(stage, forward).is_empty() {
        Some(format!("nothing to roll back: no {} of this stage began", forward.join(" or ")))
    } else {
        None
    }
}

/// Whether a stage deployed a canary that no later step deleted (SEED-56).
pub(crate) fn leaves_a_canary(draft: &Draft, stage: NodeIx) -> bool {
    let Some(last) = draft.did(stage, &["K8sCanaryDeploy"]).last().copied() else { return false };
    let deleted = draft.did(stage, &["K8sCanaryDelete", "K8sProgressiveCanaryRollback"]);
    !deleted.iter().any(|ix| draft[*ix].status == Status::Success && draft[*ix].started_at >= draft[last].started_at)
}
