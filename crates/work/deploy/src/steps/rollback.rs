//! K8sRollingRollback (kubernetes-deploy §2.5): one declarative algorithm, from records alone.

mod decide;
mod first;

use crate::apply::{self, Applied, How};
use crate::compare::{self, Verdict};
use crate::plan;
use crate::prune;
use crate::release::{History, Meta, Record, Status, Strategy};
use crate::remove;
use crate::retention;
use crate::session::{New, Phase, Session};
use crate::steps::rolling;
use crate::stop::{Done, Step, Stop};
use crate::wait;
use decide::Decision;
use serde_json::json;
use std::collections::BTreeSet;
use windlass_manifest::workload::Step as Asks;
use windlass_manifest::{Object, ObjectKey, order};
use windlass_model::task::kubernetes::RollbackSpec;

pub(crate) async fn run(session: &Session<'_>, spec: &RollbackSpec) -> Step<Done> {
    let history = session.history().await?;
    let own = &session.task.origin.stage_execution;
    let stage_execution = spec.of_stage_execution.as_ref().unwrap_or(own);
    if let Some(record) = session.resumed(&history).await?.filter(|record| record.meta.strategy == Strategy::Rollback) {
        return finish(session, &history, record, stage_execution).await;
    }
    let decision = decide::decide(&history, stage_execution, spec.of_stage_execution.is_some());
    match decision {
        Decision::Nothing(reason) => Ok(Done::Skipped(reason, json!({}))),
        Decision::Refused(reason) => Err(Stop::configuration(reason)),
        Decision::NoneBefore { undo } => first::run(session, &history, &undo).await,
        Decision::Return { target, undo } => {
            let Some(target) = history.get(target) else {
                let message = format!("the record of release {target}, to which this would return, is gone");
                return Err(Stop::configuration(message).hint("deploy the version you want again"));
            };
            go_back(session, &history, target, &undo, stage_execution).await
        }
    }
}

async fn go_back(
    session: &Session<'_>,
    history: &History,
    target: &Meta,
    undo: &[u64],
    stage_execution: &str,
) -> Step<Done> {
    session.log().section("Prepare");
    session.log().info(format!("Going back to release {} of {}", target.number, target.release));
    let target = session.records.load(target).await?;
    if undo.is_empty() && is_there(session, &target).await? {
        let reason = format!("nothing to roll back: release {} runs as it was deployed", target.meta.number);
        return Ok(Done::Skipped(reason, json!({"releaseNumber": target.meta.number})));
    }
    let record = session
        .begin(New {
            number: history.next_number(),
            strategy: Strategy::Rollback,
            track: None,
            objects: target.objects,
            resources: target.meta.resources,
            manifest_hash: target.meta.manifest_hash,
            commit: target.meta.commit,
            commits: target.meta.commits,
            previous_successful: target.meta.previous_successful,
            pruned: Vec::new(),
            undid: undo.last().copied(),
            restored: Some(target.meta.number),
            services: None,
            shift: None,
        })
        .await?;
    finish(session, history, record, stage_execution).await
}

/// What is rolled back: objects that are applied directly are not, and jobs do not run again.
fn restored(record: &Record) -> Vec<Object> {
    record.objects.iter().filter(|object| !plan::is_direct(object)).cloned().collect()
}

async fn is_there(session: &Session<'_>, target: &Record) -> Step<bool> {
    let objects: Vec<Object> = restored(target).into_iter().filter(|object| !object.is("batch", "Job")).collect();
    let scalers = compare::scalers(session, &objects).await?;
    let compared = compare::compare(session, &objects, &scalers, false).await?;
    Ok(compared.values().all(|one| one.verdict == Verdict::Unchanged))
}

/// Applies, waits, takes away what the undone releases had made, and closes the records. May be done again at any point.
async fn finish(session: &Session<'_>, history: &History, mut record: Record, stage_execution: &str) -> Step<Done> {
    let undone: Vec<&Meta> = history
        .of_stage_execution(stage_execution)
        .filter(|meta| meta.number < record.meta.number && Some(meta.number) != record.meta.restored)
        .collect();
    let objects = restored(&record);
    let mut changes = Vec::new();
    if record.meta.status != Status::Succeeded && !session.has_reached(Phase::Applied) {
        let scalers = compare::scalers(session, &objects).await?;
        let how = How { scalers: &scalers, only_existing_jobs: true, ..How::default() };
        let applied = apply::apply(session, objects.clone(), how).await?;
        rolling::keep_uids(session, &mut record.meta, &applied).await?;
        changes = applied.iter().map(Applied::told).collect();
        session.reached(Phase::Applied);
    }
    let steady = wait::steady(session, &rolling::managed(session, &objects, Asks::Deploy).await?).await?;
    record.meta.workloads.clone_from(&steady.workloads);

    session.log().section("Delete created resources");
    let deleted = delete_created(session, &record, &undone).await?;
    for meta in undone.iter().filter(|meta| meta.status != Status::RolledBack) {
        session.records.set_status(meta, Status::RolledBack).await?;
    }
    session.succeed(&mut record.meta).await?;
    retention::tidy(session, record.meta.number).await?;
    session.log().section("Wrap Up");
    let restored = record.meta.restored.unwrap_or_default();
    session.log().info(format!("Release {} brought release {restored} back", record.meta.number));
    let more = json!({
        "restoredRelease": restored, "undoneReleases": undone.iter().map(|meta| meta.number).collect::<Vec<_>>(),
        "deletedResources": deleted,
    });
    let mut output = rolling::output(session, &record.meta, &steady, changes);
    if let (Some(output), Some(more)) = (output.as_object_mut(), more.as_object()) {
        output.extend(more.clone());
    }
    Ok(Done::Succeeded(output))
}

/// Objects that the undone releases had and the restored one has not.
async fn delete_created(session: &Session<'_>, record: &Record, undone: &[&Meta]) -> Step<Vec<String>> {
    let kept: BTreeSet<ObjectKey> = record.objects.iter().map(Object::key).collect();
    let mut created: Vec<Object> = Vec::new();
    for meta in undone {
        let created_by = |object: &Object| {
            let key = object.key();
            !kept.contains(&key) && !prune::holds_data(&key.kind) && !plan::is_direct(object)
        };
        let objects = session.records.load(meta).await?.objects.into_iter().filter(created_by);
        for object in objects {
            if !created.iter().any(|known| known.key() == object.key()) {
                created.push(object);
            }
        }
    }
    order::delete(&mut created);
    let mut targets = Vec::new();
    for object in &created {
        let uid = undone.iter().rev().find_map(|meta| meta.resource(&object.key())?.uid.as_deref());
        targets.extend(prune::own(session, object, uid).await?);
    }
    let deleted = remove::gone(session, &targets).await?;
    Ok(deleted.iter().map(ToString::to_string).collect())
}
