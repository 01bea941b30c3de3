//! Runs: started, followed, and looked at.

use super::Cast;
use crate::command::demo::house::House;
use crate::command::demo::people::Person;
use crate::command::demo::process::until;
use crate::command::demo::{cluster, tell};
use crate::failure::CliFailure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// The pipeline of the example.
pub(super) const PIPELINE: &str = "payment_service_cd";

/// A run takes seconds here; this is for machines that are busy.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// After a run the last old pods may still be on their way out.
const SETTLING: Duration = Duration::from_secs(30);

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
    reaches(house, run, Moment::Asking).await?;
    for person in [&cast.ana, &cast.chloe] {
        answer(house, person, run, ticket).await?;
    }
    Ok(())
}

/// A point in a run's life that the story waits for.
#[derive(Clone, Copy)]
pub(super) enum Moment {
    /// People are asked to approve.
    Asking,
    /// A step has begun.
    Begun(&'static str),
    /// A delegate has the task of a step.
    Taken(&'static str),
}

impl Moment {
    fn is_now(self, shown: &Shown) -> bool {
        match self {
            Self::Asking => shown.status() == "ApprovalWaiting",
            Self::Begun(step) => shown.step(step)["startedAt"].is_number(),
            Self::Taken(step) => shown.step(step)["worker"].is_string(),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Asking => "the approval to be asked for".to_owned(),
            Self::Begun(step) => format!("{step} to begin"),
            Self::Taken(step) => format!("a delegate to take {step}"),
        }
    }
}

pub(super) async fn reaches(house: &House, run: &str, moment: Moment) -> Result<(), CliFailure> {
    until(&moment.name(), PATIENCE, async || {
        let shown = shown(house, run).await?;
        let is_now = moment.is_now(&shown);
        if !is_now && shown.is_over() {
            return Err(CliFailure::failed(format!("{run} ended too early: {}", shown.reason())));
        }
        Ok(is_now.then_some(()))
    })
    .await
    .map_err(|failure| failure.hint(format!("waited for {}", moment.name())))
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

/// Reads the cluster and checks that all pods run this tag.
pub(super) async fn serves(house: &House, environment: &str, tag: &str) -> Result<(), CliFailure> {
    holds(house, environment, &format!("{tag} alone"), |tags| tags.len() == 1 && tags.contains_key(tag)).await
}

/// Reads the cluster and checks that this many pods are ready.
pub(super) async fn pods(house: &House, environment: &str, wanted: usize) -> Result<(), CliFailure> {
    holds(house, environment, &format!("{wanted} pods"), |tags| tags.values().sum::<usize>() == wanted).await
}

/// Waits until the tags of a cluster's pods, and how often each is there, are as wanted.
async fn holds(
    house: &House,
    environment: &str,
    what: &str,
    wanted: impl Fn(&BTreeMap<String, usize>) -> bool,
) -> Result<(), CliFailure> {
    let site = house.site(environment)?;
    let mut seen = String::new();
    let found = until(&format!("{environment} to serve {what}"), SETTLING, async || {
        let tags = cluster::tags(site).await?;
        seen = cluster::shown(&tags);
        Ok(wanted(&tags).then_some(tags))
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
