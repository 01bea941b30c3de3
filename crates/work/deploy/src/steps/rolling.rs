//! K8sRollingDeploy (kubernetes-deploy §2.5).

use crate::apply::{self, Applied, How};
use crate::compare::{self, Compared};
use crate::flags;
use crate::objects;
use crate::plan;
use crate::prune;
use crate::release::{History, Meta, Record, Status, Strategy};
use crate::retention;
use crate::session::{New, Phase, Session, What};
use crate::stop::{Done, Step};
use crate::wait::{self, Steady};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use windlass_cluster::{Address, Json};
use windlass_manifest::version::Versioning;
use windlass_manifest::workload::{self, Step as Asks};
use windlass_manifest::{Object, ObjectKey, stamp};
use windlass_model::task::kubernetes::RollingSpec;

pub(crate) async fn run(session: &Session<'_>, spec: &RollingSpec) -> Step<Done> {
    let flags = flags::read(&spec.command_flags, "Apply");
    flags.warnings.iter().for_each(|warning| session.log().warn(warning));
    let history = session.history().await?;
    let (mut record, known) = match session.resumed(&history).await? {
        Some(record) => (record, None),
        None => {
            let (record, known) = prepare(session, spec, &history, flags.force).await?;
            (record, known)
        }
    };
    let mut changes = Vec::new();
    if record.meta.status != Status::Succeeded && !session.has_reached(Phase::Applied) {
        let scalers = compare::scalers(session, &record.objects).await?;
        let how = How { scalers: &scalers, known: known.as_ref(), force: flags.force, ..How::default() };
        let applied = apply::apply(session, record.objects.clone(), how).await?;
        keep_uids(session, &mut record.meta, &applied).await?;
        changes = applied.iter().map(Applied::told).collect();
        session.reached(Phase::Applied);
    }
    let steady = wait::steady(session, &managed(session, &record.objects, Asks::Deploy).await?).await?;
    record.meta.workloads.clone_from(&steady.workloads);
    if !session.has_reached(Phase::Pruned) {
        if spec.pruning_enabled {
            let previous = previous_record(session, &history, &record.meta).await?;
            prune::prune(session, &record.meta.pruned, previous.as_ref()).await?;
        }
        session.reached(Phase::Pruned);
    }
    session.succeed(&mut record.meta).await?;
    retention::tidy(session, record.meta.number).await?;
    session.log().section("Wrap Up");
    session.log().info(format!("Release {} of {} is complete", record.meta.number, record.meta.release));
    Ok(Done::Succeeded(output(session, &record.meta, &steady, changes)))
}

/// Renders, versions, marks, asks for dry runs, and writes the record: nothing else is changed.
async fn prepare(
    session: &Session<'_>,
    spec: &RollingSpec,
    history: &History,
    force: bool,
) -> Step<(Record, Option<BTreeMap<ObjectKey, Compared>>)> {
    let set = session.render(What::default()).await?;
    let number = history.next_number();
    let stage_execution = &session.task.origin.stage_execution;
    let previous_number = history.previous_successful(stage_execution);
    let manifest_hash = plan::manifest_hash(&set.objects);
    let mut all = set.objects;
    let versioning = plan::versioning(&session.work.source, number);
    let versioned = process(session, &mut all, history, (number, versioning), Asks::Deploy).await?;

    session.log().section("Prepare");
    describe(session, number, previous_number, &all, &versioned);
    let pruned = if spec.pruning_enabled {
        prune::decide(history.last_successful(), &all, &session.work.settings)?
    } else {
        Vec::new()
    };
    let known = if spec.skip_dry_run {
        None
    } else {
        let scalers = compare::scalers(session, &all).await?;
        Some(apply::dry_run(session, &all, &scalers, force).await?)
    };
    let record = session
        .begin(New {
            number,
            strategy: Strategy::Rolling,
            track: None,
            resources: plan::resources(&all, &versioned, |_| false),
            objects: all,
            manifest_hash,
            commit: set.commit,
            commits: set.commits,
            previous_successful: previous_number,
            pruned,
            undid: None,
            restored: None,
            services: None,
            shift: None,
        })
        .await?;
    Ok((record, known))
}

/// What every deployment makes of rendered objects: versions, marks of the release, and `stable` on pods of a primary workload
/// where a canary stands, or stood, beside them. Returns the indices of objects whose names carry a version.
pub(crate) async fn process(
    session: &Session<'_>,
    all: &mut [Object],
    history: &History,
    (number, versioning): (u64, Versioning),
    asks: Asks,
) -> Step<BTreeSet<usize>> {
    let versioned = plan::rolling(all, versioning, &session.release(number), asks);
    let stage_execution = &session.task.origin.stage_execution;
    let canary_before =
        history.iter().any(|meta| meta.strategy == Strategy::Canary && meta.stage_execution == *stage_execution);
    for object in all.iter_mut().filter(|object| workload::is_managed(object, Asks::Deploy)) {
        if workload::template(object).is_none() {
            continue;
        }
        let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
        let live = session.cluster.get(&address).await?.as_ref().and_then(objects::object);
        if plan::wants_track(live.as_ref(), canary_before) {
            stamp::mark_stable(object, live.as_ref());
        }
    }
    Ok(versioned)
}

fn describe(session: &Session<'_>, number: u64, previous: Option<u64>, all: &[Object], versioned: &BTreeSet<usize>) {
    let log = session.log();
    for (index, object) in all.iter().enumerate() {
        let version = if versioned.contains(&index) { "versioned" } else { "" };
        log.info(format!("{:<24} {:<40} {version}", object.kind(), object.name()).trim_end());
    }
    log.info(format!("Current release number: {number}"));
    match previous {
        Some(previous) => log.info(format!("Previous successful release: {previous}")),
        None => log.info("No previous successful release"),
    }
    let managed: Vec<String> = all
        .iter()
        .filter(|object| workload::is_managed(object, Asks::Deploy))
        .map(|object| objects::name(&object.key()))
        .collect();
    if managed.is_empty() {
        log.info("No managed workloads");
    } else {
        log.info(format!("Managed workloads: {}", managed.join(", ")));
    }
}

/// The addresses of what gates the step.
pub(crate) async fn managed(session: &Session<'_>, all: &[Object], asks: Asks) -> Step<Vec<Address>> {
    let mut out = Vec::new();
    for object in all.iter().filter(|object| workload::is_managed(object, asks)) {
        out.push(session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?);
    }
    Ok(out)
}

/// Writes the uids of what was applied into the record.
pub(crate) async fn keep_uids(session: &Session<'_>, meta: &mut Meta, applied: &[Applied]) -> Step<()> {
    for one in applied {
        meta.applied(&one.key, one.uid());
    }
    session.save(meta).await
}

/// The record of the release that the pruned objects are from.
async fn previous_record(session: &Session<'_>, history: &History, meta: &Meta) -> Step<Option<Record>> {
    let from = meta.pruned.first().map(|pruned| pruned.manifest_ref);
    let from = from.or(meta.previous_successful).and_then(|number| history.get(number));
    match from {
        Some(meta) => Ok(Some(session.records.load(meta).await?)),
        None => Ok(None),
    }
}

/// What `<+steps.ID.output.…>` sees of a release (kubernetes-deploy §2.5, outputs).
pub(crate) fn output(session: &Session<'_>, meta: &Meta, steady: &Steady, changes: Vec<Json>) -> Json {
    let revisions: BTreeMap<String, Option<&str>> =
        steady.workloads.iter().map(|w| (objects::name(&w.key), w.revision.as_deref())).collect();
    let workloads: Vec<Json> = steady
        .workloads
        .iter()
        .map(|w| {
            json!({"kind": w.key.kind, "namespace": w.key.namespace, "name": w.key.name, "revision": w.revision,
            "replicas": w.replicas})
        })
        .collect();
    let pruned: Vec<String> = meta.pruned.iter().map(|pruned| objects::name(&pruned.key)).collect();
    json!({
        "releaseName": meta.release,
        "releaseNumber": meta.number,
        "namespace": session.namespace(),
        "strategy": plan::strategy_name(meta.strategy),
        "commit": meta.commit,
        "commits": meta.commits,
        "manifestHash": meta.manifest_hash,
        "previousSuccessful": meta.previous_successful,
        "instances": steady.instances,
        "workloads": workloads,
        "revision": revisions,
        "appliedResources": changes,
        "prunedResources": pruned,
    })
}
