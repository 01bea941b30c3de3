//! People step in, and start old runs anew (pipelines §5.7, §5.8).

use crate::Api;
use crate::answer::Created;
use crate::caller::Caller;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::vendor::{Success, Vendor};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::NoContent;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_app::Failure;
use windlass_app::access::Permission::PipelineExecute;
use windlass_app::runs::interrupt::Command;
use windlass_app::runs::start::Started;
use windlass_engine::Choice;
use windlass_model::Json as Value;

/// Stepping in and starting anew is executing.
const EXECUTE: Door = Door::Needs(PipelineExecute);

pub(crate) fn routes() -> Routes {
    Routes::new().post("/runs/{id}/interrupt", EXECUTE, interrupt).post("/runs/{id}/retry", EXECUTE, retry).post(
        "/runs/{id}/rollback",
        EXECUTE,
        rollback,
    )
}

/// The vendor's paths.
pub(crate) fn vendor() -> Routes {
    let mut routes = Routes::new();
    for prefix in ["/gateway/pipeline/api/pipeline/execute", "/pipeline/api/pipeline/execute"] {
        let manual = format!("{prefix}/manualIntervention/interrupt/{{execution}}/{{node}}");
        routes = routes
            .put(&format!("{prefix}/interrupt/{{execution}}"), EXECUTE, vendor_interrupt)
            .put(&format!("{prefix}/interrupt/{{execution}}/{{node}}"), EXECUTE, vendor_interrupt_node)
            .put(&manual, EXECUTE, vendor_intervene)
            .post(&format!("{prefix}/retry/{{pipeline}}"), EXECUTE, vendor_retry);
    }
    routes
}

/// What is wanted, with the node it is about.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
enum Wanted {
    Abort {
        #[serde(default)]
        stage: Option<String>,
    },
    MarkAsFailed {
        node: String,
    },
    MarkAsSuccess {
        node: String,
    },
    StartStage {
        stage: String,
    },
    Pause {},
    Resume {},
    Intervene {
        node: String,
        #[schemars(schema_with = "choices")]
        choice: Choice,
    },
    GiveInputs {
        node: String,
        values: BTreeMap<String, Value>,
    },
}

fn choices(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Choice::ALL })
}

impl From<Wanted> for Command {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Abort { stage: None } => Self::Abort,
            Wanted::Abort { stage: Some(stage) } => Self::AbortStage { stage },
            Wanted::MarkAsFailed { node } => Self::MarkAsFailed { node },
            Wanted::MarkAsSuccess { node } => Self::MarkAsSuccess { node },
            Wanted::StartStage { stage } => Self::StartStage { stage },
            Wanted::Pause {} => Self::Pause,
            Wanted::Resume {} => Self::Resume,
            Wanted::Intervene { node, choice } => Self::Intervene { node, choice },
            Wanted::GiveInputs { node, values } => Self::GiveInputs { node, values },
        }
    }
}

async fn interrupt(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Json(wanted): Json<Wanted>,
) -> Answer<NoContent> {
    let run = caller.0.run(PipelineExecute, &id).await?;
    api.app.interrupt(&caller.0, &run, wanted.into()).await?;
    Ok(NoContent)
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Retry {
    /// Empty: the first stage that did not go well.
    stages: Vec<String>,
    /// Of a parallel block only the stages that failed.
    failed_only: bool,
}

async fn retry(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Json(retry): Json<Retry>,
) -> Answer<Created<Started>> {
    let run = caller.0.run(PipelineExecute, &id).await?;
    let started = api.app.retry_run(&caller.0, &run, &retry.stages, retry.failed_only).await?;
    Ok(Created(started))
}

async fn rollback(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<Created<Started>> {
    let run = caller.0.run(PipelineExecute, &id).await?;
    Ok(Created(api.app.rollback_run(&caller.0, &run).await?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Kind {
    interrupt_type: String,
}

fn unknown(word: &str) -> Failure {
    Failure::invalid("RUN0007", format!("`{word}` is not an interrupt that people can cause"))
}

async fn vendor_interrupt(
    State(api): State<Api>,
    caller: Caller,
    Path(execution): Path<String>,
    Query(kind): Query<Kind>,
) -> Vendor<Interrupted> {
    let command = match kind.interrupt_type.as_str() {
        "AbortAll" | "Abort" => Command::Abort,
        "Pause" => Command::Pause,
        "Resume" => Command::Resume,
        other => return Err(unknown(other).into()),
    };
    told(&api, &caller, &execution, command, &kind).await
}

async fn vendor_interrupt_node(
    State(api): State<Api>,
    caller: Caller,
    Path((execution, node)): Path<(String, String)>,
    Query(kind): Query<Kind>,
) -> Vendor<Interrupted> {
    let command = match kind.interrupt_type.as_str() {
        "AbortAll" | "Abort" => Command::AbortStage { stage: node },
        "UserMarkedFailure" | "UserMarkedFailAll" => Command::MarkAsFailed { node },
        "MarkAsSuccess" => Command::MarkAsSuccess { node },
        other => return Err(unknown(other).into()),
    };
    told(&api, &caller, &execution, command, &kind).await
}

async fn vendor_intervene(
    State(api): State<Api>,
    caller: Caller,
    Path((execution, node)): Path<(String, String)>,
    Query(kind): Query<Kind>,
) -> Vendor<Interrupted> {
    let word = match kind.interrupt_type.as_str() {
        "AbortAll" => "Abort",
        other => other,
    };
    let choice = serde_json::from_value(Value::String(word.to_owned())).map_err(|_| unknown(word))?;
    told(&api, &caller, &execution, Command::Intervene { node, choice }, &kind).await
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Interrupted {
    /// As it was asked.
    #[serde(rename = "type")]
    kind: String,
    plan_execution_id: String,
}

async fn told(api: &Api, caller: &Caller, execution: &str, command: Command, kind: &Kind) -> Vendor<Interrupted> {
    let run = caller.0.run(PipelineExecute, execution).await?;
    api.app.interrupt(&caller.0, &run, command).await?;
    let plan_execution_id = run.id.execution_id();
    Ok(Success::json(Interrupted { kind: kind.interrupt_type.clone(), plan_execution_id }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RetryQuery {
    plan_execution_id: String,
    /// Separated by commas.
    #[serde(default)]
    retry_stages: Option<String>,
    #[serde(default)]
    run_all_stages: Option<String>,
}

/// The run that began.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Retried {
    plan_execution: PlanExecution,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct PlanExecution {
    uuid: String,
    run_sequence: u64,
}

async fn vendor_retry(
    State(api): State<Api>,
    caller: Caller,
    Path(_pipeline): Path<String>,
    Query(query): Query<RetryQuery>,
) -> Vendor<Retried> {
    let run = caller.0.run(PipelineExecute, &query.plan_execution_id).await?;
    let stages: Vec<String> =
        query.retry_stages.iter().flat_map(|s| s.split(',')).map(|s| s.trim().to_owned()).collect();
    let failed_only = query.run_all_stages.as_deref() == Some("false");
    let started = api.app.retry_run(&caller.0, &run, &stages, failed_only).await?;
    let plan_execution = PlanExecution { uuid: started.execution_id, run_sequence: started.sequence };
    Ok(Success::json(Retried { plan_execution }))
}
