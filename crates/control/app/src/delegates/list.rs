use crate::access::{Caller, Permission, Resource};
use crate::{Answer, App};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_model::id::DelegateId;
use windlass_model::{Json, Scope, Timestamp};
use windlass_store::Scopes;

/// A delegate as lists show it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DelegateRow {
    pub id: DelegateId,
    pub name: String,
    pub scope: Scope,
    pub tags: Vec<String>,
    /// `connected`, `draining`, `suspect`, `lost`, `disconnected`.
    pub state: String,
    pub version: String,
    pub token: String,
    pub capacity: u32,
    pub running: usize,
    pub seen_at: Timestamp,
    pub load: Json,
}

impl Caller {
    pub(super) fn sees_delegates(&self, scope: &Scope) -> bool {
        self.may(Permission::DelegateView, &Resource::any(Permission::DelegateView.resource(), scope.clone()))
    }
}

impl App {
    /// Delegates of a scope and of those inside, as far as the caller may see delegates there.
    pub async fn delegates(&self, by: &Caller, scope: &Scope) -> Answer<Vec<DelegateRow>> {
        let now = self.clock().real().now();
        let mut rows = Vec::new();
        let found = self.store().delegates().list(&Scopes::Within(scope.clone())).await?;
        for delegate in found.into_iter().filter(|delegate| by.sees_delegates(&delegate.scope)) {
            let running = self.store().tasks().of_delegate(delegate.id).await?.len();
            let silence = now.since(delegate.seen_at);
            let state = match delegate.state.as_str() {
                "connected" if silence > self.parts().pace.lost() => "lost",
                "connected" if silence > self.parts().pace.suspect() => "suspect",
                state => state,
            };
            rows.push(DelegateRow {
                id: delegate.id,
                name: delegate.name.to_string(),
                scope: delegate.scope,
                tags: delegate.tags,
                state: state.to_owned(),
                version: delegate.version,
                token: delegate.token.to_string(),
                capacity: delegate.capacity,
                running,
                seen_at: delegate.seen_at,
                load: serde_json::from_str(&delegate.load).unwrap_or(Json::Null),
            });
        }
        by.may_list(Permission::DelegateView, scope, rows.is_empty())?;
        Ok(rows)
    }
}
