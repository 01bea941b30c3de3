//! Refusals in the audit trail: the same one once a minute, so that nobody fills the trail by asking again and again.

use crate::{App, Principal, audit};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use windlass_access::{Permission, Refusal, Resource};
use windlass_model::{Millis, Timestamp};
use windlass_store::Write;

const AGAIN: Millis = Millis::from_mins(1);

/// More than these are not remembered: the oldest go first.
const REMEMBERED: usize = 4_096;

/// What was refused lately.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<HashMap<(String, Permission, String), Timestamp>>);

impl Refusals {
    /// Whether this one is worth a record.
    fn is_new(&self, who: &str, permission: Permission, resource: &str, now: Timestamp) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.retain(|_, at| now.since(*at) < AGAIN);
        }
        if known.len() >= REMEMBERED {
            return false;
        }
        let before = known.insert((who.to_owned(), permission, resource.to_owned()), now);
        before.is_none_or(|at| now.since(at) >= AGAIN)
    }
}

impl App {
    /// Keeps a refusal. One that cannot be kept is in the log: the answer stays the refusal.
    pub(super) async fn note_refusal(
        &self,
        by: &Principal,
        permission: Permission,
        resource: &Resource,
        refusal: &Refusal,
    ) {
        let now = self.clock().now();
        if !self.refusals().is_new(&by.id, permission, &resource.to_string(), self.clock().real().now()) {
            return;
        }
        let body = serde_json::json!({
            "result": "denied",
            "permission": permission.name(),
            "why": refusal.to_string(),
        });
        let id = resource.id.as_ref().map(ToString::to_string).unwrap_or_default();
        let mut write = Write::new();
        write.audit(&audit::entry(now, &resource.scope, &by.id, "DENIED", resource.kind.name(), &id, body));
        if let Err(error) = self.store().write(write).await {
            tracing::warn!(%error, principal = %by.id, %permission, "a refusal could not be kept in the audit trail");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Refusals;
    use windlass_access::Permission;
    use windlass_model::Timestamp;

    #[test]
    fn the_same_refusal_is_kept_once_a_minute() {
        let refusals = Refusals::default();
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000);
        let ask = |who: &str, now| refusals.is_new(who, Permission::PipelineView, "PIPELINE x", at(now));
        assert!(ask("user:ada", 0) && !ask("user:ada", 30) && ask("user:grace", 30) && ask("user:ada", 120));
    }
}
