//! What the seed's template means by its steps (pipelines §11.5).

use crate::draft::Draft;
use crate::nodes::NodeIx;
use crate::plan::PlanIx;
use windlass_diagnostic::Diagnostic;

/// A blue/green deployment that follows a rolling one in the same stage and is never swapped, with the setting on: it
/// only looks whether the release is healthy (SEED-55).
pub(super) fn is_health_check(draft: &Draft, ix: NodeIx) -> bool {
    draft.run.settings().blue_green_as_health_check && follows_rolling_without_swap(draft, ix)
}

fn follows_rolling_without_swap(draft: &Draft, ix: NodeIx) -> bool {
    let Some(stage) = draft.stage_of(ix) else { return false };
    let own = draft[ix].plan;
    let of_stage: Vec<(PlanIx, &str)> = draft
        .run
        .plan
        .iter()
        .filter(|(plan, _)| draft.run.plan.outwards(*plan).any(|above| above == draft[stage].plan))
        .filter(|(plan, _)| !draft.run.plan.undoes(*plan))
        .filter_map(|(plan, entry)| Some((plan, &*entry.step()?.type_name)))
        .collect();
    // Entries are numbered in the order of the document.
    let before = of_stage.iter().any(|(plan, kind)| *plan < own && *kind == "K8sRollingDeploy");
    let swapped = of_stage.iter().any(|(plan, kind)| *plan > own && *kind == "K8sBGSwapServices");
    before && !swapped
}

/// What people should know about a step as it runs.
pub(super) fn warnings(draft: &mut Draft, ix: NodeIx, kind: &str) {
    if kind != "K8sBlueGreenDeploy" {
        return;
    }
    if is_health_check(draft, ix) {
        draft.warn(
            ix,
            Diagnostic::warning("SEED-55", "this blue/green deployment only checks the health of the running release")
                .remedy("the setting `compat.blueGreenAsHealthCheck` is on"),
        );
    } else if follows_rolling_without_swap(draft, ix) {
        draft.warn(
            ix,
            Diagnostic::warning(
                "SEED-55",
                "a blue/green deployment after a rolling one leaves a second copy of the workload",
            )
            .remedy("the setting `compat.blueGreenAsHealthCheck` makes it a check of the running release"),
        );
    }
}
