//! Looking at runs.

use crate::access::{Authorized, Caller, Permission, StoredRun};
use crate::performers::resource_of;
use crate::{Answer, App, Failure};
use serde::Serialize;
use windlass_engine::Projection;
use windlass_model::{Json, RunId, Timestamp};
use windlass_store::runs::RunFilter;
use windlass_store::{Page, PageRequest, Scopes};

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
    pub async fn runs(&self, by: &Caller, filter: &RunFilter, page: &PageRequest) -> Answer<Page<Json>> {
        let found = self.store().runs().list(filter, page).await?;
        let mut seen = Vec::with_capacity(found.items.len());
        for run in found.items {
            if by.sees_pipeline(&run.scope, &run.pipeline).await? {
                seen.push(run);
            }
        }
        let (Scopes::At(scope) | Scopes::Within(scope) | Scopes::VisibleFrom(scope)) = &filter.scopes;
        let nothing = seen.is_empty() && found.next.is_none() && page.after.is_none();
        by.may_list(Permission::PipelineView, scope, nothing)?;
        let found = Page { items: seen, next: found.next };
        Ok(found.map(|run| {
            let mut row: Json = serde_json::from_str(&run.body).unwrap_or(Json::Null);
            if let Some(row) = row.as_object_mut() {
                row.insert("createdAt".to_owned(), serde_json::json!(run.created_at));
            }
            row
        }))
    }

    /// A run with its tree.
    pub async fn run(&self, run: &Authorized<StoredRun>) -> Answer<Projection> {
        let shown = self.machine().look(run.id, windlass_engine::project).await?;
        let mut projection = shown.ok_or_else(|| super::unknown(run.id))?;
        self.say_who_is_before(run.id, &mut projection).await?;
        Ok(projection)
    }

    /// To what waits for a resource: who has it, and how many come first.
    async fn say_who_is_before(&self, id: RunId, projection: &mut Projection) -> Answer<()> {
        if projection.run.ended_at.is_some() {
            return Ok(());
        }
        for claim in self.store().resources().of_run(id).await?.iter().filter(|claim| claim.granted_at.is_none()) {
            let Some((_, resource)) = resource_of(claim) else { continue };
            let queue = self.store().resources().queue(&claim.key).await?;
            let Some(holder) = queue.iter().find(|other| other.granted_at.is_some()) else { continue };
            let mut why = match holder.run.filter(|run| *run != id) {
                Some(run) => match self.store().runs().get(run).await? {
                    Some(row) => format!("{run} ({} #{}) has it", row.pipeline, row.sequence),
                    None => format!("{run} has it"),
                },
                None => "another stage of this run has it".to_owned(),
            };
            let before = queue.iter().take_while(|other| *other != claim).filter(|other| other.granted_at.is_none());
            match before.count() {
                0 => {}
                1 => why.push_str(", and one more waits before this"),
                several => why.push_str(&format!(", and {several} more wait before this")),
            }
            let told = format!("waits for {resource}");
            for node in projection.nodes.iter_mut().filter(|node| node.reason.as_ref() == Some(&told)) {
                node.reason = Some(format!("{told}: {why}"));
            }
        }
        Ok(())
    }

    /// Facts after number `after`, in order.
    pub async fn run_events(&self, run: &Authorized<StoredRun>, after: u64, limit: u32) -> Answer<Vec<EventRow>> {
        let rows = self.store().runs().events(run.id, after, limit).await?;
        rows.into_iter()
            .map(|row| {
                let body = serde_json::from_str(&row.body).map_err(Failure::internal)?;
                Ok(EventRow { seq: row.seq, at: row.at, kind: row.kind, body })
            })
            .collect()
    }
}
