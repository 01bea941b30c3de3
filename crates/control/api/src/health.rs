use crate::Api;
use crate::routes::{Door, Routes};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;

pub(crate) fn routes() -> Routes {
    Routes::new().get("/healthz", Door::Open, || async { "ok" }).get("/readyz", Door::Open, ready)
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
