//! K8sBlueGreenStageScaleDown (kubernetes-deploy §2.7): the color without traffic sleeps.

use crate::objects;
use crate::prune;
use crate::remove;
use crate::session::Session;
use crate::steps::blue_green::live;
use crate::stop::{Done, Step, Stop};
use serde_json::json;
use windlass_manifest::bluegreen::Color;
use windlass_manifest::workload::{self, Role, Step as Asks};

pub(crate) async fn run(session: &Session<'_>) -> Step<Done> {
    let history = session.history().await?;
    let Some(last) = history.last_blue_green() else {
        return Ok(Done::Skipped("there is no blue/green release".to_owned(), json!({})));
    };
    let mut keeper = last.clone();
    let Some(services) = keeper.services.as_mut() else {
        return Err(Stop::configuration(format!("the record of release {} names no Services", last.number)));
    };
    session.log().section("Prepare");
    let primary = session.cluster.get(&session.cluster.address_of(&services.primary).await?).await?;
    let primary = primary.as_ref().and_then(objects::object);
    let Some(serving) = primary.as_ref().and_then(Color::of_service) else {
        let message =
            format!("{} has no color: nothing is known to be without traffic", objects::name(&services.primary));
        return Err(Stop::configuration(message).hint("swap the Services first"));
    };
    let idle = serving.other();
    let Some(target) = history.of_color(idle.as_str()) else {
        return Ok(Done::Skipped(format!("no {idle} release is there"), json!({"color": idle.as_str()})));
    };
    session.log().info(format!("{serving} has the traffic; {idle} is release {}", target.number));
    let record = session.records.load(target).await?;
    let mut scaled = Vec::new();
    let mut attached = Vec::new();
    for object in &record.objects {
        let is_own = target.resource(&object.key()).is_some_and(|resource| resource.own);
        match workload::role(object, Asks::Deploy) {
            Role::Scaler | Role::Budget if is_own => attached.extend(prune::own(session, object, None).await?),
            Role::Workload if is_own => scaled.push(object),
            _ => {}
        }
    }
    // What was counted is kept before the first change: the way back needs it.
    for object in &scaled {
        let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
        if workload::replicas(object).is_some()
            && let Some(count) = session.cluster.scale(&address).await?.filter(|count| *count > 0)
        {
            services.scaled_down.insert(object.key().to_string(), count);
        }
    }
    session.records.update(&keeper).await?;
    session.log().section("Scale Down");
    remove::gone(session, &attached).await?;
    let mut names = Vec::new();
    for object in scaled {
        let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
        if live(session, object).await?.is_none() {
            continue;
        }
        session.cluster.set_scale(&address, 0).await?;
        session.log().info(format!("scaled {address} to 0"));
        session.progress.did(format!("scaled {address} to 0"));
        names.push(address.to_string());
    }
    Ok(Done::Succeeded(json!({"color": idle.as_str(), "releaseNumber": target.number, "scaledToZero": names})))
}
