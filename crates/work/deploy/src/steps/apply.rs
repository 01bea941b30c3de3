//! K8sApply (kubernetes-deploy §2.4): exactly the named files, no release.

mod prune;

use crate::apply::{self as applying, Applied, How};
use crate::compare;
use crate::flags;
use crate::objects;
use crate::plan::{self, APPLIED_BY};
use crate::session::{Phase, Session, What};
use crate::steps::rolling;
use crate::stop::{Done, Step};
use crate::wait::{self, Steady};
use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::json;
use sha2::{Digest, Sha256};
use windlass_cluster::Json;
use windlass_manifest::workload::Step as Asks;
use windlass_manifest::{Gvk, Object, ObjectKey};
use windlass_model::task::kubernetes::ApplySpec;

pub(crate) async fn run(session: &Session<'_>, spec: &ApplySpec) -> Step<Done> {
    let flags = flags::read(&spec.command_flags, "Apply");
    flags.warnings.iter().for_each(|warning| session.log().warn(warning));
    // The number the next release will have: a rolling deployment right after finds the same versions (decisions, Deploying).
    let history = session.history().await?;
    let number = session.checkpoint().number.unwrap_or_else(|| history.next_number());
    session.remember(|checkpoint| checkpoint.number = Some(number));

    let only = (!spec.file_paths.is_empty() && spec.manifest_source.is_none()).then_some(spec.file_paths.as_slice());
    let set = session
        .render(What {
            only,
            instead: spec.manifest_source.as_ref(),
            overrides: &spec.overrides,
            skip_templates: spec.skip_rendering,
            allow_generate_name: true,
            refuse_empty: true,
        })
        .await?;
    let mut all = set.objects;
    name_generated(session, &mut all);
    let main = spec.manifest_source.as_ref().or_else(|| plan::main_manifest(&session.work.source));
    let versioning = plan::versioning_of(main, number);
    rolling::process(session, &mut all, &history, (number, versioning), Asks::Apply).await?;
    mark_created(session, &mut all).await?;

    let scalers = compare::scalers(session, &all).await?;
    let known = if spec.skip_dry_run && !flags.dry_run {
        None
    } else {
        Some(applying::dry_run(session, &all, &scalers, flags.force).await?)
    };
    let mut applied = Vec::new();
    if flags.dry_run {
        session.log().info("--dry-run: nothing is applied");
    } else {
        let how = How { scalers: &scalers, known: known.as_ref(), force: flags.force, ..How::default() };
        applied = applying::apply(session, all.clone(), how).await?;
        session.remember(|checkpoint| {
            checkpoint.touched = applied.iter().map(|one| one.key.clone()).collect();
            checkpoint.phase = Some(Phase::Applied);
        });
    }
    let steady = if spec.skip_steady_state_check || flags.dry_run {
        Steady { instances: json!([]), ..Steady::default() }
    } else {
        wait::steady(session, &rolling::managed(session, &all, Asks::Apply).await?).await?
    };
    let pruned = match &flags.prune {
        Some(selector) if !flags.dry_run => prune::run(session, selector, &all, &history).await?,
        _ => Vec::new(),
    };
    session.log().section("Wrap Up");
    let applied: Vec<Json> = applied.iter().map(Applied::told).collect();
    session.log().info(format!("{} objects applied", applied.len()));
    Ok(Done::Succeeded(json!({
        "releaseName": session.work.target.release,
        "namespace": session.namespace(),
        "commit": set.commit,
        "commits": set.commits,
        "appliedResources": applied,
        "jobs": steady.jobs,
        "instances": steady.instances,
        "prunedResources": pruned,
    })))
}

/// Gives objects that have only a `generateName` a name that this task will find again: made twice, they are one.
fn name_generated(session: &Session<'_>, all: &mut [Object]) {
    let task = session.task_id();
    for (index, object) in all.iter_mut().enumerate() {
        if let (true, Some(prefix)) = (object.name().is_empty(), object.generate_name().map(str::to_owned)) {
            let digest = Sha256::digest(format!("{task}/{index}/{}", object.key()).as_bytes());
            let suffix: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            object.set_name(format!("{prefix}{suffix}"));
            if let Some(metadata) = object.json_mut().get_mut("metadata").and_then(Json::as_object_mut) {
                metadata.remove("generateName");
            }
        }
    }
}

/// Marks what this step creates, or an earlier one created, so that a later `--prune` knows it.
async fn mark_created(session: &Session<'_>, all: &mut [Object]) -> Step<()> {
    let mut asking = Vec::with_capacity(all.len());
    for object in all.iter() {
        asking.push(is_created(session, object.gvk(), object.key()));
    }
    let created: Vec<bool> = stream::iter(asking).buffered(compare::PARALLEL).try_collect().await?;
    for (object, is_created) in all.iter_mut().zip(created) {
        if is_created {
            object.set_annotation(APPLIED_BY, &session.work.target.service);
        }
    }
    Ok(())
}

async fn is_created(session: &Session<'_>, gvk: Gvk, key: ObjectKey) -> Step<bool> {
    // A kind that the set itself defines: its objects are new.
    let Ok(address) = session.cluster.address(&gvk, Some(&key.namespace), &key.name).await else { return Ok(true) };
    let live = session.cluster.get(&address).await?.as_ref().and_then(objects::object);
    Ok(live.is_none_or(|live| live.annotation(APPLIED_BY).is_some()))
}
