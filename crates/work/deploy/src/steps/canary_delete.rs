//! K8sCanaryDelete (kubernetes-deploy §2.6): what canaries brought goes, found through their records.

use crate::apply::{self, How};
use crate::compare;
use crate::objects;
use crate::plan;
use crate::prune;
use crate::release::{History, Meta, Record, Status, Strategy};
use crate::remove;
use crate::session::Session;
use crate::steps::rolling;
use crate::stop::{Done, Step};
use crate::wait;
use serde_json::json;
use windlass_manifest::workload::Step as Asks;
use windlass_manifest::{Object, order};

pub(crate) async fn run(session: &Session<'_>) -> Step<Done> {
    let history = session.history().await?;
    let canaries: Vec<&Meta> = history.canaries().collect();
    session.log().section("Prepare");
    let touched = session.checkpoint().touched;
    if canaries.is_empty() && !touched.is_empty() {
        // Another attempt did it all, and its word was lost.
        return Ok(done(session, touched.iter().map(objects::name).collect()));
    }
    if canaries.is_empty() {
        return Ok(Done::Skipped("there is no canary".to_owned(), json!({"deletedResources": []})));
    }
    let mut deleted = Vec::new();
    let mut own: Vec<(Object, Option<String>)> = Vec::new();
    let mut partitioned: Vec<Object> = Vec::new();
    let (progressive, canaries): (Vec<&Meta>, Vec<&Meta>) =
        canaries.into_iter().partition(|meta| meta.strategy == Strategy::Progressive);
    for meta in progressive.iter().rev() {
        // Its pods are part of production: they are given back before it goes.
        deleted.extend(super::progressive::back(session, meta).await?);
    }
    for meta in &canaries {
        session.log().info(format!("Canary of release {}", meta.number));
        let record = session.records.load(meta).await?;
        for object in &record.objects {
            let Some(resource) = meta.resource(&object.key()) else { continue };
            if resource.own {
                own.retain(|(known, _)| known.key() != object.key());
                own.push((object.clone(), resource.uid.clone()));
            } else if resource.managed && object.is("apps", "StatefulSet") && !plan::is_direct(object) {
                partitioned.push(object.clone());
            }
        }
    }
    let mut sorted: Vec<Object> = own.iter().map(|(object, _)| object.clone()).collect();
    order::delete(&mut sorted);
    let mut targets = Vec::new();
    for object in &sorted {
        let uid = own.iter().find(|(known, _)| known.key() == object.key()).and_then(|(_, uid)| uid.as_deref());
        targets.extend(prune::own(session, object, uid).await?);
    }
    session.log().section("Delete");
    session.remember(|checkpoint| checkpoint.touched = targets.iter().map(|target| target.address.key()).collect());
    deleted.extend(remove::gone(session, &targets).await?.iter().map(ToString::to_string));
    restore(session, &history, &partitioned).await?;
    for meta in &canaries {
        session.records.set_status(meta, Status::Superseded).await?;
    }
    session.log().section("Wrap Up");
    session.log().info("No canary is left");
    Ok(done(session, deleted))
}

fn done(session: &Session<'_>, deleted: Vec<String>) -> Done {
    Done::Succeeded(json!({"releaseName": session.work.target.release, "deletedResources": deleted}))
}

/// StatefulSets whose highest pods were the canary get back what the last successful release says.
async fn restore(session: &Session<'_>, history: &History, partitioned: &[Object]) -> Step<()> {
    let Some(object) = partitioned.first() else { return Ok(()) };
    let Some(last) = history.last_successful() else {
        session.log().warn(format!("{} stays as it is: there is no release before", objects::name(&object.key())));
        return Ok(());
    };
    let record: Record = session.records.load(last).await?;
    let set: Vec<Object> =
        record.objects.into_iter().filter(|object| partitioned.iter().any(|one| one.key() == object.key())).collect();
    let scalers = compare::scalers(session, &set).await?;
    apply::apply(session, set.clone(), How { scalers: &scalers, ..How::default() }).await?;
    wait::steady(session, &rolling::managed(session, &set, Asks::Deploy).await?).await?;
    Ok(())
}
