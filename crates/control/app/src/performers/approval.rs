use crate::runs::approval_id;
use crate::{Answer, App};
use windlass_engine::{ApprovalOutcome, NodeAttempt};
use windlass_model::RunId;
use windlass_store::Write;

/// Nobody can answer any more.
pub(super) async fn close(
    app: &App,
    run: RunId,
    at: &NodeAttempt,
    outcome: ApprovalOutcome,
    _why: &str,
    mut done: Write,
) -> Answer<()> {
    if let Some(mut approval) = app.store().approvals().get(approval_id(run, at)).await?
        && approval.ended_at.is_none()
    {
        approval.state = match outcome {
            ApprovalOutcome::Approved => "approved",
            ApprovalOutcome::Rejected => "rejected",
            ApprovalOutcome::Expired => "expired",
            ApprovalOutcome::Withdrawn => "withdrawn",
        }
        .to_owned();
        approval.ended_at = Some(app.clock().now());
        if outcome == ApprovalOutcome::Approved {
            crate::approvals::supersede(app, &approval).await?;
        }
        done.update_approval(&approval);
    }
    app.store().write(done).await?;
    Ok(())
}
