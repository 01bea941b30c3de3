//! K8sBGSwapServices (kubernetes-deploy §2.7): the traffic goes to the other color, or back.

mod traffic;

use crate::objects;
use crate::release::{History, Meta, PrimaryService, Record};
use crate::session::Session;
use crate::steps::blue_green::workloads;
use crate::stop::{Done, Step, Stop};
use crate::wait;
use serde_json::json;
use windlass_cluster::{Address, ClusterError, Json, PatchKind};
use windlass_manifest::well_known::COLOR;
use windlass_manifest::{Object, ObjectKey};
use windlass_model::failure::{Failure, FailureType};

pub(crate) async fn run(session: &Session<'_>) -> Step<Done> {
    let history = session.history().await?;
    let stage_execution = &session.task.origin.stage_execution;
    let of_stage = history.last_blue_green().filter(|meta| meta.stage_execution == *stage_execution);
    let Some(meta) = of_stage else {
        return Ok(Done::Skipped(
            "nothing to swap: this stage deployed no color".to_owned(),
            json!({"swapped": false}),
        ));
    };
    let Some(services) = meta.services.clone() else {
        return Err(Stop::configuration(format!("the record of release {} names no Services", meta.number)));
    };
    let is_rollback = session.task.origin.step.split('.').any(|part| part == "rollbackSteps");
    if is_rollback && !services.swapped && !services.pending {
        return Ok(Done::Skipped(
            "nothing to swap back: the traffic was never moved".to_owned(),
            json!({"swapped": false}),
        ));
    }
    let mut meta = meta.clone();
    let swapped = wanted(&services, is_rollback, &session.task_id());
    // What is wanted is written down first: whoever goes on from here does not swap back by mistake.
    meta.services =
        Some(PrimaryService { swapped, pending: true, swapped_by: Some(session.task_id()), ..services.clone() });
    session.records.update(&meta).await?;
    let (to, from) = if swapped {
        (&services.stage_color, &services.primary_color)
    } else {
        (&services.primary_color, &services.stage_color)
    };
    session.log().section("Swap");
    session.log().info(format!("Traffic goes to {to}"));
    let target = history.of_color(to).cloned();
    if let Some(target) = &target {
        bring_back(session, &history, target).await?;
    }
    // An adopted Service that had no color goes back to what it selected before.
    let primary_selector = match &services.adopted_selector {
        Some(selector) if !swapped => selector.clone(),
        _ => colored(session, &services.primary, to).await?,
    };
    point(session, &services.primary, &primary_selector).await?;
    let stage_selector = colored(session, &services.stage, from).await?;
    point(session, &services.stage, &stage_selector).await?;
    if let Some(target) = target
        && let Err(stop) = traffic::arrives(session, &services.primary, &target).await
    {
        session.log().warn("the traffic does not arrive: swapping back");
        let back = match &services.adopted_selector {
            Some(selector) if swapped => selector.clone(),
            _ => colored(session, &services.primary, from).await?,
        };
        point(session, &services.primary, &back).await?;
        let stage = colored(session, &services.stage, to).await?;
        point(session, &services.stage, &stage).await?;
        meta.services = Some(PrimaryService { swapped: !swapped, pending: false, swapped_by: None, ..services });
        session.records.update(&meta).await?;
        return Err(stop);
    }
    meta.services =
        Some(PrimaryService { swapped, pending: false, swapped_by: Some(session.task_id()), ..services.clone() });
    session.records.update(&meta).await?;
    Ok(Done::Succeeded(json!({
        "swapped": swapped, "releaseName": meta.release, "releaseNumber": meta.number,
        "primaryServiceName": services.primary.name, "stageServiceName": services.stage.name,
        "primaryColor": to, "stageColor": from,
    })))
}

/// Whether the traffic shall go to the stage color. A step exchanges the colors, a rollback step gives the traffic back, and
/// whoever goes on with a swap that was begun wants what was wanted then.
fn wanted(services: &PrimaryService, is_rollback: bool, task: &str) -> bool {
    let goes_on = services.pending || services.swapped_by.as_deref() == Some(task);
    !is_rollback && (if goes_on { services.swapped } else { !services.swapped })
}

/// The selector of a live Service with another color.
async fn colored(session: &Session<'_>, service: &ObjectKey, color: &str) -> Step<Json> {
    let address = session.cluster.address_of(service).await?;
    let live = session.cluster.get(&address).await?;
    let mut selector = live.and_then(|live| live.pointer("/spec/selector").cloned()).unwrap_or_else(|| json!({}));
    selector[COLOR] = color.into();
    Ok(selector)
}

/// Gives a Service its selector; nothing is written when it has it. A Service that others changed meanwhile is read again.
async fn point(session: &Session<'_>, service: &ObjectKey, selector: &Json) -> Step<()> {
    const TRIES: u32 = 5;
    let address = session.cluster.address_of(service).await?;
    for _ in 0..TRIES {
        let Some(live) = session.cluster.get(&address).await? else {
            return Err(Stop::configuration(format!("{address} is not there any more")).hint("deploy again"));
        };
        if live.pointer("/spec/selector") == Some(selector) {
            return Ok(());
        }
        match set(session, &address, &live, selector).await {
            Ok(_) => {
                session.log().info(format!("{address} selects {selector}"));
                session.progress.did(format!("{address} selects {selector}"));
                return Ok(());
            }
            Err(error) if error.is_conflict() => {}
            Err(error) => return Err(error.into()),
        }
    }
    let message = format!("{address} is changed by others all the time");
    Err(Failure::new(FailureType::RetryableTransientFailure, message).into())
}

/// Replaces the selector of exactly the Service that was read.
async fn set(session: &Session<'_>, at: &Address, live: &Json, selector: &Json) -> Result<Json, ClusterError> {
    let patch = json!([
        {"op": "replace", "path": "/metadata/resourceVersion", "value": live.pointer("/metadata/resourceVersion")},
        {"op": "add", "path": "/spec/selector", "value": selector},
    ]);
    session.cluster.patch(at, PatchKind::Json, &patch).await
}

/// A color that was scaled down gets its pods back before it gets traffic (kubernetes-deploy §2.7).
async fn bring_back(session: &Session<'_>, history: &History, target: &Meta) -> Step<()> {
    let counts = history
        .iter()
        .rev()
        .filter_map(|meta| meta.services.as_ref())
        .find(|services| !services.scaled_down.is_empty())
        .map(|services| services.scaled_down.clone())
        .unwrap_or_default();
    let record: Record = session.records.load(target).await?;
    let mut woken = Vec::new();
    for object in workloads(&record) {
        let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
        if session.cluster.scale(&address).await? != Some(0) {
            continue;
        }
        let before = counts.get(&object.key().to_string()).copied();
        let wanted = before.unwrap_or_else(|| manifest_replicas(object));
        if wanted > 0 {
            session.cluster.set_scale(&address, wanted).await?;
            session.log().info(format!("scaled {address} back to {wanted}"));
            woken.push(address);
        }
    }
    if !woken.is_empty() {
        wait::steady(session, &woken).await?;
    }
    Ok(())
}

fn manifest_replicas(object: &Object) -> u32 {
    let replicas = windlass_manifest::workload::replicas(object).unwrap_or(1).max(0);
    u32::try_from(replicas).unwrap_or(u32::MAX)
}

/// For messages.
pub(super) fn told(key: &ObjectKey) -> String {
    objects::name(key)
}
