//! What of a run belongs into the audit trail (pipelines §9.3).

use crate::audit::origin::stamped;
use crate::fresh;
use windlass_engine::{Event, Run};
use windlass_model::id::AuditId;
use windlass_model::{Identifier, Json, Scope, Timestamp};
use windlass_store::audit::AuditRecord;

pub(super) fn of(run: &Run, event: &Event, now: Timestamp) -> Option<AuditRecord> {
    let start = run.start()?;
    let pipeline = &start.pipeline;
    let scope = Scope::of(Identifier::parse(&pipeline.org).ok(), Identifier::parse(&pipeline.project).ok())?;
    let executor = start.started_by.principal.clone();
    let (principal, action, resource, body): (String, &str, String, Json) = match event {
        Event::RunStarted(_) => (
            executor,
            "START",
            run.id().to_string(),
            serde_json::json!({
                "pipeline": pipeline.identifier,
                "sequence": start.sequence,
                "inputs": start.inputs,
                "trigger": start.trigger.identifier,
                "triggerType": start.trigger.kind.name(),
            }),
        ),
        Event::RunFinished(finished) => (
            "system:engine".to_owned(),
            "END",
            run.id().to_string(),
            serde_json::json!({ "pipeline": pipeline.identifier, "status": finished.status }),
        ),
        Event::ApprovalActed(acted) => (
            acted.activity.user.principal.clone(),
            if acted.activity.action == windlass_model::ApprovalAction::Approve { "APPROVE" } else { "REJECT" },
            format!("{}/{}", run.id(), acted.node),
            serde_json::json!({ "pipeline": pipeline.identifier, "activity": acted.activity }),
        ),
        Event::Interrupted(interrupted) => (
            interrupted.interrupt.by.clone(),
            "INTERRUPT",
            run.id().to_string(),
            serde_json::json!({ "pipeline": pipeline.identifier, "interrupt": interrupted.interrupt.kind }),
        ),
        Event::PolicyAnswered(answered) => (
            "system:policy".to_owned(),
            "EVALUATE",
            format!("{}/{}", run.id(), answered.node),
            serde_json::json!({ "pipeline": pipeline.identifier, "verdict": answered.verdict }),
        ),
        Event::RollbackStarted(rollback) => (
            "system:engine".to_owned(),
            "ROLLBACK",
            format!("{}/{}", run.id(), rollback.node),
            serde_json::json!({ "pipeline": pipeline.identifier }),
        ),
        _ => return None,
    };
    Some(AuditRecord {
        id: AuditId::from_ulid(fresh::ulid(now)),
        at: now,
        scope,
        principal: principal.clone(),
        action: action.to_owned(),
        resource_kind: "RUN".to_owned(),
        resource,
        body: stamped(&principal, body).to_string(),
    })
}
