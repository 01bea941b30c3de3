use crate::Api;
use crate::openapi::{Operation, Says, answer};
use crate::routes::{Door, Routes};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::json;

pub(crate) fn routes() -> Routes {
    Routes::new().get("/healthz", Door::Open, || async { "ok" }).get("/readyz", Door::Open, ready)
}

/// Whether requests can be served, and if not, what is wrong.
async fn ready(State(api): State<Api>) -> Readiness {
    Readiness(api.app.store().ping().await.map_err(|error| error.to_string()))
}

struct Readiness(Result<(), String>);

impl IntoResponse for Readiness {
    fn into_response(self) -> Response {
        match self.0 {
            Ok(()) => Json(json!({ "ready": true })).into_response(),
            Err(problem) => {
                let body = json!({ "ready": false, "problems": [problem] });
                (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
            }
        }
    }
}

impl Says for Readiness {
    fn says(operation: &mut Operation) {
        let problems = json!({ "type": "array", "items": { "type": "string" } });
        let properties = json!({ "ready": { "type": "boolean" }, "problems": problems });
        for status in [200, 503] {
            let schema = json!({ "type": "object", "required": ["ready"], "properties": properties });
            answer(operation, status, "application/json", schema);
        }
    }
}
