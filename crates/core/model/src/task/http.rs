use serde::{Deserialize, Serialize};

/// A call to somebody's endpoint (pipelines §6.3 Http). The assertion and the output variables are evaluated by the
/// engine over what comes back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpWork {
    pub url: String,
    pub method: String,
    #[serde(default)]
    pub headers: Vec<HttpHeader>,
    #[serde(default)]
    pub body: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpHeader {
    pub key: String,
    pub value: String,
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpAnswer {
    pub http_url: String,
    pub http_method: String,
    pub http_response_code: u16,
    /// At most 256 KiB; the rest is cut.
    pub http_response_body: String,
    #[serde(default)]
    pub truncated: bool,
}
