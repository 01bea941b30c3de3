//! One rehearsal from the beginning to its report.

use crate::answers::Answers;
use crate::clusters::{known_images, seeds};
use crate::documents::Known;
use crate::report::{ClusterReport, Report, Step, time};
use crate::world::{SETTLE, World};
use crate::{Approvals, Fault, Rehearsal, difference};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::Path;
use windlass_app::Failure;
use windlass_app::access::Permission::{PipelineExecute, PipelineView};
use windlass_app::access::Verb;
use windlass_app::runs::start::RunRequest;
use windlass_clock::{Clock, virtual_runtime};
use windlass_diagnostic::nearest;
use windlass_document::Kind;
use windlass_engine::Projection;
use windlass_model::{Identifier, Millis, Scope, Status, Timestamp};
use windlass_store::Topic;
use windlass_workloads::Catalog;

/// Why there was no rehearsal, or why the run did not even start.
#[derive(Debug, thiserror::Error)]
pub enum RehearseError {
    #[error("{file} cannot be saved: {}", .failure.message)]
    Document { file: String, failure: Failure },
    #[error("the setting `{name}` cannot be set: {}", .failure.message)]
    Setting { name: String, failure: Failure },
    #[error("the documents hold no pipeline `{pipeline}`{}", meant(.near))]
    Pipeline { pipeline: String, near: Option<String> },
    #[error("the documents hold no connector `{connector}` of a Kubernetes cluster{}", meant(.near))]
    Connector { connector: String, near: Option<String> },
    #[error("{connector}: {object} cannot be put into the simulated cluster: {reason}")]
    Seed { connector: String, object: String, reason: String },
    #[error("the run is refused: {}", .0.message)]
    Refused(Failure),
    #[error("the run before this one, which would have made the state of the clusters, fails too:\n{0}")]
    Deployed(Box<Report>),
    #[error("the simulated installation does not work: {}", chain(.0))]
    Server(Failure),
    #[error("cannot prepare the rehearsal: {0}")]
    Folder(String),
}

fn meant(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

fn chain(failure: &Failure) -> String {
    let mut text = failure.message.clone();
    let mut cause = std::error::Error::source(failure);
    while let Some(next) = cause {
        text.push_str(&format!(": {next}"));
        cause = next.source();
    }
    text
}

/// Between the run that made the state and this one: the same hour of the same weekday.
const WEEK: Millis = Millis::from_mins(7 * 24 * 60);

fn earlier(at: Timestamp, by: Millis) -> Timestamp {
    let by = i64::try_from(by.0).unwrap_or(i64::MAX).saturating_mul(1_000);
    Timestamp::from_micros(at.micros().saturating_sub(by))
}

/// Rehearses. Takes a thread of its own: it makes a runtime whose time is virtual, and blocks until the end.
pub fn rehearse(rehearsal: &Rehearsal) -> Result<Report, RehearseError> {
    let prepared = |error: std::io::Error| RehearseError::Folder(error.to_string());
    let known = Known::of(rehearsal);
    let folder = tempfile::tempdir().map_err(prepared)?;
    let mut objects = rehearsal.clusters.clone();
    let start = |at: Timestamp| earlier(at, SETTLE);
    if !rehearsal.deployed.is_empty() {
        let mut inputs = rehearsal.inputs.clone();
        inputs.extend(rehearsal.deployed.clone());
        let at = rehearsal.deployed_at.unwrap_or_else(|| earlier(rehearsal.at, WEEK));
        let before = Rehearsal {
            faults: Vec::new(),
            plan: Default::default(),
            approvals: Approvals::Auto,
            inputs,
            at,
            ..rehearsal.clone()
        };
        let folder = folder.path().join("before");
        objects = virtual_runtime().map_err(prepared)?.block_on(async {
            let clock = Clock::simulated(start(at));
            let world = World::open(&before, &known, before.images.clone(), &objects, clock, &folder).await?;
            let report = run(&before, &known, &world).await?;
            if report.success {
                Ok(seeds(&world.clusters.states()))
            } else {
                Err(RehearseError::Deployed(Box::new(report)))
            }
        })?;
    }
    let images = struck(rehearsal, &objects);
    let folder: &Path = &folder.path().join("run");
    virtual_runtime().map_err(prepared)?.block_on(async {
        let clock = Clock::simulated(start(rehearsal.at));
        let world = World::open(rehearsal, &known, images, &objects, clock, folder).await?;
        run(rehearsal, &known, &world).await
    })
}

/// The images, those that are released now with the faults.
fn struck(rehearsal: &Rehearsal, objects: &BTreeMap<String, Vec<Json>>) -> Catalog {
    if rehearsal.faults.is_empty() {
        return rehearsal.images.clone();
    }
    let faults: &[Fault] = &rehearsal.faults;
    rehearsal.images.clone().struck(known_images(objects), |profile| faults.iter().for_each(|f| f.strike(profile)))
}

async fn run(rehearsal: &Rehearsal, known: &Known, world: &World) -> Result<Report, RehearseError> {
    world.clock.sleep_until(rehearsal.at).await;
    let before = world.clusters.states();
    let mut plan = rehearsal.plan.clone();
    rehearsal.faults.iter().for_each(|fault| fault.plan(&mut plan));
    world.clusters.strike(&plan);

    let (scope, id) = pipeline(rehearsal, known)?;
    let mut answers = Answers::default();
    let (projection, waits) = go(rehearsal, known, world, &scope, &id, &mut answers).await?;

    // What is on its way comes to an end.
    world.clock.sleep(SETTLE).await;
    let after = world.clusters.states();
    let nothing = BTreeMap::new();
    let clusters: Vec<ClusterReport> = after
        .iter()
        .map(|(name, state)| {
            let pods = world.clusters.pods(name);
            difference::report(name, before.get(name).unwrap_or(&nothing), state, &pods)
        })
        .filter(|report| !report.changes.is_empty() || !report.workloads.is_empty())
        .collect();
    let row = &projection.run;
    let started = row.started_at.unwrap_or(rehearsal.at);
    Ok(Report {
        pipeline: row.pipeline.clone(),
        status: row.status,
        success: row.status == Status::Success,
        failure: row.failure.as_ref().map(|failure| failure.message.clone()),
        started_at: time(started),
        ended_at: row.ended_at.map(time),
        took: row.ended_at.map(|end| end.since(started).to_string()),
        faults: rehearsal.faults.iter().map(ToString::to_string).collect(),
        waits,
        steps: Step::all(&projection),
        invented: invented(rehearsal, known, &answers),
        asked: answers.asked,
        not_done: world.noted.take(),
        clusters,
        diagnostics: world.found.clone(),
    })
}

fn pipeline(rehearsal: &Rehearsal, known: &Known) -> Result<(Scope, String), RehearseError> {
    let wanted = &rehearsal.pipeline;
    let found = known.pipelines.get(wanted).map(|scope| (scope.clone(), wanted.clone())).or_else(|| {
        let folded = Identifier::folded(wanted);
        known.pipelines.get(&folded).map(|scope| (scope.clone(), folded))
    });
    found.ok_or_else(|| RehearseError::Pipeline {
        pipeline: wanted.clone(),
        near: nearest(wanted, known.pipelines.keys().map(String::as_str)).map(str::to_owned),
    })
}

/// Starts the run and goes with it until it ends, or until it waits for somebody who does not come.
async fn go(
    rehearsal: &Rehearsal,
    known: &Known,
    world: &World,
    scope: &Scope,
    id: &str,
    answers: &mut Answers,
) -> Result<(Projection, Option<String>), RehearseError> {
    let app = &world.app;
    let seen = world.caller.document(Verb::View, Kind::Pipeline, scope, None, id).await;
    let seen = seen.map_err(RehearseError::Refused)?;
    let pipeline = world.caller.authorize(PipelineExecute, seen.into_inner()).await.map_err(RehearseError::Refused)?;
    let request = RunRequest { inputs: rehearsal.inputs.clone(), ..RunRequest::default() };
    let mut changes = app.store().changes();
    let started = app.start_run(&world.caller, &pipeline, request).await.map_err(RehearseError::Refused)?;
    let run = world.caller.stored_run(PipelineView, started.run).await.map_err(RehearseError::Server)?;
    let answer = rehearsal.approvals == Approvals::Auto;
    loop {
        let projection = app.run(&run).await.map_err(RehearseError::Server)?;
        if projection.run.ended_at.is_some() {
            return Ok((projection, None));
        }
        let asked = answers.look(world, known, scope, started.run, answer).await.map_err(RehearseError::Server)?;
        if asked && answer {
            continue;
        }
        let stuck = projection.nodes.iter().find(|node| match node.status {
            Status::ApprovalWaiting => !answer && asked || answers.asked.iter().any(|a| a.problem.is_some()),
            Status::InterventionWaiting | Status::InputWaiting => node.kind != "Pipeline",
            _ => false,
        });
        if let Some(node) = stuck {
            let why = node.reason.clone().unwrap_or_else(|| node.status.to_string());
            let waits = format!("{}: {why}", node.name);
            return Ok((projection, Some(waits)));
        }
        let topics = [Topic::Runs, Topic::Approvals];
        let _ = world.clock.timeout(Millis::from_secs(60), changes.any_of(&topics)).await;
    }
}

fn invented(rehearsal: &Rehearsal, known: &Known, answers: &Answers) -> Vec<String> {
    let mut told = Vec::new();
    if answers.asked.iter().any(|asked| !asked.answered_by.is_empty()) {
        told.push("approvals are answered by invented members of the groups that are asked".to_owned());
    }
    let secrets = known.secret_files.len() + known.secret_variables.len();
    if secrets > 0 {
        told.push(format!("{secrets} secrets have invented values"));
    }
    told.push("one delegate that carries every tag does the work".to_owned());
    if !rehearsal.deployed.is_empty() {
        told.push(
            "the state of the clusters was made by an earlier run of the same pipeline, without faults".to_owned(),
        );
    }
    told
}
