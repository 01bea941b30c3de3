//! The audit trail (pipelines §9.3).

use crate::fresh;
use windlass_document::Kind;
use windlass_model::id::AuditId;
use windlass_model::{Json, Scope, Timestamp};
use windlass_store::audit::AuditRecord;

/// A record of what somebody did to a document.
pub(crate) fn record(
    now: Timestamp,
    scope: &Scope,
    by: &str,
    action: &str,
    kind: Kind,
    resource: &str,
    body: Json,
) -> AuditRecord {
    AuditRecord {
        id: AuditId::from_ulid(fresh::ulid(now)),
        at: now,
        scope: scope.clone(),
        principal: by.to_owned(),
        action: action.to_owned(),
        resource_kind: kind.words().root.to_uppercase(),
        resource: resource.to_owned(),
        body: body.to_string(),
    }
}

/// A record of something at account level that is no document.
pub(crate) fn event(
    now: Timestamp,
    by: &str,
    action: &str,
    resource_kind: &str,
    resource: &str,
    body: Json,
) -> AuditRecord {
    AuditRecord {
        id: AuditId::from_ulid(fresh::ulid(now)),
        at: now,
        scope: Scope::Account,
        principal: by.to_owned(),
        action: action.to_owned(),
        resource_kind: resource_kind.to_owned(),
        resource: resource.to_owned(),
        body: body.to_string(),
    }
}
