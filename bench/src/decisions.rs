//! How many decisions one core makes in a second.
//!
//! Each decision ends one step and starts the next; its events are applied and turned into effects, as the server does. Nothing is
//! stored.

use crate::figure::Report;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use windlass_engine::{Effect, Input, NodeAttempt, Refusal, Run, Start, TaskFinished, apply, effects, transition};
use windlass_model::pipeline::Pipeline;
use windlass_model::task::Outcome;
use windlass_model::{Json, Timestamp};

pub(crate) fn measure(report: &mut Report) {
    for (kind, script) in
        [("plain", "true"), ("with two expressions", "deploy <+pipeline.variables.tag> to <+stage.name>")]
    {
        for (stages, steps) in [(2, 10), (10, 100)] {
            let start = Arc::new(start(stages, steps, script).unwrap());
            let samples = (0..report.times).map(|_| pace(&start)).collect();
            report.tell(&format!("decisions, {stages} stages of {steps} steps, {kind}"), "/s", None, samples);
        }
    }
}

fn pace(start: &Arc<Start>) -> f64 {
    let (began, mut decisions) = (Instant::now(), 0);
    while decisions < 20_000 {
        decisions += play(start).unwrap();
    }
    f64::from(decisions) / began.elapsed().as_secs_f64()
}

/// Plays a run to its end; counts the decisions.
fn play(start: &Arc<Start>) -> Result<u32, Refusal> {
    let mut run = Run::new(start.run);
    let mut input = Input::Start(Arc::clone(start));
    let mut decisions = 0;
    loop {
        let decided = transition(&run, input, Timestamp::from_secs(1_700_000_000))?;
        let mut task = None;
        for event in &decided.events {
            apply(&mut run, event);
            task = effects(&run, event).into_iter().find_map(started).or(task);
        }
        decisions += 1;
        let Some(at) = task else { return Ok(decisions) };
        let outcome = Outcome::Succeeded { output: Json::Null };
        input = Input::TaskFinished(TaskFinished { at, outcome, worker: None });
    }
}

fn started(effect: Effect) -> Option<NodeAttempt> {
    match effect {
        Effect::StartTask(task) => Some(task.at.clone()),
        _ => None,
    }
}

fn start(stages: usize, steps: usize, script: &str) -> Result<Start, serde_json::Error> {
    let step = |at: usize| {
        let spec = json!({"shell": "Bash", "source": {"type": "Inline", "spec": {"script": script}}});
        json!({"step": {"identifier": format!("step_{at}"), "name": "step", "type": "ShellScript", "spec": spec}})
    };
    let stage = |at: usize| {
        let steps: Vec<_> = (0..steps).map(step).collect();
        let kind = json!({"type": "Custom", "spec": {"steps": steps}});
        json!({"one": {"identifier": format!("stage_{at}"), "name": "stage", "kind": kind}})
    };
    let pipeline: Pipeline = serde_json::from_value(json!({
        "identifier": "pace", "name": "pace", "org": "default", "project": "bench",
        "variables": [{"name": "tag", "value": "v2"}],
        "stages": (0..stages).map(stage).collect::<Vec<_>>(),
    }))?;
    serde_json::from_value(json!({
        "run": "run_01J9ZZZZZZZZZZZZZZZZZZZZZZ", "pipeline": pipeline, "document": {}, "sequence": 1,
        "facts": {}, "startedBy": {"principal": "user:ada", "name": "Ada"}, "nonce": "0123456789abcdef0123456789abcdef",
    }))
}
