//! Failures as RFC 9457 problems.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, Uri, header};
use serde::Serialize;
use windlass_app::{Failure, FailureKind};
use windlass_model::Json as Value;

/// What a handler answers when it cannot do what was asked.
#[derive(Debug)]
pub(crate) struct Problem(Failure);

#[derive(Serialize)]
struct Body {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    code: &'static str,
    detail: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<String>,
    #[serde(skip_serializing_if = "windlass_diagnostics_empty")]
    problems: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

fn windlass_diagnostics_empty(value: &Value) -> bool {
    value.as_array().is_none_or(Vec::is_empty)
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

const fn status(kind: FailureKind) -> (StatusCode, &'static str) {
    match kind {
        FailureKind::Invalid => (StatusCode::BAD_REQUEST, "The request cannot be carried out as it is"),
        FailureKind::Unauthenticated => (StatusCode::UNAUTHORIZED, "Not signed in"),
        FailureKind::Denied => (StatusCode::FORBIDDEN, "Not allowed"),
        FailureKind::NotFound => (StatusCode::NOT_FOUND, "Not found"),
        FailureKind::Conflict => (StatusCode::CONFLICT, "Conflict"),
        FailureKind::Policy => (StatusCode::FORBIDDEN, "Refused by policy"),
        FailureKind::Limited => (StatusCode::TOO_MANY_REQUESTS, "Too much"),
        FailureKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "Not available now"),
        FailureKind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "A fault of the server"),
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, _) = status(self.0.kind);
        self.with_status(status)
    }
}

impl Problem {
    /// The same under a status of HTTP that tells more than the kind does.
    pub(crate) fn with_status(self, status: StatusCode) -> Response {
        let failure = self.0;
        let (_, title) = self::status(failure.kind);
        if failure.kind == FailureKind::Internal {
            let cause = std::error::Error::source(&failure).map(ToString::to_string).unwrap_or_default();
            tracing::error!(code = failure.code, %cause, "an operation failed");
        }
        let body = Body {
            kind: format!("https://windlass.dev/errors/{}", failure.code),
            title,
            status: status.as_u16(),
            code: failure.code,
            detail: failure.message,
            hints: failure.hints,
            problems: serde_json::to_value(&failure.problems).unwrap_or(Value::Null),
            details: failure.details,
        };
        let mut response = (status, Json(body)).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::SERVICE_UNAVAILABLE || status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

pub(crate) async fn no_such_route(uri: Uri) -> Problem {
    Failure::not_found(format!("there is nothing at {}", uri.path())).into()
}

/// What handlers return.
pub(crate) type Answer<T> = Result<T, Problem>;
