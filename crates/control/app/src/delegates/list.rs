use crate::{Answer, App};
use serde::Serialize;
use windlass_model::id::DelegateId;
use windlass_model::{Json, Scope, Timestamp};
use windlass_store::Scopes;

/// A delegate as lists show it.
#[derive(Clone, Debug, Serialize)]
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

impl App {
    pub async fn delegates(&self, scopes: &Scopes) -> Answer<Vec<DelegateRow>> {
        let now = self.clock().real().now();
        let mut rows = Vec::new();
        for delegate in self.store().delegates().list(scopes).await? {
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
        Ok(rows)
    }
}
