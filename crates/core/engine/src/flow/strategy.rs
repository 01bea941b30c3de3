//! Which failure strategy has its say (pipelines §5.3).

use crate::draft::Draft;
use crate::event::StrategyChoice;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use windlass_model::Failure;
use windlass_model::pipeline::{Action, FailureStrategy};

impl Draft {
    /// The strategy for a failure: of the node itself, then of the groups around it from the inside, then of its stage.
    pub(super) fn choose(&self, ix: NodeIx, failure: &Failure) -> StrategyChoice {
        let undoes = self.undoes(ix);
        for level in self.run.outwards(ix) {
            if let Some(strategy) = pick(&self.plan(level).failure_strategies, failure) {
                let id = self[level].id.clone();
                let why = format!("{} at {id}", matched(strategy, failure));
                return StrategyChoice { level: Some(id), action: strategy.action.clone(), why };
            }
            if undoes || matches!(self.plan(level).kind, PlanKind::Stage(_)) {
                break;
            }
        }
        let why = if undoes {
            "no strategy of the rollback step itself matches: the rollback stops"
        } else {
            "no failure strategy matches"
        };
        StrategyChoice { level: None, action: Action::MarkAsFailure, why: why.to_owned() }
    }
}

/// Within one level: the first that names a type of the failure, else the first for all errors.
pub(super) fn pick<'a>(strategies: &'a [FailureStrategy], failure: &Failure) -> Option<&'a FailureStrategy> {
    strategies
        .iter()
        .find(|strategy| strategy.errors.names(failure))
        .or_else(|| strategies.iter().find(|strategy| strategy.errors.all))
}

fn matched(strategy: &FailureStrategy, failure: &Failure) -> String {
    let named: Vec<_> = strategy.errors.types.iter().filter(|t| failure.types.contains(t)).map(|t| t.name()).collect();
    if named.is_empty() { "AllErrors".to_owned() } else { named.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::pick;
    use std::collections::BTreeSet;
    use windlass_model::pipeline::{Action, ErrorMatch, FailureStrategy};
    use windlass_model::{Failure, FailureType};

    fn strategy(all: bool, types: &[FailureType], action: Action) -> FailureStrategy {
        FailureStrategy { errors: ErrorMatch { all, types: types.iter().copied().collect::<BTreeSet<_>>() }, action }
    }

    #[test]
    fn all_errors_is_for_what_nobody_names() {
        let level = [
            strategy(true, &[], Action::StageRollback),
            strategy(false, &[FailureType::Timeout], Action::Abort),
            strategy(false, &[FailureType::Timeout, FailureType::Verification], Action::Ignore),
        ];
        let action = |types: &[FailureType]| {
            let mut failure = Failure::new(types[0], "x");
            for t in types {
                failure = failure.also(*t);
            }
            pick(&level, &failure).map(|s| s.action.clone())
        };
        assert_eq!(action(&[FailureType::Timeout]), Some(Action::Abort));
        assert_eq!(action(&[FailureType::Verification]), Some(Action::Ignore));
        assert_eq!(action(&[FailureType::Unknown, FailureType::Verification]), Some(Action::Ignore));
        assert_eq!(action(&[FailureType::Unknown]), Some(Action::StageRollback));
        assert_eq!(pick(&level[1..], &Failure::new(FailureType::Unknown, "x")), None);
    }
}
