use crate::caller::Caller;
use crate::problem::Answer;
use crate::scope::ScopeQuery;
use crate::{Api, access};
use axum::extract::{Path, Query, State};
use axum::routing::{delete, get};
use axum::{Json, Router};
use http::StatusCode;
use serde::Deserialize;
use windlass_model::Json as Value;
use windlass_store::Scopes;

pub(crate) fn routes() -> Router<Api> {
    Router::new()
        .route("/delegates", get(list))
        .route("/delegate-tokens", get(tokens).post(create))
        .route("/delegate-tokens/{name}", delete(revoke))
}

async fn list(State(api): State<Api>, caller: Caller, Query(query): Query<ScopeQuery>) -> Answer<Json<Value>> {
    access::administrator(&caller)?;
    let rows = api.app.delegates(&Scopes::Within(query.scope()?)).await?;
    Ok(Json(serde_json::json!({ "items": rows })))
}

async fn tokens(State(api): State<Api>, caller: Caller, Query(query): Query<ScopeQuery>) -> Answer<Json<Value>> {
    access::administrator(&caller)?;
    let rows = api.app.delegate_tokens(&Scopes::Within(query.scope()?)).await?;
    Ok(Json(serde_json::json!({ "items": rows })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    name: String,
    #[serde(default)]
    org: Option<String>,
    #[serde(default)]
    project: Option<String>,
}

async fn create(
    State(api): State<Api>,
    caller: Caller,
    Json(create): Json<Create>,
) -> Answer<(StatusCode, Json<Value>)> {
    access::administrator(&caller)?;
    let scope = ScopeQuery { org: create.org, project: create.project }.scope()?;
    let token = api.app.create_delegate_token(&caller.0.id, &scope, &create.name).await?;
    Ok((StatusCode::CREATED, Json(serde_json::json!({ "name": create.name, "token": token }))))
}

async fn revoke(
    State(api): State<Api>,
    caller: Caller,
    Path(name): Path<String>,
    Query(query): Query<ScopeQuery>,
) -> Answer<StatusCode> {
    access::administrator(&caller)?;
    api.app.revoke_delegate_token(&caller.0.id, &query.scope()?, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}
