//! Names that follow from a run and a node attempt: whoever performs an effect twice makes one thing.

use crate::fresh::derived;
use windlass_engine::{NodeAttempt, ResourceId, ResourceKind};
use windlass_model::id::ApprovalId;
use windlass_model::{RunId, TaskId, Timestamp};

fn started(run: RunId) -> Timestamp {
    Timestamp::from_millis(i64::try_from(run.ulid().timestamp_ms()).unwrap_or_default())
}

/// The task of a node attempt.
pub(crate) fn task_id(run: RunId, at: &NodeAttempt) -> TaskId {
    TaskId::from_ulid(derived(started(run), &["task", &run.to_string(), &at.to_string()]))
}

/// The question of a node attempt.
pub(crate) fn approval_id(run: RunId, at: &NodeAttempt) -> ApprovalId {
    ApprovalId::from_ulid(derived(started(run), &["approval", &run.to_string(), &at.to_string()]))
}

/// Key and holder of a resource, as the store knows them.
pub(crate) fn holder_of(run: RunId, resource: &ResourceId) -> (String, String) {
    let kind = match resource.kind {
        ResourceKind::Infrastructure => "infrastructure",
        ResourceKind::Queue => "queue",
    };
    (format!("{kind}/{}", resource.key), format!("{run}/{}", resource.holder))
}
