//! Prometheus: the simplest query there is.

use super::report::{Finding, Problem, Reason};
use serde_json::json;
use std::collections::BTreeMap;
use windlass_http::{Client, Request};
use windlass_model::Json;
use windlass_model::task::verify::BasicAuth;
use windlass_registry::basic;

pub(super) async fn test(
    client: &Client,
    url: &str,
    headers: &BTreeMap<String, String>,
    user: Option<&BasicAuth>,
) -> Result<Finding, Problem> {
    let wrong = |error: windlass_http::RequestError| Problem::new(Reason::Configuration, error.to_string());
    let mut request =
        Request::get(&format!("{}/api/v1/query?query=1", url.trim().trim_end_matches('/'))).map_err(wrong)?;
    for (name, value) in headers {
        request = request.header(name, value).map_err(wrong)?;
    }
    if let Some(BasicAuth { username, password }) = user {
        request = request.header("authorization", &basic(username, password)).map_err(wrong)?;
    }
    let answer = client.send(&request).await.map_err(|error| Problem::unreachable(&error))?;
    if !answer.status.is_success() {
        return Err(Problem::status(&format!("{request:?}"), answer.status.as_u16()));
    }
    let body: Option<Json> = serde_json::from_slice(&answer.body).ok();
    if body.is_none_or(|body| body.get("status").and_then(Json::as_str) != Some("success")) {
        return Err(Problem::new(Reason::Protocol, format!("{request:?}: the answer is not one of Prometheus")));
    }
    Ok(Finding::new("Prometheus answers", json!({})))
}
