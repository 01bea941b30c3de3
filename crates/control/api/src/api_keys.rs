use crate::caller::Caller;
use crate::problem::Answer;
use crate::scope::ScopeQuery;
use crate::{Api, access};
use axum::extract::{Path, Query, State};
use axum::routing::{delete, get};
use axum::{Json, Router};
use http::StatusCode;
use serde::Deserialize;
use windlass_app::Failure;
use windlass_app::api_keys::Owner;
use windlass_model::{Json as Value, Millis};

pub(crate) fn routes() -> Router<Api> {
    Router::new().route("/api-keys", get(list).post(create)).route("/api-keys/{id}", delete(revoke))
}

#[derive(Deserialize)]
struct ListQuery {
    /// `user:ada`, `serviceAccount:account/ci`.
    #[serde(default)]
    owner: Option<String>,
}

async fn list(State(api): State<Api>, caller: Caller, Query(query): Query<ListQuery>) -> Answer<Json<Value>> {
    access::administrator(&caller)?;
    let rows = api.app.api_keys(query.owner.as_deref()).await?;
    Ok(Json(serde_json::json!({ "items": rows })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Create {
    name: String,
    #[serde(default)]
    user: Option<String>,
    /// A reference from the scope of the request.
    #[serde(default)]
    service_account: Option<String>,
    /// Seconds.
    #[serde(default)]
    lifetime: Option<u64>,
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
    let owner = match (create.user, create.service_account) {
        (Some(user), None) => Owner::User(user),
        (None, Some(account)) => Owner::ServiceAccount(account),
        _ => return Err(Failure::invalid("KEY0002", "a key belongs to a `user` or to a `serviceAccount`").into()),
    };
    let lifetime = create.lifetime.map(|seconds| Millis(seconds.saturating_mul(1_000)));
    let (row, token) = api.app.create_api_key(&caller.0.id, &scope, &owner, &create.name, lifetime).await?;
    let mut body = serde_json::to_value(row).unwrap_or(Value::Null);
    body["token"] = Value::String(token);
    Ok((StatusCode::CREATED, Json(body)))
}

async fn revoke(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<StatusCode> {
    access::administrator(&caller)?;
    api.app.revoke_api_key(&caller.0.id, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
