//! Answers.

use super::negotiate::{Accepted, Format};
use crate::error::ApiError;
use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use jiff::fmt::rfc2822::DateTimePrinter;
use serde::Serialize;
use serde_json::Value;
use windlass_model::Timestamp;

/// A body of text.
pub(crate) fn text(status: u16, body: impl Into<String>) -> Response {
    build(status, "text/plain; charset=utf-8", Body::from(body.into()))
}

/// What Go's router says of paths that nobody serves.
pub(crate) fn page_not_found() -> Response {
    let mut response = text(404, "404 page not found\n");
    response.headers_mut().insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

pub(crate) fn json(status: u16, body: &Value) -> Response {
    build(status, "application/json", Body::from(line(body)))
}

/// The text of a value, with the end of line that Go writes.
pub(super) fn line(body: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec(body).unwrap_or_default();
    text.push(b'\n');
    text
}

/// An object in the form that the client accepts.
pub(crate) fn object(status: u16, body: &impl Serialize, accepted: &Accepted) -> Response {
    match accepted.format {
        Format::Json => build(status, "application/json", Body::from(line(body))),
        Format::Yaml => build(status, "application/yaml", Body::from(yaml(body))),
    }
}

fn yaml(body: &impl Serialize) -> String {
    windlass_yaml::to_yaml(&serde_json::to_value(body).unwrap_or_default())
}

pub(crate) fn error(error: &ApiError) -> Response {
    let mut response = json(error.code, &error.to_status());
    if let Some(seconds) = error.details.as_ref().and_then(|d| d.retry_after_seconds) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// A refusal of a body of which there was something to warn.
pub(crate) fn error_with(refused: &ApiError, warnings: &[String]) -> Response {
    let mut response = error(refused);
    warn(&mut response, warnings);
    response
}

pub(crate) fn build(status: u16, content_type: &str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(content_type) {
        headers.insert(header::CONTENT_TYPE, value);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    response
}

/// Says when the answer was given, by the clock of the cluster: clients compare it with times of objects.
pub(crate) fn date(response: &mut Response, now: Timestamp) {
    let text = DateTimePrinter::new().timestamp_to_rfc9110_string(&now.to_jiff());
    if let Some(value) = text.ok().and_then(|text| HeaderValue::from_str(&text).ok()) {
        response.headers_mut().insert(header::DATE, value);
    }
}

/// Adds `Warning` headers, one for each distinct text.
pub(crate) fn warn(response: &mut Response, warnings: &[String]) {
    let mut said: Vec<&String> = Vec::new();
    for warning in warnings {
        if said.contains(&warning) {
            continue;
        }
        said.push(warning);
        let escaped: String = warning
            .chars()
            .filter(|c| !c.is_control())
            .flat_map(|c| if matches!(c, '"' | '\\') { vec!['\\', c] } else { vec![c] })
            .collect();
        if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"{escaped}\"").as_bytes()) {
            response.headers_mut().append(header::WARNING, value);
        }
    }
}
