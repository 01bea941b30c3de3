//! K8sBlueGreenDeploy (kubernetes-deploy §2.7): the new version in the color that has no traffic.

use crate::apply::{self, Applied, How};
use crate::compare;
use crate::flags;
use crate::objects;
use crate::plan;
use crate::prune;
use crate::release::{History, Meta, PrimaryService, Record, Status, Strategy, Track};
use crate::remove;
use crate::retention;
use crate::session::{New, Phase, Session, What};
use crate::steps::rolling::{keep_uids, managed, output};
use crate::stop::{Done, Step};
use crate::wait;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use windlass_cluster::Json;
use windlass_manifest::bluegreen::{self, Color};
use windlass_manifest::workload::{self, Step as Asks};
use windlass_manifest::{Object, ObjectKey, order, stamp};
use windlass_model::task::kubernetes::BlueGreenSpec;

pub(crate) async fn run(session: &Session<'_>, spec: &BlueGreenSpec) -> Step<Done> {
    let flags = flags::read(&spec.command_flags, "Apply");
    flags.warnings.iter().for_each(|warning| session.log().warn(warning));
    let history = session.history().await?;
    let mut record = match session.resumed(&history).await? {
        Some(record) => record,
        None => match prepare(session, spec, &history, flags.force).await? {
            Prepared::Same(output) => {
                session.log().info("The manifests are those of the color that has the traffic: nothing is deployed");
                return Ok(Done::Succeeded(output));
            }
            Prepared::Begin(new) => session.begin(*new).await?,
        },
    };
    let mut changes = Vec::new();
    if record.meta.status != Status::Succeeded && !session.has_reached(Phase::Applied) {
        let scalers = compare::scalers(session, &record.objects).await?;
        let how = How { scalers: &scalers, force: flags.force, ..How::default() };
        let applied = apply::apply(session, record.objects.clone(), how).await?;
        keep_uids(session, &mut record.meta, &applied).await?;
        changes = applied.iter().map(Applied::told).collect();
        session.reached(Phase::Applied);
    }
    let steady = wait::steady(session, &managed(session, &record.objects, Asks::Deploy).await?).await?;
    record.meta.workloads.clone_from(&steady.workloads);
    clean_up(session, spec, &history, &mut record).await?;
    session.succeed(&mut record.meta).await?;
    retention::tidy(session, record.meta.number).await?;
    session.log().section("Wrap Up");
    let mut out = output(session, &record.meta, &steady, changes);
    tell(&mut out, &record.meta);
    Ok(Done::Succeeded(out))
}

enum Prepared {
    Same(Json),
    Begin(Box<New>),
}

async fn prepare(session: &Session<'_>, spec: &BlueGreenSpec, history: &History, force: bool) -> Step<Prepared> {
    let set = session.render(What::default()).await?;
    let manifest_hash = plan::manifest_hash(&set.objects);
    let primary = bluegreen::services(&set.objects)?.primary;
    let live = live(session, &primary).await?;
    let parts = bluegreen::blue_green(set.objects, live.as_ref())?;
    session.tell(&parts.warnings);
    let services = PrimaryService {
        primary: primary.key(),
        stage: parts.stage_service.key(),
        primary_color: parts.primary_color.to_string(),
        stage_color: parts.stage_color.to_string(),
        adopted_selector: parts.adopted_selector.clone(),
        swapped: false,
        pending: false,
        swapped_by: None,
        scaled_down: BTreeMap::new(),
    };
    session.log().section("Prepare");
    session.log().info(format!("Primary color: {}; stage color: {}", parts.primary_color, parts.stage_color));
    let running = history.of_color(parts.primary_color.as_str());
    if let (true, Some(running)) = (spec.skip_deployment_if_same_manifest, running)
        && running.manifest_hash == manifest_hash
    {
        let mut out = json!({"skipped": true, "releaseName": running.release, "releaseNumber": running.number,
            "namespace": session.namespace(), "commit": set.commit, "commits": set.commits, "instances": []});
        tell_services(&mut out, &services);
        return Ok(Prepared::Same(out));
    }
    let number = history.next_number();
    let mut own: BTreeSet<ObjectKey> = parts.config.iter().map(Object::key).collect();
    own.extend(parts.attached.iter().map(Object::key));
    own.insert(parts.workload.key());
    let mut all: Vec<Object> = parts.config;
    all.extend(parts.attached);
    all.push(parts.workload);
    all.extend(parts.others);
    all.push(parts.stage_service);
    match parts.primary_service {
        Some(service) => all.push(service),
        None => session
            .log()
            .info(format!("{} has no color yet: it keeps its pods until the swap", objects::name(&services.primary))),
    }
    stamp::stamp(&mut all, &session.release(number), Asks::Deploy);
    if !spec.skip_dry_run {
        let scalers = compare::scalers(session, &all).await?;
        apply::dry_run(session, &all, &scalers, force).await?;
    }
    let track = if parts.stage_color == Color::Blue { Track::Blue } else { Track::Green };
    let previous = history.of_color(parts.primary_color.as_str()).map(|meta| meta.number);
    Ok(Prepared::Begin(Box::new(New {
        number,
        strategy: Strategy::BlueGreen,
        track: Some(track),
        resources: plan::resources(&all, &BTreeSet::new(), |object| own.contains(&object.key())),
        objects: all,
        manifest_hash,
        commit: set.commit,
        commits: set.commits,
        previous_successful: previous,
        pruned: Vec::new(),
        undid: None,
        restored: None,
        services: Some(services),
        shift: None,
    })))
}

pub(super) async fn live(session: &Session<'_>, object: &Object) -> Step<Option<Object>> {
    let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
    Ok(session.cluster.get(&address).await?.as_ref().and_then(objects::object))
}

/// What older releases of the stage color left behind, and with pruning what neither this release nor the one with the traffic
/// has (kubernetes-deploy §2.7 rule 3). The release before stays whole: it is the way back.
async fn clean_up(session: &Session<'_>, spec: &BlueGreenSpec, history: &History, record: &mut Record) -> Step<()> {
    let kept_by = |meta: &Meta| meta.resources.iter().map(|resource| resource.key.clone()).collect::<Vec<_>>();
    let previous = record.meta.previous_successful.and_then(|number| history.get(number));
    let mut keep: BTreeSet<ObjectKey> = record.objects.iter().map(Object::key).collect();
    keep.extend(previous.map(kept_by).unwrap_or_default());
    let older: Vec<&Meta> = history
        .iter()
        .filter(|meta| meta.strategy == Strategy::BlueGreen && meta.number < record.meta.number)
        .filter(|meta| Some(meta.number) != record.meta.previous_successful)
        .collect();
    let mut found: Vec<Object> = Vec::new();
    for meta in older.iter().rev() {
        let has_leftover = meta.resources.iter().any(|r| {
            !keep.contains(&r.key)
                && !r.skip_prune
                && (r.own || spec.pruning_enabled)
                && !prune::holds_data(&r.key.kind)
        });
        if !has_leftover {
            continue;
        }
        for object in session.records.load(meta).await?.objects {
            let key = object.key();
            let may_go = meta.resource(&key).is_some_and(|r| !r.skip_prune && (r.own || spec.pruning_enabled));
            if may_go && !prune::holds_data(&key.kind) && keep.insert(key) {
                found.push(object);
            }
        }
    }
    session.log().section("Prune");
    order::delete(&mut found);
    let mut targets = Vec::new();
    for object in &found {
        targets.extend(prune::own(session, object, None).await?);
    }
    let deleted = remove::gone(session, &targets).await?;
    let from = older.last().map_or(0, |meta| meta.number);
    record
        .meta
        .pruned
        .extend(deleted.iter().map(|address| crate::release::Pruned { key: address.key(), manifest_ref: from }));
    if deleted.is_empty() {
        session.log().info("Nothing to prune");
    }
    Ok(())
}

fn tell(out: &mut Json, meta: &Meta) {
    if let Some(services) = &meta.services {
        tell_services(out, services);
    }
}

fn tell_services(out: &mut Json, services: &PrimaryService) {
    out["primaryServiceName"] = services.primary.name.clone().into();
    out["stageServiceName"] = services.stage.name.clone().into();
    out["primaryColor"] = services.primary_color.clone().into();
    out["stageColor"] = services.stage_color.clone().into();
}

/// The workloads of a blue/green record.
pub(super) fn workloads(record: &Record) -> impl Iterator<Item = &Object> {
    record.objects.iter().filter(|object| workload::is_managed(object, Asks::Deploy))
}
