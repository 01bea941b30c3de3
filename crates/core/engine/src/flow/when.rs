//! Whether a node runs (pipelines §4.4).

use crate::draft::Draft;
use crate::node::NodeRunInfo;
use crate::nodes::NodeIx;
use crate::plan::{PlanIx, PlanKind, Section};
use crate::run::Run;
use std::sync::Arc;
use windlass_model::pipeline::RunWhen;
use windlass_model::{Failure, Status};

/// What `when` comes to.
pub(super) enum Verdict {
    Runs(Option<Arc<NodeRunInfo>>),
    Skipped { info: Arc<NodeRunInfo>, reason: String },
    Fails(Arc<NodeRunInfo>, Failure),
}

/// What the nodes that ended before make of the status part.
#[derive(Clone, Copy, Debug, Default)]
struct Earlier {
    failed: bool,
    /// A failure that was ignored counts for both sides.
    ignored: bool,
    rolled_back: bool,
}

impl Draft {
    pub(super) fn evaluate_when(&mut self, plan: PlanIx, parent: NodeIx) -> Verdict {
        let entry = self.run.plan.get(plan);
        let is_stage = matches!(entry.kind, PlanKind::Stage(_));
        if matches!(entry.kind, PlanKind::StageRollback(_)) {
            return Verdict::Runs(None);
        }
        let undoes = entry.section == Section::Rollback || self.undoes(parent);
        let Some(when) = entry.when.clone() else {
            // Rollback steps run by default: their stage has failed already.
            if undoes || self.run.status_part(RunWhen::Success, is_stage, parent) {
                return Verdict::Runs(None);
            }
            let info = info(RunWhen::Success, is_stage, None, false);
            let reason = reason(RunWhen::Success, is_stage);
            return Verdict::Skipped { info: info.into(), reason };
        };
        if !self.run.status_part(when.status, is_stage, parent) {
            let info = info(when.status, is_stage, when.condition.as_deref(), false);
            return Verdict::Skipped { info: info.into(), reason: reason(when.status, is_stage) };
        }
        let Some(condition) = when.condition.as_deref() else {
            return Verdict::Runs(Some(info(when.status, is_stage, None, true).into()));
        };
        match self.condition_seen(plan, parent, condition) {
            Ok((value, seen)) => {
                let mut info = info(when.status, is_stage, Some(condition), value);
                info.expressions = seen;
                if value {
                    Verdict::Runs(Some(info.into()))
                } else {
                    Verdict::Skipped { info: info.into(), reason: format!("its condition is false: {condition}") }
                }
            }
            Err(failure) => Verdict::Fails(info(when.status, is_stage, Some(condition), false).into(), failure),
        }
    }
}

impl Run {
    /// Whether the nodes that have ended allow a node below `parent` to run.
    pub(crate) fn status_part(&self, wanted: RunWhen, is_stage: bool, parent: NodeIx) -> bool {
        if wanted == RunWhen::All {
            return true;
        }
        let mut earlier = Earlier::default();
        // A stage looks at the stages before it, a step at all steps of its stage that have ended.
        let stage = |ix: &NodeIx| matches!(self.plan_of(*ix).kind, PlanKind::Stage(_));
        let root = if is_stage { parent } else { self.outwards(parent).find(stage).unwrap_or(parent) };
        self.look_below(root, &mut earlier);
        match wanted {
            RunWhen::All => true,
            RunWhen::Success => !earlier.failed,
            RunWhen::Failure if earlier.ignored => true,
            RunWhen::Failure => {
                let silenced = is_stage && earlier.rolled_back && !self.settings().run_failure_stages_after_rollback;
                earlier.failed && !silenced
            }
        }
    }

    fn look_below(&self, ix: NodeIx, earlier: &mut Earlier) {
        for child in &self.nodes[ix].children {
            let node = &self.nodes[*child];
            earlier.rolled_back |= node.container.as_ref().is_some_and(|c| c.rollback.is_some());
            match node.status {
                Status::IgnoreFailed => earlier.ignored = true,
                status if status.is_terminal() && status.is_bad() => earlier.failed = true,
                // Good as a whole, whatever was inside; ignored failures inside still count for `Failure`.
                status if status.is_terminal() => {
                    let mut inside = Earlier::default();
                    self.look_below(*child, &mut inside);
                    earlier.ignored |= inside.ignored;
                }
                _ => self.look_below(*child, earlier),
            }
        }
    }
}

fn word(status: RunWhen, is_stage: bool) -> &'static str {
    match (status, is_stage) {
        (RunWhen::Success, true) => "OnPipelineSuccess",
        (RunWhen::Failure, true) => "OnPipelineFailure",
        (RunWhen::Success, false) => "OnStageSuccess",
        (RunWhen::Failure, false) => "OnStageFailure",
        (RunWhen::All, _) => "Always",
    }
}

fn reason(status: RunWhen, is_stage: bool) -> String {
    let earlier = if is_stage { "an earlier stage" } else { "an earlier step of the stage" };
    match status {
        RunWhen::Success => format!("{earlier} failed"),
        RunWhen::Failure if is_stage => "no earlier stage failed, or the one that failed was rolled back".to_owned(),
        RunWhen::Failure | RunWhen::All => format!("{earlier} would have to fail"),
    }
}

fn info(status: RunWhen, is_stage: bool, condition: Option<&str>, value: bool) -> NodeRunInfo {
    let status = word(status, is_stage);
    let when_condition = match condition {
        None => format!("<+{status}>"),
        Some(condition) => format!("<+{status}> && ({condition})"),
    };
    NodeRunInfo { when_condition, evaluated_condition: value, expressions: Vec::new() }
}
