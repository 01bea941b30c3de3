//! Triggers beyond their documents: address, rehearsal, events.

use crate::caller::Caller;
use crate::documents::page;
use crate::problem::Answer;
use crate::scope::ScopeQuery;
use crate::{Api, access};
use axum::extract::{Path, Query, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use std::collections::BTreeMap;
use windlass_app::triggers::{EventRow, Rehearsal, RehearsalRequest};
use windlass_model::Json as Value;
use windlass_store::Scopes;

pub(crate) fn routes() -> Router<Api> {
    Router::new()
        .route("/triggers/{id}/url", get(url))
        .route("/triggers/{id}/test", post(test))
        .route("/triggers/{id}/events", get(outcomes))
        .route("/trigger-events", get(events))
        .route("/trigger-events/{id}", get(event))
}

#[derive(Deserialize)]
struct OneQuery {
    #[serde(flatten)]
    scope: ScopeQuery,
    /// Needed where several pipelines have a trigger of this name.
    #[serde(default)]
    pipeline: Option<String>,
    #[serde(default)]
    limit: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
    #[serde(default)]
    status: Option<String>,
}

async fn url(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<OneQuery>,
) -> Answer<Json<Value>> {
    access::administrator(&caller)?;
    let url = api.app.trigger_url(&query.scope.scope()?, query.pipeline.as_deref(), &id).await?;
    Ok(Json(serde_json::json!({ "url": url })))
}

#[derive(Deserialize)]
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
    access::administrator(&caller)?;
    let request = RehearsalRequest {
        scope: query.scope.scope()?,
        pipeline: query.pipeline,
        trigger: id,
        payload: test.payload,
        headers: test.headers,
    };
    Ok(Json(api.app.rehearse_trigger(request).await?))
}

async fn outcomes(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<OneQuery>,
) -> Answer<Json<Value>> {
    access::administrator(&caller)?;
    let page = page(query.limit.as_deref(), query.cursor)?;
    let found = api.app.trigger_outcomes(&query.scope.scope()?, query.pipeline.as_deref(), &id, &page).await?;
    Ok(Json(serde_json::json!({ "items": found.items, "next": found.next })))
}

async fn events(State(api): State<Api>, caller: Caller, Query(query): Query<OneQuery>) -> Answer<Json<Value>> {
    access::administrator(&caller)?;
    let page = page(query.limit.as_deref(), query.cursor)?;
    let scopes = Scopes::Within(query.scope.scope()?);
    let found = api.app.trigger_events(&scopes, query.status.as_deref(), &page).await?;
    Ok(Json(serde_json::json!({ "items": found.items, "next": found.next })))
}

async fn event(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<Json<EventRow>> {
    access::administrator(&caller)?;
    Ok(Json(api.app.trigger_event(&id).await?))
}
