//! New runs from old ones: retry what failed, roll back what succeeded (pipelines §5.8).

use super::refused;
use super::start::{Started, scope_of};
use crate::access::{Authorized, Caller, StoredRun};
use crate::{Answer, App, Failure, Principal, fresh};
use std::sync::Arc;
use windlass_engine::{Mode, Run, Start};
use windlass_model::{Json, Millis, RunId, Status, Timestamp};
use windlass_store::idempotency::Answered;
use windlass_store::runs::RunFilter;
use windlass_store::{PageRequest, Scopes, Write};

/// A run can be retried this long after its start.
const RETRIABLE: Millis = Millis::from_mins(30 * 24 * 60);

/// The label of a run that retries another.
pub(super) const RETRY_OF: &str = "retryOf";
/// The label of a run that rolls another back.
pub(super) const ROLLBACK_OF: &str = "rollbackOf";

impl App {
    /// Starts again where a run failed: from the named stages, or from the first that did not go well. What had finished before is
    /// copied. Of a parallel block all stages run again, or only those that failed.
    pub async fn retry_run(
        &self,
        by: &Caller,
        run: &Authorized<StoredRun>,
        stages: &[String],
        failed_only: bool,
    ) -> Answer<Started> {
        let run = run.id;
        let stored = self.known_run(run).await?;
        if self.clock().now().since(stored.created_at) > RETRIABLE {
            return Err(Failure::invalid("RUN0010", format!("{run} is older than 30 days: start the pipeline anew")));
        }
        if let Some(later) = self.labelled(RETRY_OF, run).await? {
            return Err(Failure::conflict("RUN0010", format!("{run} was retried already, as {later}"))
                .hint(format!("retry the latest one: `windlass run retry {later}`")));
        }
        let (start, mode) = self
            .machine()
            .look(run, |previous| {
                let stages = if stages.is_empty() { first_failed(previous) } else { stages.to_vec() };
                let mode = windlass_engine::retry(previous, &stages, failed_only);
                (previous.start().map(Arc::clone), mode)
            })
            .await?;
        let mode = mode.map_err(|refusal| refused("RUN0010", refusal))?;
        let start = start.ok_or_else(|| Failure::not_found(format!("there is no run {run}")))?;
        let mut start = self.anew(by, &start, mode);
        self.permit_references(by, &start).await?;
        let warned = self.govern_start(&scope_of(&start), &start).await?;
        start.warnings.retain(|known| !warned.contains(known));
        start.warnings.extend(warned);
        self.begin_only_once(RETRY_OF, run, start).await
    }

    /// Undoes what a successful run deployed, by its own rollback steps. Once for a run, and only while it is the latest that
    /// deployed there. Policies on run are not asked: a way back must not be closed by a change window.
    pub async fn rollback_run(&self, by: &Principal, run: &Authorized<StoredRun>) -> Answer<Started> {
        let run = run.id;
        let (start, mode) = self
            .machine()
            .look(run, |previous| (previous.start().map(Arc::clone), windlass_engine::rollback(previous)))
            .await?;
        let mode = mode.map_err(|refusal| refused("RUN0011", refusal))?;
        let start = start.ok_or_else(|| Failure::not_found(format!("there is no run {run}")))?;
        if let Some(later) = self.labelled(ROLLBACK_OF, run).await? {
            return Err(Failure::conflict("RUN0011", format!("{run} was rolled back already, by {later}")));
        }
        self.still_the_latest(run, &start).await?;
        let start = self.anew(by, &start, mode);
        self.begin_only_once(ROLLBACK_OF, run, start).await
    }

    /// The same run again, as far as its document and its inputs go.
    fn anew(&self, by: &Principal, previous: &Start, mode: Mode) -> Start {
        Start {
            run: RunId::from_ulid(fresh::ulid(self.clock().real().now())),
            started_by: by.executor(),
            nonce: fresh::nonce(),
            mode,
            ..previous.clone()
        }
    }

    /// The run that has this label for another run.
    async fn labelled(&self, label: &str, of: RunId) -> Answer<Option<RunId>> {
        let filter = RunFilter { labels: vec![(label.to_owned(), of.to_string())], ..RunFilter::default() };
        let found = self.store().runs().list(&filter, &PageRequest::first(1)).await?;
        Ok(found.items.into_iter().next().map(|run| run.id))
    }

    /// Two people at the same moment: one run.
    async fn begin_only_once(&self, label: &'static str, of: RunId, start: Start) -> Answer<Started> {
        let at: Timestamp = self.clock().real().now();
        let claim = |started: &Started| {
            let mut write = Write::new();
            write.answered(&Answered {
                principal: format!("system:{label}"),
                key: of.to_string(),
                request: [0; 32],
                status: 201,
                answer: Json::String(started.run.to_string()).to_string(),
                at,
            });
            Ok(write)
        };
        self.begin(start, claim).await.map_err(|failure| {
            if failure.is_store_conflict() {
                Failure::conflict("RUN0010", format!("somebody else did this to {of} at the same moment"))
            } else {
                failure
            }
        })
    }

    async fn still_the_latest(&self, run: RunId, start: &Start) -> Answer<()> {
        for deployed in self.machine().deployments(run).await? {
            let labels = [
                ("service", &deployed.service),
                ("environment", &deployed.environment),
                ("infrastructure", &deployed.infrastructure),
            ];
            let filter = RunFilter {
                scopes: Scopes::At(scope_of(start)),
                labels: labels.map(|(label, value)| (label.to_owned(), value.clone())).into(),
                ..RunFilter::default()
            };
            let found = self.store().runs().list(&filter, &PageRequest::first(PageRequest::USUAL)).await?;
            // A later run that failed was rolled back by its own strategy, or is for a person to look at.
            let matters = |status: Status| status.is_good() || !status.is_terminal();
            if let Some(later) = found.items.iter().find(|later| later.id > run && matters(later.status)) {
                let text = format!(
                    "{run} is not the latest that deployed {} to {}: {} came after it",
                    deployed.service, deployed.infrastructure, later.id
                );
                return Err(
                    Failure::conflict("RUN0011", text).hint("roll the latest one back, or deploy the version you want")
                );
            }
        }
        Ok(())
    }
}

/// The stages that did not go well, by their identifiers: a retry starts at the first of them.
fn first_failed(run: &Run) -> Vec<String> {
    let stage = |id: &str| id.strip_prefix("pipeline.stages.").filter(|rest| !rest.contains('.')).map(str::to_owned);
    run.nodes().filter(|node| node.status.is_bad()).filter_map(|node| stage(node.id.as_str())).collect()
}
