use super::{Phase, Session};
use crate::release::{History, Meta, PrimaryService, Pruned, Record, Resource, Shift, Status, Strategy, Track};
use crate::stop::Step;
use std::collections::BTreeMap;
use windlass_manifest::Object;

/// What a new record tells, besides who wrote it.
#[derive(Debug)]
pub(crate) struct New {
    pub number: u64,
    pub strategy: Strategy,
    pub track: Option<Track>,
    pub objects: Vec<Object>,
    pub resources: Vec<Resource>,
    pub manifest_hash: String,
    pub commit: Option<String>,
    pub commits: BTreeMap<String, String>,
    pub previous_successful: Option<u64>,
    pub pruned: Vec<Pruned>,
    pub undid: Option<u64>,
    pub restored: Option<u64>,
    pub services: Option<PrimaryService>,
    pub shift: Option<Shift>,
}

impl Session<'_> {
    /// The records of the release. Records that nobody works on any more are marked as failed: the lock is ours.
    pub(crate) async fn history(&self) -> Step<History> {
        let history = self.records.history().await?;
        let orphans = history.orphans(&self.task_id());
        if orphans.is_empty() {
            return Ok(history);
        }
        for meta in history.iter().filter(|meta| orphans.contains(&meta.number)) {
            self.log().warn(format!(
                "release {} of run {} was never finished: it counts as failed",
                meta.number, meta.execution
            ));
            let reason = Some("its worker was lost".to_owned());
            self.records.set_status(&Meta { reason, ..meta.clone() }, Status::Failed).await?;
        }
        Ok(self.records.history().await?)
    }

    /// The record that another attempt of this task wrote, to go on with.
    pub(crate) async fn resumed(&self, history: &History) -> Step<Option<Record>> {
        let Some(meta) = history.of_task(&self.task_id()) else { return Ok(None) };
        let mut record = self.records.load(meta).await?;
        self.log().info(format!("Release {} was begun by another attempt", meta.number));
        if matches!(meta.status, Status::Failed | Status::InProgress) {
            record.meta.status = Status::InProgress;
            record.meta.reason = None;
            self.records.update(&record.meta).await?;
            self.progress.record(Some(&record.meta));
        }
        Ok(Some(record))
    }

    /// Goes on with a record that an earlier step of the stage wrote: this task is at work on it now.
    pub(crate) async fn take_over(&self, meta: &Meta) -> Step<Record> {
        let mut record = self.records.load(meta).await?;
        record.meta.task = self.task_id();
        record.meta.step.clone_from(&self.task.origin.step);
        record.meta.status = Status::InProgress;
        record.meta.reason = None;
        self.save(&record.meta).await?;
        self.log().info(format!("Release {} was begun by an earlier phase", meta.number));
        Ok(record)
    }

    /// Writes the record of a new release, before the first change.
    pub(crate) async fn begin(&self, new: New) -> Step<Record> {
        let origin = &self.task.origin;
        let target = &self.work.target;
        let meta = Meta {
            schema: 1,
            release: target.release.clone(),
            number: new.number,
            status: Status::InProgress,
            strategy: new.strategy,
            track: new.track,
            execution: origin.run.to_string(),
            stage_execution: origin.stage_execution.clone(),
            task: self.task_id(),
            pipeline: format!("{}/{}/{}", origin.org, origin.project, origin.pipeline),
            stage: origin.stage.clone(),
            step: origin.step.clone(),
            service: target.service.clone(),
            environment: target.environment.clone(),
            infrastructure: target.infrastructure.clone(),
            started_at: self.now().to_string(),
            finished_at: None,
            commit: new.commit,
            commits: new.commits,
            artifact: self.work.source.artifact.as_ref().map(|artifact| artifact.image.clone()),
            manifest_hash: new.manifest_hash,
            resources: new.resources,
            workloads: Vec::new(),
            pruned: new.pruned,
            previous_successful: new.previous_successful,
            undid: new.undid,
            restored: new.restored,
            services: new.services,
            shift: new.shift,
            reason: None,
        };
        let record = Record { meta, objects: new.objects };
        self.records.write(&record).await?;
        self.progress.record(Some(&record.meta));
        self.log().info(format!("Release {} is recorded", record.meta.number));
        self.remember(|checkpoint| {
            checkpoint.number = Some(record.meta.number);
            checkpoint.phase = Some(Phase::Recorded);
        });
        Ok(record)
    }

    /// Writes what changed in a record.
    pub(crate) async fn save(&self, meta: &Meta) -> Step<()> {
        self.records.update(meta).await?;
        self.progress.record(Some(meta));
        Ok(())
    }

    /// The release is complete.
    pub(crate) async fn succeed(&self, meta: &mut Meta) -> Step<()> {
        if meta.status != Status::Succeeded {
            meta.status = Status::Succeeded;
            meta.finished_at = Some(self.now().to_string());
            self.records.update(meta).await?;
        }
        self.progress.record(None);
        Ok(())
    }
}
