//! One request: its address, and what its answer says.

use crate::Json;
use crate::error::{Cause, Refusal};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, header};
use kube::client::Body;
use std::fmt::Write;
use windlass_model::Millis;

/// A request that has not been sent.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub method: Method,
    pub path: String,
    pub query: Vec<(&'static str, String)>,
    pub body: Option<(&'static str, Bytes)>,
    pub accept: &'static str,
    /// For messages: `get shop/Deployment/web`.
    pub doing: String,
}

pub(crate) const JSON: &str = "application/json";

impl Call {
    pub(crate) fn new(method: Method, path: impl Into<String>, doing: impl Into<String>) -> Self {
        let (path, doing) = (path.into(), doing.into());
        Self { method, path, query: Vec::new(), body: None, accept: JSON, doing }
    }

    pub(crate) fn get(path: impl Into<String>, doing: impl Into<String>) -> Self {
        Self::new(Method::GET, path, doing)
    }

    /// Adds a parameter; an empty value is left out.
    pub(crate) fn query(mut self, name: &'static str, value: impl Into<String>) -> Self {
        let value = value.into();
        if !value.is_empty() {
            self.query.push((name, value));
        }
        self
    }

    pub(crate) fn body(mut self, content_type: &'static str, json: &Json) -> Self {
        self.body = Some((content_type, json.to_string().into_bytes().into()));
        self
    }

    pub(crate) fn accept(mut self, accept: &'static str) -> Self {
        self.accept = accept;
        self
    }

    /// Whether doing it twice is the same as doing it once: a POST has no name of its own.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.method != Method::POST
    }

    pub(crate) fn changes(&self) -> bool {
        self.method != Method::GET && !self.query.iter().any(|(name, _)| *name == "dryRun")
    }

    pub(crate) fn request(&self) -> Result<Request<Body>, http::Error> {
        let mut uri = self.path.clone();
        for (index, (name, value)) in self.query.iter().enumerate() {
            uri.push(if index == 0 { '?' } else { '&' });
            uri.push_str(name);
            uri.push('=');
            encode(&mut uri, value);
        }
        let mut request = Request::builder().method(&self.method).uri(uri).header(header::ACCEPT, self.accept);
        if let Some((content_type, _)) = &self.body {
            request = request.header(header::CONTENT_TYPE, *content_type);
        }
        request.body(self.body.as_ref().map_or_else(Body::empty, |(_, bytes)| Body::from(bytes.clone())))
    }
}

/// Appends a text as one segment of a path or one value of a query.
pub(crate) fn encode(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:,".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// Reads the `Status` that came instead of what was asked for. Proxies answer with other texts.
pub(crate) fn refusal(status: u16, headers: &HeaderMap, body: &[u8]) -> Refusal {
    let json: Json = serde_json::from_slice(body).unwrap_or_default();
    let is_status = json.get("kind").and_then(Json::as_str) == Some("Status");
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let causes = json.pointer("/details/causes").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let message = if is_status {
        text(&json, "message")
    } else {
        let body = String::from_utf8_lossy(body);
        let line: String = body.lines().next().unwrap_or_default().chars().take(200).collect();
        format!("HTTP {status} {line}").trim_end().to_owned()
    };
    Refusal {
        status,
        reason: text(&json, "reason"),
        message,
        causes: causes
            .iter()
            .map(|c| Cause { field: text(c, "field"), reason: text(c, "reason"), message: text(c, "message") })
            .collect(),
        retry_after: retry_after(headers, &json),
    }
}

/// In seconds; dates are not used by API servers.
fn retry_after(headers: &HeaderMap, status: &Json) -> Option<Millis> {
    let header = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
    let field = status.pointer("/details/retryAfterSeconds").and_then(Json::as_u64).filter(|seconds| *seconds > 0);
    header.or(field).map(Millis::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn addresses_hold_any_text() {
        let call = Call::get("/api/v1/pods", "").query("labelSelector", "a in (b,c),d!=e&f").query("limit", "");
        let request = call.request().unwrap();
        assert_eq!(request.uri(), "/api/v1/pods?labelSelector=a%20in%20%28b,c%29,d%21%3De%26f");
        let mut name = String::new();
        encode(&mut name, "../system:node/x");
        assert_eq!(name, "..%2Fsystem:node%2Fx");
    }

    #[test]
    fn only_what_has_a_name_is_repeated() {
        assert!(Call::new(Method::PATCH, "/x", "").is_repeatable());
        assert!(!Call::new(Method::POST, "/x", "").is_repeatable());
        assert!(!Call::new(Method::PATCH, "/x", "").query("dryRun", "All").changes());
        assert!(Call::new(Method::DELETE, "/x", "").changes());
    }

    #[test]
    fn a_refusal_is_read_whoever_sent_it() {
        let status = json!({"kind": "Status", "reason": "Invalid", "message": "no", "details": {
            "retryAfterSeconds": 2, "causes": [{"field": "spec.x", "reason": "R", "message": "m"}]}});
        let read = refusal(422, &HeaderMap::new(), status.to_string().as_bytes());
        assert_eq!((&*read.reason, &*read.message, read.retry_after), ("Invalid", "no", Some(Millis(2_000))));
        assert_eq!(read.causes[0].field, "spec.x");
        let proxy = refusal(502, &HeaderMap::new(), b"<html>\nbad gateway");
        assert_eq!(proxy.message, "HTTP 502 <html>");
        assert_eq!(refusal(503, &HeaderMap::new(), b"").message, "HTTP 503");
    }
}
