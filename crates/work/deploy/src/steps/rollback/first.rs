//! The first release ever failed: there is nothing to return to (setting `onFirstFailure`).

use crate::prune;
use crate::release::{History, Status};
use crate::remove;
use crate::session::Session;
use crate::stop::{Done, Step};
use serde_json::json;
use windlass_manifest::workload::{self, Step as Asks};
use windlass_manifest::{Object, order};
use windlass_model::task::kubernetes::OnFirstFailure;

pub(super) async fn run(session: &Session<'_>, history: &History, undo: &[u64]) -> Step<Done> {
    let what = session.work.settings.on_first_failure;
    let log = session.log();
    log.section("Prepare");
    log.info("There is no previous successful release");
    if what == OnFirstFailure::Keep {
        let reason = "no previous successful release: what was deployed stays as it is";
        return Ok(Done::Skipped(reason.to_owned(), json!({})));
    }
    let mut objects: Vec<Object> = Vec::new();
    let mut touched = Vec::new();
    for number in undo {
        let Some(meta) = history.get(*number) else { continue };
        objects.extend(session.records.load(meta).await?.objects);
    }
    if what == OnFirstFailure::ScaleToZero {
        for object in
            objects.iter().filter(|o| workload::is_managed(o, Asks::Deploy) && workload::replicas(o).is_some())
        {
            let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
            if session.cluster.scale(&address).await?.is_some_and(|replicas| replicas > 0) {
                session.cluster.set_scale(&address, 0).await?;
                log.info(format!("scaled {address} to 0"));
                session.progress.did(format!("scaled {address} to 0"));
                touched.push(address.to_string());
            }
        }
    } else {
        objects.retain(|object| !prune::holds_data(object.kind()));
        order::delete(&mut objects);
        objects.dedup_by_key(|object| object.key());
        let mut targets = Vec::new();
        for object in &objects {
            let uid = undo.iter().rev().find_map(|n| history.get(*n)?.resource(&object.key())?.uid.as_deref());
            targets.extend(prune::own(session, object, uid).await?);
        }
        touched.extend(remove::gone(session, &targets).await?.iter().map(ToString::to_string));
    }
    for meta in undo.iter().filter_map(|number| history.get(*number)) {
        session.records.set_status(meta, Status::RolledBack).await?;
    }
    let key = if what == OnFirstFailure::Delete { "deletedResources" } else { "scaledToZero" };
    Ok(Done::Succeeded(json!({"releaseName": session.work.target.release, key: touched})))
}
