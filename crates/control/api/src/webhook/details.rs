//! What became of an event, in the vendor's words (pipelines §7.2).

use crate::Api;
use crate::caller::Caller;
use crate::vendor::{Success, Vendor};
use axum::extract::{Path, Query, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_app::Failure;
use windlass_app::access::Permission::PipelineView;
use windlass_app::triggers::status::EXCEPTION;
use windlass_model::id::EventId;
use windlass_model::{Identifier, RunId, Status, Timestamp};

pub(super) async fn of_path(State(api): State<Api>, caller: Caller, Path(event): Path<String>) -> Vendor<Details> {
    shown(&api, &caller, &event).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfEvent {
    event_id: String,
}

pub(super) async fn of_query(State(api): State<Api>, caller: Caller, Query(of): Query<OfEvent>) -> Vendor<Details> {
    shown(&api, &caller, &of.event_id).await
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) struct Details {
    webhook_processing_details: Processing,
    execution_details: Execution,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Processing {
    event_found: bool,
    event_id: EventId,
    account_identifier: String,
    org_identifier: Option<Identifier>,
    project_identifier: Option<Identifier>,
    trigger_identifier: Option<Identifier>,
    pipeline_identifier: Option<Identifier>,
    pipeline_execution_id: Option<String>,
    /// The vendor's spelling.
    exception_occured: bool,
    status: String,
    message: String,
    /// As text.
    payload: Option<String>,
    /// Milliseconds since 1970.
    event_created_at: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Execution {
    pipeline_execution_summary: Option<Summary>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Summary {
    plan_execution_id: String,
    pipeline_identifier: String,
    name: String,
    status: Status,
    /// Milliseconds since 1970.
    start_ts: Option<i64>,
    end_ts: Option<i64>,
    run_sequence: u64,
    execution_trigger_info: TriggerInfo,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct TriggerInfo {
    trigger_type: &'static str,
    triggered_by: TriggeredBy,
    is_rerun: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct TriggeredBy {
    uuid: &'static str,
    identifier: String,
    extra_info: ExtraInfo,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct ExtraInfo {
    event_correlation_id: EventId,
}

async fn shown(api: &Api, caller: &Caller, event: &str) -> Vendor<Details> {
    let event = api.app.trigger_event(&caller.0, event).await?;
    let outcomes = event.outcomes.as_deref().unwrap_or_default();
    let one = outcomes.iter().find(|outcome| outcome.run.is_some()).or_else(|| outcomes.first());
    let run = one.and_then(|outcome| outcome.run);
    let pipeline_execution_summary = match run {
        None => None,
        Some(run) => Some(summary(api, caller, run, event.id).await?),
    };
    let webhook_processing_details = Processing {
        event_found: true,
        event_id: event.id,
        account_identifier: api.app.parts().account.clone(),
        org_identifier: one.and_then(|outcome| outcome.scope.org()).cloned(),
        project_identifier: one.and_then(|outcome| outcome.scope.project()).cloned(),
        trigger_identifier: one.map(|outcome| outcome.trigger.clone()),
        pipeline_identifier: one.map(|outcome| outcome.pipeline.clone()),
        pipeline_execution_id: run.map(RunId::execution_id),
        exception_occured: event.status == EXCEPTION,
        status: event.status,
        message: event.message,
        payload: event.payload.as_ref().map(ToString::to_string),
        event_created_at: event.received_at.millis(),
    };
    let execution_details = Execution { pipeline_execution_summary };
    Ok(Success::json(Details { webhook_processing_details, execution_details }))
}

async fn summary(api: &Api, caller: &Caller, run: RunId, event_correlation_id: EventId) -> Result<Summary, Failure> {
    let row = api.app.run(&caller.0.stored_run(PipelineView, run).await?).await?.run;
    let extra_info = ExtraInfo { event_correlation_id };
    let triggered_by = TriggeredBy { uuid: "systemUser", identifier: row.started_by, extra_info };
    Ok(Summary {
        plan_execution_id: run.execution_id(),
        pipeline_identifier: row.pipeline,
        name: row.name,
        status: row.status,
        start_ts: row.started_at.map(Timestamp::millis),
        end_ts: row.ended_at.map(Timestamp::millis),
        run_sequence: row.sequence,
        execution_trigger_info: TriggerInfo { trigger_type: row.trigger.name(), triggered_by, is_rerun: false },
    })
}
