use super::open;
use crate::draft::Draft;
use crate::effect::ApprovalOutcome;
use crate::event::ApprovalActed;
use crate::flow::End;
use crate::input::ApprovalAnswer;
use crate::node::Wait;
use crate::nodes::NodeIx;
use crate::refusal::Refusal;
use crate::steps::approval::{self, Ruling};
use windlass_model::approval::ApprovalActivity;
use windlass_model::{Failure, FailureType, Status};

pub(super) fn handle(draft: &mut Draft, answer: ApprovalAnswer) -> Result<(), Refusal> {
    let ix = open(draft, &answer.at)?;
    let Wait::Approval(open) = &draft[ix].wait else {
        return Err(Refusal::stale(&answer.at, "it does not wait for an approval"));
    };
    let open = open.clone();
    let Some(start) = draft.run.start.clone() else { return Err(Refusal::NotStarted) };
    let ruling = approval::judge(&open.spec, &open.activities, &start, &answer)?;
    let ApprovalAnswer { at, approver, action, comments, .. } = answer;
    let name = approver.name.clone();
    let inputs = match &ruling {
        Ruling::Approved { inputs } | Ruling::Counted { inputs } => inputs.clone(),
        Ruling::Rejected => Default::default(),
    };
    let activity = ApprovalActivity { user: approver, action, comments, inputs, approved_at: draft.now };
    draft.emit(ApprovalActed { node: at.node, attempt: at.attempt, activity });
    match ruling {
        Ruling::Counted { .. } => {}
        Ruling::Approved { .. } => {
            let output = approval::output(&draft[ix].activities);
            draft.close_approval(ix, ApprovalOutcome::Approved, format!("approved by {name}"));
            draft.finish_node(ix, End { output: Some(output.into()), ..End::with(Status::Success) });
        }
        Ruling::Rejected => reject(draft, ix, format!("rejected by {name}")),
    }
    Ok(())
}

pub(super) fn reject(draft: &mut Draft, ix: NodeIx, why: String) {
    let output = approval::output(&draft[ix].activities);
    draft.close_approval(ix, ApprovalOutcome::Rejected, why.clone());
    let failure = Failure::new(FailureType::ApprovalRejection, why);
    draft.fail_with(ix, Status::ApprovalRejected, failure.into(), Some(output.into()));
}

/// The deadline of an automatic approval came.
pub(super) fn automatically(draft: &mut Draft, ix: NodeIx) {
    let Wait::Approval(open) = &draft[ix].wait else { return };
    let comments = open.spec.auto_approve.as_ref().map(|auto| auto.comments.clone()).unwrap_or_default();
    let output = approval::automatic_output(&draft[ix].activities, &comments, draft.now);
    draft.close_approval(ix, ApprovalOutcome::Approved, "approved automatically at the scheduled time".into());
    let end = End { output: Some(output.into()), ..End::with(Status::Success) };
    draft.finish_node(ix, end.because("approved automatically at the scheduled time"));
}
