use crate::caller::Caller;
use crate::documents::page;
use crate::problem::Answer;
use crate::{Api, access};
use axum::extract::{Path, Query, State};
use axum::routing::get;
use axum::{Json, Router};
use http::StatusCode;
use serde::Deserialize;
use windlass_app::users::{NewUser, UserRow};
use windlass_model::Json as Value;

pub(crate) fn routes() -> Router<Api> {
    Router::new().route("/users", get(list).post(create)).route("/users/{id}", get(show))
}

#[derive(Deserialize)]
struct ListQuery {
    #[serde(default)]
    q: Option<String>,
    #[serde(default)]
    limit: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

async fn list(State(api): State<Api>, caller: Caller, Query(query): Query<ListQuery>) -> Answer<Json<Value>> {
    access::administrator(&caller)?;
    let found = api.app.users(query.q.as_deref(), &page(query.limit.as_deref(), query.cursor)?).await?;
    Ok(Json(serde_json::json!({ "items": found.items, "next": found.next })))
}

async fn show(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<Json<UserRow>> {
    access::administrator(&caller)?;
    Ok(Json(api.app.user(&id).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    id: String,
    email: String,
    #[serde(default)]
    name: String,
}

async fn create(
    State(api): State<Api>,
    caller: Caller,
    Json(create): Json<Create>,
) -> Answer<(StatusCode, Json<UserRow>)> {
    access::administrator(&caller)?;
    let Create { id, email, name } = create;
    Ok((StatusCode::CREATED, Json(api.app.create_user(&caller.0.id, NewUser { id, name, email }).await?)))
}
