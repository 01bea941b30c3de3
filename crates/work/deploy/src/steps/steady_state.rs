//! SteadyStateCheck (SEED-55): whether the release that runs is healthy. It touches nothing.

use crate::objects;
use crate::session::Session;
use crate::steps::rolling;
use crate::stop::{Done, Step};
use crate::wait;
use serde_json::json;
use windlass_manifest::workload::Step as Asks;

pub(crate) async fn run(session: &Session<'_>) -> Step<Done> {
    let history = session.records.history().await?;
    session.log().section("Prepare");
    let Some(last) = history.last_successful() else {
        return Ok(Done::Skipped("there is no release to look at".to_owned(), json!({"instances": []})));
    };
    session.log().info(format!("Looking at release {} of {}", last.number, last.release));
    let record = session.records.load(last).await?;
    let targets = rolling::managed(session, &record.objects, Asks::Deploy).await?;
    let steady = wait::steady(session, &targets).await?;
    let workloads: Vec<String> = steady.workloads.iter().map(|workload| objects::name(&workload.key)).collect();
    Ok(Done::Succeeded(json!({
        "releaseName": last.release, "releaseNumber": last.number, "healthy": true, "workloads": workloads,
        "instances": steady.instances,
    })))
}
