//! How routes refuse.

use super::name::variables;
use crate::routes::{Door, Route};
use http::Method;
use serde_json::{Value, json};

/// Statuses with which a route can refuse.
pub(super) fn statuses(route: &Route, takes_body: bool) -> Vec<u16> {
    let mut statuses = vec![400, 429, 503];
    if route.door != Door::Open {
        statuses.extend([401, 403, 404]);
    }
    if !variables(&route.path).is_empty() {
        statuses.push(404);
    }
    if route.method != Method::GET {
        statuses.extend([401, 403, 404, 409]);
    }
    if takes_body {
        statuses.extend([413, 415, 422]);
    }
    statuses
}

pub(super) fn refusal(is_vendor: bool) -> Value {
    let reference = |name: &str| json!({ "schema": { "$ref": format!("#/components/schemas/{name}") } });
    let mut content = json!({ "application/problem+json": reference("Problem") });
    if is_vendor {
        content["application/json"] = reference("VendorProblem");
    }
    json!({ "description": "Refused", "content": content })
}

pub(super) fn problem() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["type", "title", "status", "code", "detail"],
        "properties": {
            "type": text,
            "title": text,
            "status": { "type": "integer" },
            "code": { "type": "string", "description": "Stable; it has a page in the documentation." },
            "detail": text,
            "hints": { "type": "array", "items": text, "description": "What to do about it." },
            "problems": { "type": "array", "description": "Every problem of a document, with its place." },
            "details": {},
        },
    })
}

pub(super) fn vendor_problem() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["status", "code", "message", "correlationId"],
        "properties": { "status": text, "code": text, "message": text, "windlassCode": text, "correlationId": text, "metadata": {} },
    })
}
