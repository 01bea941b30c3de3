//! Looking at runs.

use crate::access::{Authorized, Caller, Permission, StoredRun};
use crate::performers::resource_of;
use crate::{Answer, App, Failure};
use schemars::JsonSchema;
use serde::Serialize;
use windlass_engine::{NodeAttempt, NodeRow, Projection, RunRow};
use windlass_model::task::Note;
use windlass_model::{Json, RunId, Timestamp};
use windlass_store::resources::ResourceClaim;
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

/// A run in a list, as it was written with its last decision.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedRun {
    #[serde(flatten)]
    #[schemars(with = "RunRow")]
    pub run: Json,
    pub created_at: Timestamp,
}

impl App {
    /// Runs, the youngest first.
    pub async fn runs(&self, by: &Caller, filter: &RunFilter, page: &PageRequest) -> Answer<Page<ListedRun>> {
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
        Ok(found.map(|run| ListedRun {
            run: serde_json::from_str(&run.body).unwrap_or(Json::Null),
            created_at: run.created_at,
        }))
    }

    /// A run with its tree.
    pub async fn run(&self, run: &Authorized<StoredRun>) -> Answer<Projection> {
        let shown = self.machine().look(run.id, windlass_engine::project).await?;
        let mut projection = shown.ok_or_else(|| super::unknown(run.id))?;
        self.say_who_is_before(run.id, &mut projection).await?;
        self.say_how_far_workers_are(run.id, &mut projection).await?;
        Ok(projection)
    }

    /// To what a worker does right now: what it said last.
    async fn say_how_far_workers_are(&self, id: RunId, projection: &mut Projection) -> Answer<()> {
        if projection.run.ended_at.is_some() {
            return Ok(());
        }
        for row in self.store().tasks().notes(id).await? {
            let Ok(note) = serde_json::from_str::<Note>(&row.note) else { continue };
            let is_its = |node: &&mut NodeRow| {
                NodeAttempt { node: node.node.clone(), attempt: node.attempt }.to_string() == row.node
            };
            if let Some(node) = projection.nodes.iter_mut().find(is_its) {
                node.measure = node.measure.or(note.measure);
                node.note = Some(note.text);
            }
        }
        Ok(())
    }

    /// To what waits for a resource: who has it right now, and how many come first.
    async fn say_who_is_before(&self, id: RunId, projection: &mut Projection) -> Answer<()> {
        if projection.run.ended_at.is_some() {
            return Ok(());
        }
        for claim in self.store().resources().of_run(id).await?.iter().filter(|claim| claim.granted_at.is_none()) {
            let Some((_, resource)) = resource_of(claim) else { continue };
            let Some(why) = self.who_is_before(claim).await? else { continue };
            let told = format!("waits for {resource}");
            let waits = |reason: &str| reason.strip_prefix(&told).is_some_and(|r| r.is_empty() || r.starts_with(": "));
            for node in projection.nodes.iter_mut().filter(|node| node.reason.as_deref().is_some_and(waits)) {
                node.reason = Some(format!("{told}: {why}"));
            }
        }
        Ok(())
    }

    /// Who has what a claim waits for, and how many come before it. Nothing when nobody has it any more.
    pub(crate) async fn who_is_before(&self, claim: &ResourceClaim) -> Answer<Option<String>> {
        let queue = self.store().resources().queue(&claim.key).await?;
        let Some(holder) = queue.iter().find(|other| other.granted_at.is_some()) else { return Ok(None) };
        if holder.holder == claim.holder {
            return Ok(None);
        }
        let mut why = match holder.run.filter(|run| Some(*run) != claim.run) {
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
        Ok(Some(why))
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
