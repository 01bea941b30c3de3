use crate::Api;
use crate::caller::Caller;
use crate::problem::Answer;
use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use windlass_app::Principal;
use windlass_model::Json as Value;

pub(crate) fn routes() -> Router<Api> {
    Router::new().route("/login", post(login)).route("/me", get(me))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Login {
    /// The one-time code that the server printed.
    code: String,
    #[serde(default)]
    client: String,
}

async fn login(State(api): State<Api>, Json(login): Json<Login>) -> Answer<Json<Value>> {
    let token = api.app.sign_in_by_code(login.code.trim(), &login.client).await?;
    let principal = api.app.authenticate(&token).await?;
    Ok(Json(serde_json::json!({ "token": token, "principal": principal })))
}

async fn me(Caller(principal): Caller) -> Json<Principal> {
    Json(principal)
}
