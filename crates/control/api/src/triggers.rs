//! Triggers beyond their documents: address, rehearsal, events.

use crate::Api;
use crate::answer::Listed;
use crate::caller::Caller;
use crate::documents::page;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use axum::Json;
use axum::extract::{Path, Query, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;
use windlass_app::access::Permission::{PipelineEdit, PipelineView};
use windlass_app::triggers::{EventRow, OutcomeRow, Rehearsal, RehearsalRequest};
use windlass_model::Json as Value;

/// The address of a webhook is a secret: who may change the trigger may know it.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/triggers/{id}/url", Door::Needs(PipelineEdit), url)
        .post("/triggers/{id}/test", Door::Needs(PipelineView), test)
        .get("/triggers/{id}/events", Door::Needs(PipelineView), outcomes)
        .get("/trigger-events", Door::Needs(PipelineView), events)
        .get("/trigger-events/{id}", Door::Needs(PipelineView), event)
}

#[derive(Deserialize, JsonSchema)]
struct OneQuery {
    #[serde(flatten)]
    scope: ScopeQuery,
    /// Needed where several pipelines have a trigger of this name.
    #[serde(default)]
    pipeline: Option<String>,
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    limit: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
    #[serde(default)]
    status: Option<String>,
}

/// Where payloads are sent to.
#[derive(Serialize, JsonSchema)]
struct Address {
    url: String,
}

async fn url(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<OneQuery>,
) -> Answer<Json<Address>> {
    let trigger = caller.0.trigger(PipelineEdit, &query.scope.scope()?, query.pipeline.as_deref(), &id).await?;
    let url = api.app.trigger_url(&trigger).await?;
    Ok(Json(Address { url }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Test {
    payload: Value,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

async fn test(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<OneQuery>,
    Json(test): Json<Test>,
) -> Answer<Json<Rehearsal>> {
    let trigger = caller.0.trigger(PipelineView, &query.scope.scope()?, query.pipeline.as_deref(), &id).await?;
    let request = RehearsalRequest { payload: test.payload, headers: test.headers };
    Ok(Json(api.app.rehearse_trigger(&trigger, request).await?))
}

async fn outcomes(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<OneQuery>,
) -> Answer<Listed<OutcomeRow>> {
    let page = page(query.limit.as_deref(), query.cursor)?;
    let trigger = caller.0.trigger(PipelineView, &query.scope.scope()?, query.pipeline.as_deref(), &id).await?;
    let found = api.app.trigger_outcomes(&trigger, &page).await?;
    Ok(Listed(found))
}

async fn events(State(api): State<Api>, caller: Caller, Query(query): Query<OneQuery>) -> Answer<Listed<EventRow>> {
    let page = page(query.limit.as_deref(), query.cursor)?;
    let scope = query.scope.scope()?;
    let found = api.app.trigger_events(&caller.0, &scope, query.status.as_deref(), &page).await?;
    Ok(Listed(found))
}

async fn event(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<Json<EventRow>> {
    Ok(Json(api.app.trigger_event(&caller.0, &id).await?))
}
