//! The description of the API (OpenAPI 3.1), made of the routes and of what their handlers take and answer: it cannot differ from
//! what is served.

mod name;
mod refusal;
mod says;
mod speaks;
mod takes;

pub(crate) use says::{Says, answer, bare};
pub(crate) use speaks::Speaks;
pub(crate) use takes::{Takes, body, header};

use crate::routes::{Door, Route, Routes};
use axum::response::IntoResponse;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
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
    /// The types in them, by name.
    schemas: Map<String, Value>,
    /// Whether refusals come in the vendor's envelope.
    is_vendor: bool,
}

impl Operation {
    /// A reference to the description of a type as it is written; those in it stand beside it.
    fn named<T: JsonSchema>(&mut self) -> Value {
        let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
            settings.definitions_path = SCHEMAS.into();
            settings.meta_schema = None;
        });
        let mut generator = settings.into_generator();
        let schema = generator.subschema_for::<T>().to_value();
        self.schemas.extend(generator.take_definitions(true));
        schema
    }
}

/// Where the description keeps what has a name.
const SCHEMAS: &str = "/components/schemas";

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
    let mut schemas = Map::new();
    schemas.insert("Problem".to_owned(), refusal::problem());
    schemas.insert("VendorProblem".to_owned(), refusal::vendor_problem());
    for route in routes {
        let operation = (route.operation)();
        let methods = paths.entry(route.path.clone()).or_insert_with(|| json!({}));
        methods[route.method.as_str().to_ascii_lowercase()] = described(route, &operation);
        schemas.extend(operation.schemas);
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
            "schemas": schemas,
        },
    })
}

fn described(route: &Route, operation: &Operation) -> Value {
    let names = name::variables(&route.path);
    let mut parameters: Vec<Value> = names
        .iter()
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    parameters.extend(operation.parameters.iter().cloned());
    let mut responses = operation.answers.clone();
    for status in refusal::statuses(route, operation.body.is_some()) {
        responses.insert(status.to_string(), refusal::refusal(operation.is_vendor));
    }
    let mut described = json!({
        "operationId": name::identifier(route),
        "tags": [name::tag(&route.path)],
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

#[cfg(test)]
mod tests {
    use super::{Value, document, json};
    use std::collections::{BTreeMap, BTreeSet};

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
    fn every_answer_has_a_form_and_every_name_one_meaning() {
        let routes = crate::routes();
        let mut named = BTreeMap::new();
        for (name, schema) in routes.iter().flat_map(|route| (route.operation)().schemas) {
            let before = named.insert(name.clone(), schema.clone());
            assert!(before.is_none_or(|before| before == schema), "two types are called {name}");
        }
        let document = document(&routes);
        for operation in
            document["paths"].as_object().unwrap().values().flat_map(|methods| methods.as_object().unwrap().values())
        {
            for answer in operation["responses"].as_object().unwrap().values() {
                // Bytes have no form.
                let forms = answer["content"].as_object().into_iter().flatten();
                for (kind, content) in forms.filter(|(kind, _)| kind.contains("json")) {
                    assert_ne!(content["schema"], json!({}), "{kind} of {}", operation["operationId"]);
                }
            }
        }
        let text = document.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{pointer} leads nowhere");
        }
        let run = &document["components"]["schemas"]["RunRow"];
        assert!(run["required"].as_array().unwrap().contains(&json!("startedAt")), "{run}");
        assert!(!run["required"].as_array().unwrap().contains(&json!("warnings")), "what is empty is left out: {run}");
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
