//! Pipelines: stages, groups, strategies.

use super::parts::{
    anything, duration, expression, keys, list, object, one_line, selectors, text, texts, variables, whole, word,
    yes_or_no,
};
use super::steps;
use serde_json::{Map, json};
use windlass_model::{FailureType, Json};

/// The keys of a pipeline besides the head's.
pub(super) fn keys_of_pipeline() -> (Map<String, Json>, &'static [&'static str]) {
    let barrier = object(
        keys([
            ("identifier", text("What Barrier steps name.")),
            ("name", text("For people.")),
            ("stages", anything("Kept, and not read.")),
        ]),
        &["identifier"],
    );
    let own = keys([
        ("variables", variables()),
        ("stages", list(reference("stageItem"), "What runs, in order.")),
        (
            "flowControl",
            object(keys([("barriers", list(barrier, "Where steps of parallel stages wait for each other."))]), &[]),
        ),
        ("notificationRules", list(anything(""), "Whom to tell what.")),
        ("delegateSelectors", selectors()),
        ("timeout", duration("The longest the pipeline runs.")),
        ("allowStageExecutions", yes_or_no("Single stages may be run.")),
        ("fixedInputsOnRerun", yes_or_no("A run again takes the inputs it had.")),
        ("properties", anything("Kept, and not read.")),
        ("triggers", list(anything(""), "Triggers of this pipeline; better as documents of their own.")),
    ]);
    (own, &["stages"])
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// What pipelines are made of, by name.
pub(super) fn definitions() -> Json {
    let exactly_one = |choices: &[(&str, Json)]| {
        let forms: Vec<Json> =
            choices.iter().map(|(key, schema)| object(keys([(key, schema.clone())]), &[key])).collect();
        json!({ "oneOf": forms })
    };
    let stages = list(exactly_one(&[("stage", reference("stage"))]), "Stages side by side.");
    let nodes = list(reference("node"), "Steps and groups side by side.");
    json!({
        "stageItem": exactly_one(&[("stage", reference("stage")), ("parallel", stages)]),
        "stage": stage(),
        "execution": object(
            keys([
                ("steps", list(reference("node"), "What runs, in order.")),
                ("rollbackSteps", list(reference("node"), "What runs when the stage is rolled back.")),
            ]),
            &["steps"],
        ),
        "node": exactly_one(&[("step", reference("step")), ("stepGroup", reference("group")), ("parallel", nodes)]),
        "step": step(),
        "group": group(),
        "failureStrategy": strategy(),
        "action": action(),
        "strategy": looping(),
    })
}

/// What stages, groups and steps share.
fn common(status: &str) -> Map<String, Json> {
    let words = word(&["Success", "Failure", "All"], "What must have happened before.");
    let when = object(keys([(status, words), ("condition", text("An expression that must be true besides."))]), &[]);
    keys([
        ("identifier", text("Names it in the pipeline; expressions use it.")),
        ("name", one_line("For people.")),
        ("description", text("For people.")),
        ("when", json!({ "anyOf": [when, expression()], "description": "Whether it runs." })),
        ("failureStrategies", list(reference("failureStrategy"), "What happens on which errors.")),
        ("strategy", reference("strategy")),
        ("delegateSelectors", selectors()),
        ("timeout", duration("The longest it runs.")),
    ])
}

fn stage() -> Json {
    let mut own = common("pipelineStatus");
    own.extend(keys([
        ("type", word(&["Deployment", "Approval", "Custom"], "Deployment brings a service into an environment.")),
        ("tags", json!({ "type": "object" })),
        ("variables", variables()),
        ("spec", json!({ "type": "object" })),
        (
            "runMode",
            object(
                keys([
                    ("type", word(&["Auto", "Manual"], "Manual: somebody starts the stage.")),
                    ("timeout", duration("How long it waits for that.")),
                ]),
                &["type"],
            ),
        ),
    ]));
    let is = |kind: &str, spec: Json| {
        json!({
            "if": { "properties": { "type": { "const": kind } }, "required": ["type"] },
            "then": { "properties": { "spec": spec } },
        })
    };
    let plain = || object(keys([("execution", reference("execution")), ("environment", anything(""))]), &["execution"]);
    let mut schema = object(own, &["identifier", "type", "spec"]);
    schema["allOf"] = json!([is("Deployment", deployment()), is("Approval", plain()), is("Custom", plain())]);
    schema
}

fn deployment() -> Json {
    let from_stage = || object(keys([("stage", text("An earlier stage."))]), &["stage"]);
    let service = keys([
        ("serviceRef", text("The service.")),
        ("serviceInputs", anything("Values for its runtime inputs.")),
        ("useFromStage", from_stage()),
    ]);
    let infrastructure =
        keys([("identifier", text("The infrastructure.")), ("inputs", anything("Values for its runtime inputs."))]);
    let environment = keys([
        ("environmentRef", text("The environment.")),
        ("deployToAll", yes_or_no("Every infrastructure of the environment.")),
        (
            "infrastructureDefinitions",
            json!({ "anyOf": [list(object(infrastructure, &["identifier"]), ""), expression()], "description": "Where." }),
        ),
        ("environmentInputs", anything("Values for its runtime inputs.")),
        ("serviceOverrideInputs", anything("Values for the overrides' runtime inputs.")),
        ("useFromStage", from_stage()),
    ]);
    // Forms that the reader tolerates besides are not offered.
    let open = |properties: Map<String, Json>| json!({ "type": "object", "properties": properties });
    json!({
        "type": "object",
        "properties": keys([
            ("deploymentType", word(&["Kubernetes"], "How it is deployed.")),
            ("service", open(service)),
            ("environment", open(environment)),
            ("execution", reference("execution")),
        ]),
        "required": ["service", "environment", "execution"],
    })
}

fn step() -> Json {
    let mut own = common("stageStatus");
    own.extend(keys([
        ("type", steps::types()),
        ("spec", json!({})),
        ("enforce", object(keys([("policySets", texts("Policy sets that are asked before the step runs."))]), &[])),
    ]));
    let mut schema = object(own, &["identifier", "type"]);
    schema["allOf"] = Json::Array(steps::specs());
    schema
}

fn group() -> Json {
    let mut own = common("stageStatus");
    own.extend(keys([
        ("steps", list(reference("node"), "What runs, in order.")),
        ("rollbackSteps", list(reference("node"), "What runs when the group is rolled back.")),
        ("variables", variables()),
        ("stepGroupInfra", anything("A group in containers; cannot run here yet.")),
        ("sharedPaths", anything("Of a group in containers.")),
        ("platform", anything("Of a group in containers.")),
    ]));
    object(own, &["identifier", "steps"])
}

fn strategy() -> Json {
    let errors: Vec<&str> = std::iter::once("AllErrors").chain(FailureType::ALL.iter().map(|one| one.name())).collect();
    let on_failure = keys([("errors", list(word(&errors, ""), "Which errors.")), ("action", reference("action"))]);
    object(keys([("onFailure", object(on_failure, &["errors", "action"]))]), &["onFailure"])
}

fn action() -> Json {
    let nested = || object(keys([("action", reference("action"))]), &["action"]);
    let spec = keys([
        ("retryCount", whole("How often it is tried again.")),
        ("retryIntervals", list(duration(""), "How long to wait before each; the last one stays.")),
        ("condition", text("Whether to try again.")),
        ("onRetryFailure", nested()),
        ("timeout", duration("How long to wait for a person.")),
        ("onTimeout", nested()),
    ]);
    let kind = word(
        crate::pipeline::ACTIONS,
        "Retry, ManualIntervention and RetryStepGroup have a spec; StepGroupRollback and RetryStepGroup belong to groups.",
    );
    object(keys([("type", kind), ("spec", object(spec, &[]))]), &["type"])
}

fn looping() -> Json {
    let repeat = keys([
        ("times", whole("How often.")),
        ("items", anything("Or once for each of these: <+repeat.item>.")),
        ("partitionSize", whole("Items of one round.")),
        ("maxConcurrency", whole("How many at once.")),
        ("unit", anything("Kept, and not read.")),
        ("start", anything("Kept, and not read.")),
        ("end", anything("Kept, and not read.")),
    ]);
    let own = keys([
        ("parallelism", whole("How many copies side by side.")),
        ("repeat", object(repeat, &[])),
        (
            "matrix",
            json!({ "description": "Axes: once for every combination of their values.", "type": ["object", "string"] }),
        ),
        ("maxConcurrency", whole("How many at once.")),
        ("when", text("Which rounds run.")),
        ("onFailure", word(&["RunAll", "SkipQueued"], "What becomes of the others when one fails.")),
    ]);
    let mut schema = object(own, &[]);
    schema["description"] = json!("Runs it several times: exactly one of matrix, repeat, parallelism.");
    schema
}
