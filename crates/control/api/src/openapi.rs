//! The description of the API (OpenAPI 3.1), made of the routes and of what their handlers take and answer: it cannot differ from
//! what is served.

mod says;
mod speaks;
mod takes;

pub(crate) use says::{Says, answer, bare};
pub(crate) use speaks::Speaks;
pub(crate) use takes::{Takes, body, header};

use crate::routes::{Door, Route, Routes};
use axum::response::IntoResponse;
use bytes::Bytes;
use http::Method;
use http::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

pub(crate) fn routes() -> Routes {
    Routes::new().get("/openapi.json", Door::Open, show)
}

/// What a handler takes and answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operation {
    parameters: Vec<Value>,
    body: Option<Value>,
    /// What it answers when it can, by status.
    answers: Map<String, Value>,
    /// Whether refusals come in the vendor's envelope.
    is_vendor: bool,
}

async fn show() -> Description {
    static TEXT: LazyLock<Bytes> =
        LazyLock::new(|| serde_json::to_vec_pretty(&document(&crate::routes())).unwrap_or_default().into());
    Description(TEXT.clone())
}

/// The text of the description.
struct Description(Bytes);

impl IntoResponse for Description {
    fn into_response(self) -> axum::response::Response {
        ([(CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

impl Says for Description {
    fn says(operation: &mut Operation) {
        answer(operation, 200, "application/json", json!({ "type": "object" }));
    }
}

/// The whole description.
pub(crate) fn document(routes: &[Route]) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let methods = paths.entry(route.path.clone()).or_insert_with(|| json!({}));
        methods[route.method.as_str().to_ascii_lowercase()] = described(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Windlass",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Lists answer `items` and `next`; pass `next` as `cursor`. Refusals are RFC 9457 problems.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "apiKey": { "type": "apiKey", "in": "header", "name": "x-api-key" },
                "session": { "type": "http", "scheme": "bearer" },
            },
            "schemas": { "Problem": problem(), "VendorProblem": vendor_problem() },
        },
    })
}

fn described(route: &Route) -> Value {
    let operation = &route.operation;
    let names = variables(&route.path);
    let mut parameters: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    parameters.extend(operation.parameters.iter().cloned());
    let mut responses = operation.answers.clone();
    for status in refusals(route) {
        responses.insert(status.to_string(), refusal(operation.is_vendor));
    }
    let mut described = json!({
        "operationId": identifier(route),
        "tags": [tag(&route.path)],
        "description": format!("Needs: {}.", route.door),
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(body) = &operation.body {
        described["requestBody"] = body.clone();
    }
    described["security"] = match route.door {
        Door::Open => json!([]),
        Door::Delegate => json!([{ "session": [] }]),
        _ => json!([{ "apiKey": [] }, { "session": [] }]),
    };
    described
}

/// Statuses with which a route can refuse.
fn refusals(route: &Route) -> Vec<u16> {
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
    if route.operation.body.is_some() {
        statuses.extend([413, 415, 422]);
    }
    statuses
}

fn refusal(is_vendor: bool) -> Value {
    let reference = |name: &str| json!({ "schema": { "$ref": format!("#/components/schemas/{name}") } });
    let mut content = json!({ "application/problem+json": reference("Problem") });
    if is_vendor {
        content["application/json"] = reference("VendorProblem");
    }
    json!({ "description": "Refused", "content": content })
}

fn problem() -> Value {
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

fn vendor_problem() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["status", "code", "message", "correlationId"],
        "properties": { "status": text, "code": text, "message": text, "windlassCode": text, "correlationId": text, "metadata": {} },
    })
}

/// The variable parts of a path: `id` of `/runs/{id}`.
fn variables(path: &str) -> Vec<&str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect()
}

fn tag(path: &str) -> &str {
    let vendor = if path.starts_with("/delegate-service") { "delegate-service" } else { "vendor" };
    let own = path.strip_prefix("/api/v1/").map(|rest| rest.split('/').next().unwrap_or_default());
    match own {
        Some(word) if word.starts_with('{') => "documents",
        Some(word) => word,
        None if path.matches('/').count() == 1 || path.starts_with("/webhook/") => "server",
        None => vendor,
    }
}

/// `get_runs_by_id` of `GET /api/v1/runs/{id}`.
fn identifier(route: &Route) -> String {
    let path = route.path.strip_prefix("/api/v1").unwrap_or(&route.path);
    let mut words = vec![route.method.as_str().to_ascii_lowercase()];
    for part in path.split('/').filter(|part| !part.is_empty()) {
        match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => words.push(format!("by_{name}")),
            None => words.push(part.replace(['-', '.'], "_")),
        }
    }
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::{Value, document, json};
    use std::collections::BTreeSet;

    #[test]
    fn every_route_is_described_once() {
        let routes = crate::routes();
        let document = document(&routes);
        let operations: Vec<&Value> = document["paths"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|methods| methods.as_object().unwrap().values())
            .collect();
        assert_eq!(operations.len(), routes.len());
        let names: BTreeSet<&str> = operations.iter().map(|one| one["operationId"].as_str().unwrap()).collect();
        assert_eq!(names.len(), operations.len(), "operations have names of their own");
        for operation in operations {
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with(['1', '2'])), "no good answer: {operation}");
        }
    }

    #[test]
    fn a_route_is_described_by_the_types_of_its_handler() {
        let document = document(&crate::routes());
        let start = &document["paths"]["/api/v1/pipelines/{id}/runs"]["post"];
        assert_eq!(start["operationId"], "post_pipelines_by_id_runs");
        let body = &start["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(body["properties"]["inputs"]["type"], "object", "{body}");
        assert_eq!(body["additionalProperties"], false);
        let parameters = start["parameters"].as_array().unwrap();
        let named = |name: &str| parameters.iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(named("id")["in"], "path");
        assert_eq!(named("org")["schema"], json!({ "type": "string" }));
        assert_eq!(named("Idempotency-Key")["in"], "header");
        assert!(start["responses"]["201"]["content"]["application/json"].is_object());
        assert!(start["responses"]["409"]["content"]["application/problem+json"].is_object());
    }
}
