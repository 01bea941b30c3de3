use crate::Api;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::StatusCode;

pub(crate) fn routes() -> Router<Api> {
    Router::new().route("/healthz", get(|| async { "ok" })).route("/readyz", get(ready))
}

/// Whether requests can be served, and if not, what is wrong.
async fn ready(State(api): State<Api>) -> Response {
    match api.app.store().ping().await {
        Ok(()) => Json(serde_json::json!({ "ready": true })).into_response(),
        Err(error) => {
            let body = serde_json::json!({ "ready": false, "problems": [error.to_string()] });
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
    }
}
