//! Which sets are asked (pipelines §8.1).

use crate::kind::{Action, PolicyType};
use crate::set::PolicySet;
use windlass_model::Scope;

/// The enabled sets for an entity of `scope`: those of the account first, then of the organization, then of the project, each
/// by identifier.
pub fn select<'a>(
    sets: impl IntoIterator<Item = (&'a Scope, &'a PolicySet)>,
    kind: PolicyType,
    action: Action,
    scope: &Scope,
) -> Vec<(&'a Scope, &'a PolicySet)> {
    let mut chosen: Vec<_> = sets
        .into_iter()
        .filter(|(at, set)| set.enabled && set.kind == kind && set.action == action && at.contains(scope))
        .collect();
    chosen.sort_by(|a, b| a.0.cmp(b.0).then_with(|| a.1.identifier.cmp(&b.1.identifier)));
    chosen
}
