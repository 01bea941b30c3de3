//! Which delegates may do the work of a step (pipelines §4.9, SEED-32).

use crate::deployment::InfrastructureFacts;
use crate::draft::Draft;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use windlass_model::Failure;
use windlass_model::selector::{DelegateSelection, SelectorLevel};

/// The first level that says something wins whole. `infrastructure` is given for work on a cluster.
pub(super) fn of(
    draft: &Draft,
    ix: NodeIx,
    infrastructure: Option<&InfrastructureFacts>,
) -> Result<DelegateSelection, Failure> {
    let mut selection = DelegateSelection { sticky: sticky(draft, ix), ..DelegateSelection::default() };
    if let Some(facts) = infrastructure
        && facts.connector.inherits
    {
        selection.connector = facts.connector.selectors.clone();
    }
    for above in draft.run.outwards(ix) {
        let entry = draft.plan(above);
        let Some(written) = &entry.selectors else { continue };
        let selectors = draft.selectors(ix, written)?;
        if !selectors.is_empty() {
            selection.selectors = selectors;
            selection.level = Some(match entry.kind {
                PlanKind::Pipeline => SelectorLevel::Pipeline,
                PlanKind::Stage(_) | PlanKind::StageRollback(_) => SelectorLevel::Stage,
                PlanKind::Group { .. } => SelectorLevel::StepGroup,
                _ => SelectorLevel::Step,
            });
            return Ok(selection);
        }
    }
    if let Some(facts) = infrastructure {
        return Ok(of_infrastructure(draft, ix, facts));
    }
    Ok(selection)
}

/// `includeInfraSelectors`: the infrastructure's selectors instead of the step's.
pub(super) fn of_infrastructure(draft: &Draft, ix: NodeIx, facts: &InfrastructureFacts) -> DelegateSelection {
    let (selectors, level) = if facts.selectors.is_empty() {
        (&facts.connector.selectors, SelectorLevel::Connector)
    } else {
        (&facts.selectors, SelectorLevel::Infrastructure)
    };
    DelegateSelection {
        selectors: selectors.clone(),
        level: (!selectors.is_empty()).then_some(level),
        connector: if facts.connector.inherits { facts.connector.selectors.clone() } else { Vec::new() },
        sticky: sticky(draft, ix),
    }
}

/// The worker that served this stage last.
fn sticky(draft: &Draft, ix: NodeIx) -> Option<String> {
    let stage = draft.stage_of(ix)?;
    let mut served = draft
        .run
        .nodes
        .iter()
        .rev()
        .filter(|(other, node)| node.worker.is_some() && *other != ix && draft.run.is_within(*other, stage));
    served.next().and_then(|(_, node)| node.worker.as_deref().map(str::to_owned))
}
