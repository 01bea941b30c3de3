//! Processes are killed in the middle, and the work goes on.

use super::Cast;
use super::check::{Moment, approve, expect, follow, reaches, serves, start};
use crate::command::demo::house::{House, START};
use crate::command::demo::tell;
use crate::failure::CliFailure;

pub(super) async fn delegate_killed(house: &mut House, cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(
        7,
        "v2.3.3 to prod; its delegate is killed while it changes the cluster, and a twin goes on from there",
    );
    let run = start(house, "v2.3.3", "prod").await?;
    approve(house, cast, &run, "CHG-1004").await?;
    reaches(house, &run, Moment::Taken("k8s_apply")).await?;
    house.kill_delegate("prod", 0)?;
    tell::say("SIGKILL to the delegate of prod");
    house.start_delegate("prod").await?;
    tell::say("Its twin has connected");
    let shown = follow(house, &run, "Success").await?;
    let step = shown.step("k8s_apply");
    expect(step["status"] == "Success", || format!("k8s_apply ended {}", step["status"]))?;
    let told = house.quiet(&["run", "watch", &run]).await?;
    expect(told.contains("k8s_apply: handed over from"), || "the delegate died too late to be missed".to_owned())?;
    let logged = house.quiet(&["run", "logs", &run, "--step", "k8s_apply"]).await?;
    expect(!logged.is_empty(), || "the step that changed hands has no log".to_owned())?;
    serves(house, "prod", "v2.3.3").await
}

pub(super) async fn server_killed(house: &mut House, cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(8, "v2.3.4 to prod; the server is killed in the middle of the canary and started again");
    let run = start(house, "v2.3.4", "prod").await?;
    approve(house, cast, &run, "CHG-1005").await?;
    reaches(house, &run, Moment::Begun("canary_10")).await?;
    house.kill_server();
    tell::say("SIGKILL to the server");
    house.start_server(START).await?;
    let shown = follow(house, &run, "Success").await?;
    for step in ["canary_10", "verify_canary_10", "canary_complete"] {
        let status = &shown.step(step)["status"];
        expect(status == "Success", || format!("{step} ended {status}"))?;
    }
    serves(house, "prod", "v2.3.4").await
}
