//! The audit trail (pipelines §9.3): who did what, when, from where, and what came of it.

mod list;
pub mod origin;
mod seal;

pub use list::{AuditQuery, AuditRow, Verified};
pub use origin::Origin;

pub(crate) use seal::seal;

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
    entry(now, scope, by, action, &kind.words().root.to_uppercase(), resource, body)
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
    entry(now, &Scope::Account, by, action, resource_kind, resource, body)
}

/// A record of anything.
pub(crate) fn entry(
    now: Timestamp,
    scope: &Scope,
    by: &str,
    action: &str,
    resource_kind: &str,
    resource: &str,
    body: Json,
) -> AuditRecord {
    AuditRecord {
        id: AuditId::from_ulid(fresh::ulid(now)),
        at: now,
        scope: scope.clone(),
        principal: by.to_owned(),
        action: action.to_owned(),
        resource_kind: resource_kind.to_owned(),
        resource: resource.to_owned(),
        body: origin::stamped(by, body).to_string(),
    }
}
