//! What handlers answer when they can.

use super::Operation;
use crate::answer::{Created, Lines, Listed, Piece, Tagged};
use crate::problem::Problem;
use crate::vendor::Refused;
use axum::Json;
use axum::response::NoContent;
use axum::response::sse::Sse;
use schemars::JsonSchema;
use serde_json::{Value, json};

/// An answer.
pub(crate) trait Says {
    fn says(operation: &mut Operation);
}

impl Says for &'static str {
    fn says(operation: &mut Operation) {
        answer(operation, 200, "text/plain; charset=utf-8", json!({ "type": "string" }));
    }
}

impl<T: JsonSchema> Says for Json<T> {
    fn says(operation: &mut Operation) {
        let schema = operation.named::<T>();
        answer(operation, 200, "application/json", schema);
    }
}

impl<T: JsonSchema> Says for Tagged<T> {
    fn says(operation: &mut Operation) {
        Json::<T>::says(operation);
        operation.answers["200"]["headers"] =
            json!({ "ETag": { "required": true, "description": "For `If-Match`.", "schema": { "type": "string" } } });
    }
}

impl<T: JsonSchema> Says for Created<T> {
    fn says(operation: &mut Operation) {
        let schema = operation.named::<T>();
        answer(operation, 201, "application/json", schema);
    }
}

impl<T: JsonSchema> Says for Listed<T> {
    fn says(operation: &mut Operation) {
        Json::<Piece<T>>::says(operation);
    }
}

impl Says for Lines {
    fn says(operation: &mut Operation) {
        answer(operation, 200, "application/x-ndjson", json!({ "type": "string" }));
    }
}

impl<S> Says for Sse<S> {
    fn says(operation: &mut Operation) {
        answer(operation, 200, "text/event-stream", json!({ "type": "string" }));
    }
}

impl Says for NoContent {
    fn says(operation: &mut Operation) {
        bare(operation, 204, "Done");
    }
}

impl<T: Says> Says for Result<T, Problem> {
    fn says(operation: &mut Operation) {
        T::says(operation);
    }
}

impl<T: Says> Says for Result<T, Refused> {
    fn says(operation: &mut Operation) {
        operation.is_vendor = true;
        T::says(operation);
    }
}

/// An answer without a body.
pub(crate) fn bare(operation: &mut Operation, status: u16, description: &str) {
    operation.answers.insert(status.to_string(), json!({ "description": description }));
}

pub(crate) fn answer(operation: &mut Operation, status: u16, kind: &str, schema: Value) {
    let answer = json!({ "description": "As asked", "content": { kind: { "schema": schema } } });
    operation.answers.insert(status.to_string(), answer);
}
