//! Releases that are not good.

use super::Cast;
use super::check::{approve, expect, follow, serves, start};
use crate::command::demo::house::House;
use crate::command::demo::tell;
use crate::failure::CliFailure;

pub(super) async fn more_errors(house: &House, cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(4, "v2.3.1 answers more requests with an error: verification says so, and the stage rolls back");
    let run = start(house, "v2.3.1", "prod").await?;
    approve(house, cast, &run, "CHG-1002").await?;
    let shown = follow(house, &run, "Failed").await?;
    let status = &shown.step("verify_canary_10")["status"];
    expect(status == "Failed", || format!("the verification ended {status}"))?;
    tell::say(format!("Because: {}", shown.reason()));
    serves(house, "prod", "v2.3.0").await
}

pub(super) async fn no_image(house: &House, cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(5, "v2.3.2 was never pushed: the reason is told with the image's name, and the stage rolls back");
    let run = start(house, "v2.3.2", "prod").await?;
    approve(house, cast, &run, "CHG-1003").await?;
    let shown = follow(house, &run, "Failed").await?;
    let reason = shown.reason();
    expect(reason.contains("payment-service:v2.3.2"), || format!("the reason does not name the image: {reason}"))?;
    tell::say(format!("Because: {reason}"));
    serves(house, "prod", "v2.3.0").await
}
