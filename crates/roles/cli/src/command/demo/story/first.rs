//! v2.3.0 goes from the build to production.

use super::Cast;
use super::check::{PATIENCE, PIPELINE, approve, ended, follow, serves, start};
use crate::command::demo::house::House;
use crate::command::demo::process::until;
use crate::command::demo::tell;
use crate::failure::CliFailure;
use serde_json::{Value, json};

pub(super) async fn webhook(house: &House, cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(2, "The build of the application calls the webhook: int-stable gets v2.3.0");
    let payload = json!({
        "service_name": "payment-service", "image_tag": "v2.3.0", "target_env": "int-stable", "target_region": "euw1",
    });
    let url = house.quiet(&["trigger", "url", "app_image_trigger"]).await?.trim().to_owned();
    tell::say(format!("POST {url}\n{payload}"));
    let failed = |error: reqwest::Error| CliFailure::failed(format!("the webhook does not answer: {error}"));
    let request = reqwest::Client::new().post(&url).header("x-api-key", &cast.build).json(&payload);
    let answer: Value = request.send().await.map_err(failed)?.json().await.map_err(failed)?;
    let event = answer["data"]["eventCorrelationId"].as_str().unwrap_or_default().to_owned();
    let run = until("the event to start a run", PATIENCE, async || {
        let shown = house.json(&["trigger", "events", &event]).await?;
        if !["QUEUED", "TARGET_EXECUTION_REQUESTED"].contains(&shown["status"].as_str().unwrap_or_default()) {
            return Err(CliFailure::failed(format!("the event started nothing: {shown}")));
        }
        let runs = house.json(&["run", "list"]).await?;
        Ok(runs[0]["run"].as_str().or_else(|| runs[0]["id"].as_str()).map(str::to_owned))
    })
    .await?;
    follow(house, &run, "Success").await?;
    serves(house, "int-stable", "v2.3.0").await
}

pub(super) async fn by_hand(house: &House, cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(
        3,
        "By hand to pre-stable, then to prod: two people approve, the window is open, a canary, two verifications",
    );
    let run = start(house, "v2.3.0", "pre-stable").await?;
    follow(house, &run, "Success").await?;
    serves(house, "pre-stable", "v2.3.0").await?;
    let run = start(house, "v2.3.0", "prod").await?;
    approve(house, cast, &run, "CHG-1001").await?;
    let shown = follow(house, &run, "Success").await?;
    for step in ["change_window_policy", "verify_canary_10", "verify_canary_50", "canary_complete", "verify_health"] {
        let status = &shown.step(step)["status"];
        super::check::expect(status == "Success", || format!("{step} of {PIPELINE} ended {status}"))?;
    }
    ended(house, &run, "Success").await?;
    serves(house, "prod", "v2.3.0").await
}
