//! K8sProgressiveCanaryRollback (kubernetes-deploy §2.6): the same moves the other way round.

use super::pace::{self, Goal};
use super::{Sides, shift, shift_pods};
use crate::apply::{self, How};
use crate::compare;
use crate::objects;
use crate::prune;
use crate::release::{Meta, Record, Status};
use crate::remove;
use crate::session::Session;
use crate::stop::{Done, Step};
use serde_json::json;
use windlass_manifest::workload::{self, Role, Step as Asks};
use windlass_manifest::{Object, order};

pub(crate) async fn rollback(session: &Session<'_>) -> Step<Done> {
    let history = session.history().await?;
    session.log().section("Prepare");
    let Some(meta) = history.shift_of(&session.task.origin.stage_execution) else {
        let touched = session.checkpoint().touched;
        if touched.is_empty() {
            let reason = "nothing to roll back: this stage moved no pods";
            return Ok(Done::Skipped(reason.to_owned(), json!({"deletedResources": []})));
        }
        // Another attempt did it all, and its word was lost.
        let deleted: Vec<String> = touched.iter().map(objects::name).collect();
        return Ok(Done::Succeeded(json!({"releaseName": session.work.target.release, "deletedResources": deleted})));
    };
    let deleted = back(session, meta).await?;
    session.log().section("Wrap Up");
    session.log().info("The release before has all pods again");
    Ok(Done::Succeeded(json!({"releaseName": meta.release, "undoneRelease": meta.number, "deletedResources": deleted})))
}

/// Gives the pods back to the old workload and deletes what the new one brought. May be done again at any point.
pub(crate) async fn back(session: &Session<'_>, meta: &Meta) -> Step<Vec<String>> {
    let record = session.records.load(meta).await?;
    let shift = shift(&record)?.clone();
    session.log().info(format!("Going back from release {} ({} %)", meta.number, shift.percentage));
    let new = session.cluster.address_of(&shift.new).await?;
    let history = session.records.history().await?;
    let previous = match shift.previous.and_then(|number| history.get(number)) {
        Some(previous) => Some(session.records.load(previous).await?),
        None => None,
    };
    if let Some(old) = &shift.old {
        let old = session.cluster.address_of(old).await?;
        if let Some(previous) = &previous {
            restore(session, previous, session.cluster.get(&old).await?.is_none(), &shift.old).await?;
        }
        session.log().section("Shift");
        let is_there = session.cluster.get(&new).await?.is_some();
        let workload = record.objects.iter().find(|object| object.key() == shift.new);
        let (surge, unavailable) = workload.map_or((1, 0), |workload| pace::limits(workload.json(), shift.budget));
        let goal = Goal { budget: shift.budget, surge, unavailable, wanted: shift.budget };
        shift_pods(session, &Sides { growing: &old, shrinking: is_there.then_some(&new) }, &goal).await?;
        if let Some(previous) = &previous {
            scalers_of(session, previous).await?;
        }
    }
    session.log().section("Delete created resources");
    let mut own: Vec<Object> = record
        .objects
        .iter()
        .filter(|object| meta.resource(&object.key()).is_some_and(|resource| resource.own))
        .cloned()
        .collect();
    order::delete(&mut own);
    let mut targets = Vec::new();
    for object in &own {
        let uid = meta.resource(&object.key()).and_then(|resource| resource.uid.as_deref());
        targets.extend(prune::own(session, object, uid).await?);
    }
    session.remember(|checkpoint| checkpoint.touched = targets.iter().map(|target| target.address.key()).collect());
    let deleted = remove::gone(session, &targets).await?;
    if let Some(previous) = previous.filter(|previous| previous.meta.status == Status::Superseded) {
        // It runs again, and is what the next release is compared with.
        session.records.set_status(&previous.meta, Status::Succeeded).await?;
    }
    session.records.set_status(meta, Status::RolledBack).await?;
    Ok(deleted.iter().map(ToString::to_string).collect())
}

/// What the release before says; its workload without pods when it has to be made again.
async fn restore(
    session: &Session<'_>,
    previous: &Record,
    is_gone: bool,
    old: &Option<windlass_manifest::ObjectKey>,
) -> Step<()> {
    let mut set: Vec<Object> = Vec::new();
    for object in previous.objects.iter().filter(|object| !object.is("batch", "Job")) {
        let is_old = Some(object.key()) == *old;
        match workload::role(object, Asks::Deploy) {
            // Its bounds follow when the pods are back.
            Role::Scaler => {}
            _ if is_old && !is_gone => {}
            _ if is_old => {
                let mut object = object.clone();
                workload::set_replicas(&mut object, 0);
                set.push(object);
            }
            _ => set.push(object.clone()),
        }
    }
    apply::apply(session, set, How { only_existing_jobs: true, ..How::default() }).await?;
    Ok(())
}

async fn scalers_of(session: &Session<'_>, previous: &Record) -> Step<()> {
    let is_scaler = |object: &&Object| workload::role(object, Asks::Deploy) == Role::Scaler;
    let set: Vec<Object> = previous.objects.iter().filter(is_scaler).cloned().collect();
    if !set.is_empty() {
        let scalers = compare::scalers(session, &set).await?;
        apply::apply(session, set, How { scalers: &scalers, ..How::default() }).await?;
    }
    Ok(())
}
