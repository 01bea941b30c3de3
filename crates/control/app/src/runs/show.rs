//! Looking at runs.

use crate::{Answer, App, Failure};
use serde::Serialize;
use windlass_engine::Projection;
use windlass_model::{Json, RunId, Timestamp};
use windlass_store::runs::RunFilter;
use windlass_store::{Page, PageRequest};

/// One recorded fact, for people who want to know everything.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventRow {
    pub seq: u64,
    pub at: Timestamp,
    pub kind: String,
    pub body: Json,
}

impl App {
    /// Runs, the youngest first, as rows of JSON.
    pub async fn runs(&self, filter: &RunFilter, page: &PageRequest) -> Answer<Page<Json>> {
        let found = self.store().runs().list(filter, page).await?;
        Ok(found.map(|run| {
            let mut row: Json = serde_json::from_str(&run.body).unwrap_or(Json::Null);
            if let Some(row) = row.as_object_mut() {
                row.insert("createdAt".to_owned(), serde_json::json!(run.created_at));
            }
            row
        }))
    }

    /// A run with its tree.
    pub async fn run(&self, id: RunId) -> Answer<Projection> {
        let missing = || Failure::not_found(format!("there is no run {id}"));
        self.store().runs().get(id).await?.ok_or_else(missing)?;
        self.machine().look(id, windlass_engine::project).await?.ok_or_else(missing)
    }

    /// Facts after number `after`, in order.
    pub async fn run_events(&self, id: RunId, after: u64, limit: u32) -> Answer<Vec<EventRow>> {
        let rows = self.store().runs().events(id, after, limit).await?;
        rows.into_iter()
            .map(|row| {
                let body = serde_json::from_str(&row.body).map_err(Failure::internal)?;
                Ok(EventRow { seq: row.seq, at: row.at, kind: row.kind, body })
            })
            .collect()
    }
}
