//! What is refused, by whom, and why.

use super::Cast;
use super::check::{Moment, PIPELINE, approve, ended, expect, reaches, start};
use crate::command::demo::house::{House, WEEKEND};
use crate::command::demo::tell;
use crate::failure::CliFailure;

pub(super) async fn strangers_and_regions(house: &House, cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(6, "A stranger may not approve, who started a run may not either, and there is no region euw2");
    let inputs = ["-i", "imageTag=v2.3.3", "-i", "targetEnvironment=prod", "-i", "targetRegion=euw1", "-o", "json"];
    let arguments: Vec<&str> = ["pipeline", "run", PIPELINE].into_iter().chain(inputs).collect();
    let (ok, out, err) = house.attempt(Some(&cast.ben.key), &arguments).await?;
    expect(ok, || format!("ben could not start it: {err}"))?;
    let started: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
    let run = started["run"].as_str().unwrap_or_default().to_owned();
    tell::say(format!("ben of the payments team starts {run}"));
    reaches(house, &run, Moment::Asking).await?;
    let arguments = ["approve", &run, "-i", "change_ticket=CHG-1", "-i", "rollback_plan=none"];
    for (who, key) in [("eve, of no team", &cast.eve.key), ("ben, who started it", &cast.ben.key)] {
        let (ok, out, err) = house.attempt(Some(key), &arguments).await?;
        expect(!ok, || format!("{who} could approve: {out}"))?;
        tell::say(format!("{who}: {}", err.lines().next().unwrap_or_default()));
    }
    house.quiet(&["run", "abort", &run]).await?;
    ended(house, &run, "Aborted").await?;
    let region = ["-i", "imageTag=v2.3.3", "-i", "targetEnvironment=int-stable", "-i", "targetRegion=euw2"];
    let arguments: Vec<&str> = ["pipeline", "run", PIPELINE, "--watch"].into_iter().chain(region).collect();
    let (ok, out, err) = house.attempt(None, &arguments).await?;
    expect(!ok && !out.contains("k8s_apply Running"), || format!("euw2 was accepted: {out}"))?;
    let told = [out, err].concat();
    let why = told.lines().find(|line| line.contains("euw2")).unwrap_or_default().to_owned();
    expect(!why.is_empty(), || format!("nobody says why euw2 is refused: {told}"))?;
    tell::say(format!("euw2: {}", why.trim()));
    Ok(())
}

pub(super) async fn weekend(house: &mut House, cast: &Cast) -> Result<(), CliFailure> {
    tell::chapter(10, "Saturday night: the change window is closed");
    house.kill_server();
    house.start_server(WEEKEND).await?;
    let run = start(house, "v2.3.3", "prod").await?;
    approve(house, cast, &run, "CHG-1009").await?;
    let shown = ended(house, &run, "Aborted").await?;
    let reason = shown.reason();
    expect(reason.contains("from Monday to Thursday"), || format!("the rule's message is missing: {reason}"))?;
    tell::say(format!("Because: {reason}"));
    Ok(())
}
