//! Runs: started, followed, and looked at.

use super::Cast;
use crate::command::demo::house::House;
use crate::command::demo::people::Person;
use crate::command::demo::process::until;
use crate::command::demo::{cluster, tell};
use crate::failure::CliFailure;
use serde_json::Value;
use std::time::Duration;

/// The pipeline of the example.
pub(super) const PIPELINE: &str = "payment_service_cd";

/// A run takes seconds here; this is for machines that are busy.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// The parts of a run.
pub(super) struct Shown(pub(super) Value);

impl Shown {
    pub(super) fn status(&self) -> &str {
        self.0["run"]["status"].as_str().unwrap_or_default()
    }

    pub(super) fn is_over(&self) -> bool {
        self.0["run"]["endedAt"].is_number()
    }

    /// The newest attempt of a step.
    pub(super) fn step(&self, identifier: &str) -> &Value {
        let mut nodes = self.0["nodes"].as_array().into_iter().flatten().rev();
        nodes.find(|node| node["identifier"] == identifier).unwrap_or(&Value::Null)
    }

    /// What went wrong, in the words of the step that failed.
    pub(super) fn reason(&self) -> String {
        let mut nodes = self.0["nodes"].as_array().into_iter().flatten().rev();
        let text = nodes.find_map(|node| node["failure"]["message"].as_str());
        text.unwrap_or_default().to_owned()
    }
}

pub(super) async fn shown(house: &House, run: &str) -> Result<Shown, CliFailure> {
    Ok(Shown(house.json(&["run", "show", run]).await?))
}

/// Starts the pipeline as a person would, and answers with the run.
pub(super) async fn start(house: &House, tag: &str, environment: &str) -> Result<String, CliFailure> {
    let (tag, target) = (format!("imageTag={tag}"), format!("targetEnvironment={environment}"));
    let arguments = ["pipeline", "run", PIPELINE, "-i", &tag, "-i", &target, "-i", "targetRegion=euw1"];
    tell::prompt(&arguments);
    let started = house.json(&arguments).await?;
    let run = started["run"].as_str().unwrap_or_default().to_owned();
    tell::say(&run);
    Ok(run)
}

/// Waits for the production question and answers it with the two groups.
pub(super) async fn approve(house: &House, cast: &Cast, run: &str, ticket: &str) -> Result<(), CliFailure> {
    waiting(house, run).await?;
    for person in [&cast.ana, &cast.chloe] {
        answer(house, person, run, ticket).await?;
    }
    Ok(())
}

pub(super) async fn waiting(house: &House, run: &str) -> Result<(), CliFailure> {
    until("the approval to be asked for", PATIENCE, async || {
        let shown = shown(house, run).await?;
        if shown.is_over() {
            return Err(CliFailure::failed(format!("{run} ended without asking: {}", shown.reason())));
        }
        Ok((shown.status() == "ApprovalWaiting").then_some(()))
    })
    .await
}

async fn answer(house: &House, person: &Person, run: &str, ticket: &str) -> Result<(), CliFailure> {
    let (ticket, plan) = (format!("change_ticket={ticket}"), "rollback_plan=the previous tag".to_owned());
    let arguments = ["approve", run, "-i", &ticket, "-i", &plan];
    let (ok, out, err) = house.attempt(Some(&person.key), &arguments).await?;
    if !ok {
        return Err(CliFailure::failed(format!("{} could not approve {run}: {out}{err}", person.name)));
    }
    tell::say(format!("{} approves", person.name));
    Ok(())
}

/// Follows a run to its end, live, and checks how it ended.
pub(super) async fn follow(house: &House, run: &str, wanted: &str) -> Result<Shown, CliFailure> {
    house.show(&["run", "watch", run]).await?;
    ended(house, run, wanted).await
}

/// Waits for the end of a run and checks how it ended.
pub(super) async fn ended(house: &House, run: &str, wanted: &str) -> Result<Shown, CliFailure> {
    let shown = until(&format!("the end of {run}"), PATIENCE, async || {
        let shown = shown(house, run).await?;
        Ok(shown.is_over().then_some(shown))
    })
    .await?;
    if shown.status() != wanted {
        let status = shown.status();
        return Err(CliFailure::failed(format!("{run} ended {status}, not {wanted}: {}", shown.reason())));
    }
    Ok(shown)
}

/// Waits until a step of a run is under way.
pub(super) async fn under_way(house: &House, run: &str, step: &str) -> Result<(), CliFailure> {
    until(&format!("{step} to begin"), PATIENCE, async || {
        let shown = shown(house, run).await?;
        if shown.is_over() {
            return Err(CliFailure::failed(format!("{run} ended before {step}: {}", shown.reason())));
        }
        Ok(shown.step(step)["startedAt"].is_number().then_some(()))
    })
    .await
}

/// Waits until a delegate has the task of a step.
pub(super) async fn taken(house: &House, run: &str, step: &str) -> Result<(), CliFailure> {
    until(&format!("a delegate to take {step}"), PATIENCE, async || {
        let shown = shown(house, run).await?;
        if shown.is_over() {
            return Err(CliFailure::failed(format!("{run} ended before {step}: {}", shown.reason())));
        }
        Ok(shown.step(step)["worker"].is_string().then_some(()))
    })
    .await
}

/// Reads the cluster and checks that all pods run this tag.
pub(super) async fn serves(house: &House, environment: &str, tag: &str) -> Result<(), CliFailure> {
    let site = house.site(environment)?;
    let mut seen = String::new();
    let found = until(&format!("{environment} to serve {tag} alone"), Duration::from_secs(20), async || {
        let tags = cluster::tags(site).await?;
        seen = cluster::shown(&tags);
        Ok((tags.len() == 1 && tags.contains_key(tag)).then_some(tags))
    })
    .await;
    let tags = found.map_err(|failure| failure.hint(format!("{environment} serves {seen}")))?;
    tell::say(format!("The cluster {environment} says: {}", cluster::shown(&tags)));
    Ok(())
}

/// Fails with a sentence unless it is so.
pub(super) fn expect(is: bool, what: impl FnOnce() -> String) -> Result<(), CliFailure> {
    if is { Ok(()) } else { Err(CliFailure::failed(what())) }
}
