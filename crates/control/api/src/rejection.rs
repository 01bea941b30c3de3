//! What the framework refuses before a handler sees it, in the words of all other refusals.

use crate::problem::Problem;
use axum::body::to_bytes;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use windlass_app::{Failure, FailureKind};

/// Refusals of the framework are one short text.
const LONGEST: usize = 16 * 1024;

/// Turns plain refusals into problems; everything else passes.
pub(crate) async fn as_problem(response: Response) -> Response {
    let status = response.status();
    let plain =
        response.headers().get(header::CONTENT_TYPE).is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !plain || !status.is_client_error() {
        return response;
    }
    let (parts, body) = response.into_parts();
    let said = to_bytes(body, LONGEST).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    let failure = match status {
        StatusCode::PAYLOAD_TOO_LARGE => Failure::new(FailureKind::Limited, "API0015", "the request is too large")
            .hint("a document may have 3 MiB, a request 16; most requests 2"),
        StatusCode::METHOD_NOT_ALLOWED => Failure::invalid("API0014", "this address does not take this method"),
        _ if said.is_empty() => return (parts, said).into_response(),
        _ => Failure::invalid("API0014", said),
    };
    let mut answer = Problem::from(failure).with_status(status);
    if let Some(allowed) = parts.headers.get(header::ALLOW) {
        answer.headers_mut().insert(header::ALLOW, allowed.clone());
    }
    answer
}
