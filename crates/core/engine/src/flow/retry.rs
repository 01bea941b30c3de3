//! Another attempt, by strategy or by a person's decision (pipelines §5.4 Retry, RetryStepGroup, ManualIntervention).

use crate::draft::Draft;
use crate::event::{Ending, InterventionRequested, RetryScheduled, StrategyChoice};
use crate::flow::strategy::pick;
use crate::id::Purpose;
use crate::nodes::NodeIx;
use crate::plan::{PlanKind, Section};
use std::sync::Arc;
use windlass_model::pipeline::{Action, Field};
use windlass_model::{Failure, FailureType, Millis, Status, Timestamp};

impl Draft {
    pub(super) fn retry(
        &mut self,
        ix: NodeIx,
        choice: &StrategyChoice,
        count: &Field<u32>,
        intervals: &[Field<Millis>],
        condition: Option<&str>,
        on_exhausted: &Action,
    ) {
        let used = self[ix].retries;
        let instead = |why: String| StrategyChoice { level: choice.level.clone(), action: on_exhausted.clone(), why };
        let of = match self.whole(ix, count, "retryCount") {
            Ok(of) => of,
            Err(failure) => return self.instead(ix, instead(failure.message)),
        };
        if used >= of {
            return self.instead(ix, instead(format!("all {of} retries are used up")));
        }
        match condition.map(|condition| self.condition(ix, condition)) {
            None | Some(Ok(true)) => {}
            Some(Ok(false)) => return self.instead(ix, instead("the condition of the retry is false".into())),
            Some(Err(failure)) => return self.instead(ix, instead(failure.message)),
        }
        let until = match self.retry_time(ix, intervals, used) {
            Ok(until) => until,
            Err(failure) => return self.instead(ix, instead(failure.message)),
        };
        let node = &self[ix];
        let (node, attempt) = (node.id.clone(), node.attempt);
        self.emit(RetryScheduled { node, attempt, until, number: used + 1, of });
        self.wait_for_retry(ix, until);
    }

    /// When the next attempt starts: the last interval repeats, and without any it starts at once.
    fn retry_time(&mut self, ix: NodeIx, intervals: &[Field<Millis>], used: u32) -> Result<Timestamp, Failure> {
        let at = usize::try_from(used).unwrap_or(usize::MAX).min(intervals.len().saturating_sub(1));
        match intervals.get(at) {
            None => Ok(self.now),
            Some(interval) => Ok(self.now + self.duration(ix, interval, "retryIntervals")?),
        }
    }

    pub(super) fn retry_group(
        &mut self,
        ix: NodeIx,
        choice: &StrategyChoice,
        count: &Field<u32>,
        intervals: &[Field<Millis>],
    ) {
        let status = self[ix].failed_as.unwrap_or(Status::Failed);
        let Some(group) = self.group_for(ix, choice) else {
            return self.close(ix, status);
        };
        let used = self[group].retries;
        let plan = self.whole(ix, count, "retryCount").and_then(|of| Ok((of, self.retry_time(ix, intervals, used)?)));
        match plan {
            Ok((of, until)) if used < of => {
                self.close_below(ix, Some(group), status);
                let why = format!("starts again from its first step, retry {} of {of}", used + 1);
                self.end_below(group, Ending::Retry { until, retries: used + 1, of }, &why);
            }
            Ok((of, _)) => {
                let mut next = self.choose_above(group, ix);
                next.why = format!("all {of} retries of the group are used up; {}", next.why);
                self.instead(ix, next);
            }
            Err(failure) => {
                let level = choice.level.clone();
                self.instead(ix, StrategyChoice { level, action: Action::MarkAsFailure, why: failure.message });
            }
        }
    }

    /// What the levels around a group say about a failure in it.
    fn choose_above(&self, group: NodeIx, ix: NodeIx) -> StrategyChoice {
        let failure = self[ix].failure.clone();
        let next = self[group].parent.zip(failure).map(|(above, failure)| self.choose(above, &failure));
        let nothing =
            || StrategyChoice { level: None, action: Action::MarkAsFailure, why: "nothing else applies".into() };
        let next = next.unwrap_or_else(nothing);
        // Written where there is no group to start again, it would mean one whose retries are used up already: only a
        // group around this one is another chance.
        let around = self.group_for(ix, &next).is_some_and(|other| other != group && self.run.is_within(group, other));
        if matches!(next.action, Action::RetryStepGroup { .. }) && !around { nothing() } else { next }
    }

    /// A group that failed as a whole may start again by its own strategy, whatever its steps' strategies said
    /// (pipelines §5.3 rule 3).
    pub(super) fn retry_group_instead(&mut self, ix: NodeIx, status: Status) -> bool {
        let bad = matches!(status, Status::Failed | Status::Expired | Status::ApprovalRejected);
        let node = &self[ix];
        let forward = node.container.as_ref().is_some_and(|c| c.section == Section::Forward && c.ending.is_none());
        if !bad || !forward || !matches!(self.plan(ix).kind, PlanKind::Group { .. }) || self.undoes(ix) {
            return false;
        }
        let failure = self.first_failed(ix).and_then(|step| self[step].failure.clone());
        let failure =
            failure.unwrap_or_else(|| Failure::new(FailureType::Unknown, "a step of the group failed").into());
        let Some(strategy) = pick(&self.plan(ix).failure_strategies, &failure) else { return false };
        let Action::RetryStepGroup { count, .. } = &strategy.action else { return false };
        let (action, count, used) = (strategy.action.clone(), count.clone(), self[ix].retries);
        if self.whole(ix, &count, "retryCount").is_ok_and(|of| used < of) {
            let level = Some(self[ix].id.clone());
            let choice = StrategyChoice { level, action, why: "the group failed".into() };
            self.handle(ix, status, failure, None, choice);
            return true;
        }
        false
    }

    /// The first step below a node that failed by itself and was not forgiven.
    pub(super) fn first_failed(&self, ix: NodeIx) -> Option<NodeIx> {
        let forgiven = |status: Status| !status.is_bad() || status == Status::IgnoreFailed;
        self[ix].children.iter().filter(|child| !forgiven(self[**child].status)).find_map(|child| {
            let deeper = self.first_failed(*child);
            deeper.or_else(|| self[*child].failure.is_some().then_some(*child))
        })
    }

    /// Has a person decide about a failure, whatever the strategies say; these decide when nobody does.
    pub(crate) fn ask_about(&mut self, ix: NodeIx, failure: Arc<Failure>) {
        self.clear_timers(ix);
        let otherwise = self.choose(ix, &failure);
        let timeout = Field::Fixed(self.run.settings().approval_timeout);
        let action = Action::ManualIntervention { timeout, on_timeout: Box::new(otherwise.action) };
        let why = "the verdict is inconclusive: a person decides".to_owned();
        self.handle(ix, Status::Failed, failure, None, StrategyChoice { level: otherwise.level, action, why });
    }

    pub(super) fn intervention(
        &mut self,
        ix: NodeIx,
        choice: &StrategyChoice,
        timeout: &Field<Millis>,
        on_timeout: &Action,
    ) {
        match self.duration(ix, timeout, "the timeout of the manual intervention") {
            Ok(length) => {
                let until = self.now + length;
                let node = &self[ix];
                let (node, attempt) = (node.id.clone(), node.attempt);
                self.emit(InterventionRequested { node, attempt, until, on_timeout: on_timeout.clone(), at: self.now });
                self.set_timer(ix, Purpose::Intervention, until);
            }
            Err(failure) => {
                let (level, action) = (choice.level.clone(), on_timeout.clone());
                self.instead(ix, StrategyChoice { level, action, why: failure.message });
            }
        }
    }
}
