use crate::draft::Draft;
use crate::event::{Interrupted, StrategyChoice};
use crate::flow::End;
use crate::id::{NodeAttempt, NodeId};
use crate::input::{Choice, Interrupt, InterruptKind};
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::plan::PlanKind;
use crate::refusal::Refusal;
use std::sync::Arc;
use windlass_model::pipeline::Action;
use windlass_model::{Failure, FailureType, Status};

pub(super) fn handle(draft: &mut Draft, interrupt: Interrupt) -> Result<(), Refusal> {
    let by = interrupt.by.clone();
    match interrupt.kind.clone() {
        InterruptKind::AbortAll => {
            note(draft, interrupt);
            draft.end_everything(Status::Aborted, &format!("aborted by {by}"), None);
        }
        InterruptKind::AbortStage { node } => {
            let ix = active(draft, &node)?;
            if !matches!(draft.plan(ix).kind, PlanKind::Stage(_) | PlanKind::StageRollback(_)) {
                return Err(Refusal::not_possible(format!("`{node}` is not a stage")));
            }
            let why = format!("stage {} aborted by {by}", draft.plan(ix).identifier);
            note(draft, interrupt);
            draft.end_everything(Status::Aborted, &why, None);
        }
        InterruptKind::UserMarkedFailure { node } => mark_as_failed(draft, &node, interrupt)?,
        InterruptKind::MarkAsSuccess { node } => {
            let ix = active(draft, &node)?;
            if !matches!(draft[ix].wait, Wait::Time { .. }) {
                return Err(Refusal::not_possible(format!("`{node}` is not a Wait step that waits")));
            }
            note(draft, interrupt);
            draft.finish_node(ix, End::with(Status::Success).because(format!("marked as success by {by}")));
        }
        InterruptKind::StartStage { node } => {
            let ix = active(draft, &node)?;
            if !matches!(draft[ix].wait, Wait::Start { .. }) {
                return Err(Refusal::not_possible(format!("`{node}` does not wait to be started")));
            }
            note(draft, interrupt);
            draft.clear_timer(ix, crate::id::Purpose::Wait);
            draft.enter_stage(ix);
        }
        InterruptKind::SupersedeApproval { at, why } => {
            let ix = super::open(draft, &at)?;
            if !matches!(draft[ix].wait, Wait::Approval(_)) {
                return Err(Refusal::stale(&at, "it does not wait for an approval"));
            }
            note(draft, interrupt);
            super::approval::reject(draft, ix, why);
        }
        InterruptKind::Pause => {
            if draft.run.paused {
                return Err(Refusal::not_possible("the run is paused already"));
            }
            note(draft, interrupt);
        }
        InterruptKind::Resume => {
            if !draft.run.paused {
                return Err(Refusal::not_possible("the run is not paused"));
            }
            note(draft, interrupt);
            resume(draft);
        }
        InterruptKind::Intervene { at, choice } => intervene(draft, &at, choice, interrupt)?,
    }
    Ok(())
}

fn note(draft: &mut Draft, interrupt: Interrupt) {
    let at = draft.now;
    draft.emit(Interrupted { interrupt, at });
}

fn active(draft: &Draft, node: &NodeId) -> Result<NodeIx, Refusal> {
    let ix = draft.run.find(node).ok_or_else(|| Refusal::NoSuchNode { node: node.to_string() })?;
    if draft[ix].is_active() {
        Ok(ix)
    } else {
        Err(Refusal::stale(&draft[ix].at(), format!("it has ended: {}", draft[ix].status)))
    }
}

fn mark_as_failed(draft: &mut Draft, node: &NodeId, interrupt: Interrupt) -> Result<(), Refusal> {
    if !draft.run.settings().allow_user_marked_failure {
        return Err(Refusal::NotAllowed { why: "marking running steps as failed is switched off".into() });
    }
    let ix = active(draft, node)?;
    if draft[ix].container.is_some() {
        return Err(Refusal::not_possible(format!("`{node}` is not a step: mark a running step as failed")));
    }
    if matches!(draft[ix].wait, Wait::Cancel { .. } | Wait::Retry { .. } | Wait::Intervention { .. }) {
        return Err(Refusal::not_possible(format!("`{node}` has failed or is being stopped already")));
    }
    let why = format!("marked as failed by {}", interrupt.by);
    let failure = Arc::new(Failure::new(FailureType::UserMarkedFailure, why.clone()));
    note(draft, interrupt);
    if draft[ix].wait == Wait::Task {
        draft.cancel_task(ix, Status::Failed, Some(failure), &why);
    } else {
        draft.fail(ix, Status::Failed, failure);
    }
    Ok(())
}

/// Goes on where the pause had stopped: the next nodes, and retries whose time came meanwhile.
fn resume(draft: &mut Draft) {
    let open: Vec<NodeIx> = draft.run.nodes.iter().filter(|(_, n)| n.is_active()).map(|(ix, _)| ix).collect();
    for ix in open {
        draft.agenda.push_back(ix);
    }
}

fn intervene(draft: &mut Draft, at: &NodeAttempt, choice: Choice, interrupt: Interrupt) -> Result<(), Refusal> {
    let ix = super::open(draft, at)?;
    if !matches!(draft[ix].wait, Wait::Intervention { .. }) {
        return Err(Refusal::not_possible(format!("{at} does not wait for a decision")));
    }
    let why = format!("chosen by {}", interrupt.by);
    note(draft, interrupt);
    let action = match choice {
        Choice::MarkAsSuccess => Action::MarkAsSuccess,
        Choice::Ignore => Action::Ignore,
        Choice::Abort => Action::Abort,
        Choice::StageRollback => Action::StageRollback,
        Choice::MarkAsFailure => Action::MarkAsFailure,
        Choice::PipelineRollback => Action::PipelineRollback,
        Choice::Retry => {
            // A person's retry applies the strategies from scratch (pipelines §5.4).
            draft.restart(ix, 0);
            return Ok(());
        }
    };
    let level = Some(draft[ix].id.clone());
    draft.instead(ix, StrategyChoice { level, action, why });
    Ok(())
}
