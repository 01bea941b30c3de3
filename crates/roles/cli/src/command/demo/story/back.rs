//! Three ways back, and what is known afterwards.

use super::Cast;
use super::check::{ended, expect, follow, pods, serves, start};
use crate::command::demo::catalogue::Catalogue;
use crate::command::demo::house::House;
use crate::command::demo::tell;
use crate::failure::CliFailure;

const OVERLAY: &str = "catalog/payment-service/pre-stable/euw1/kustomization.yaml";

pub(super) async fn three_ways(house: &House, _cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(9, "Three ways back");
    tell::say("The previous tag again:");
    let newer = start(house, "v2.3.4", "pre-stable").await?;
    ended(house, &newer, "Success").await?;
    serves(house, "pre-stable", "v2.3.4").await?;
    let previous = start(house, "v2.3.0", "pre-stable").await?;
    ended(house, &previous, "Success").await?;
    serves(house, "pre-stable", "v2.3.0").await?;

    tell::say("A rollback of the run that succeeded, afterwards:");
    let arguments = ["run", "rollback", &previous];
    tell::prompt(&arguments);
    let started = house.json(&arguments).await?;
    let run = started["run"].as_str().unwrap_or_default().to_owned();
    follow(house, &run, "Success").await?;
    serves(house, "pre-stable", "v2.3.4").await?;

    tell::say("A commit of the configuration taken back, and a run with the newest `main`:");
    let catalogue = Catalogue::clone(house).await?;
    catalogue.change(house, OVERLAY, "count: 3", "count: 5", "Five pods in pre-stable").await?;
    let five = start(house, "v2.3.4", "pre-stable").await?;
    ended(house, &five, "Success").await?;
    pods(house, "pre-stable", 5).await?;
    catalogue.revert().await?;
    let three = start(house, "v2.3.4", "pre-stable").await?;
    ended(house, &three, "Success").await?;
    pods(house, "pre-stable", 3).await
}

pub(super) async fn audit(house: &House) -> Result<(), CliFailure> {
    tell::chapter(12, "Who did what: every run, and the audit trail");
    let listed = house.show(&["run", "list"]).await?;
    expect(listed, || "the runs cannot be listed".to_owned())?;
    let told = house.show(&["audit", "list"]).await?;
    expect(told, || "the audit trail cannot be read".to_owned())?;
    let verified = house.show(&["audit", "verify"]).await?;
    expect(verified, || "the chain of the audit trail is broken".to_owned())
}
