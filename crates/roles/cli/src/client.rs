//! The server's API, as the command line uses it.

use crate::Common;
use crate::failure::CliFailure;
use crate::profile::Profile;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use std::path::{Path, PathBuf};
use windlass_delegate::Authorities;
use windlass_diagnostic::Diagnostics;

#[derive(Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    server: String,
    ca_file: Option<PathBuf>,
    token: String,
    org: Option<String>,
    project: Option<String>,
}

impl Client {
    /// With what the command line, the environment or the last login says.
    pub(crate) fn new(common: &Common) -> Result<Self, CliFailure> {
        let profile = Profile::load();
        let server = common.server.clone().unwrap_or(profile.server);
        if server.is_empty() {
            return Err(
                CliFailure::usage("no server is known").hint("sign in with `windlass login URL`, or give --server")
            );
        }
        // A server that was named here may be another one than that of the last login; its authorities do no harm.
        let ca_file = common.ca_file.clone().or(profile.ca_file);
        let mut http = reqwest::Client::builder().user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")));
        if let Some(path) = &ca_file {
            http = authorities(path)?.to_server(http).map_err(|error| no_authority(path, &error))?;
        }
        let http = http.build().map_err(|e| CliFailure::internal(format!("cannot make an HTTP client: {e}")))?;
        Ok(Self {
            http,
            ca_file,
            server: server.trim_end_matches('/').to_owned(),
            token: common.token.clone().unwrap_or(profile.token),
            org: common.org.clone(),
            project: common.project.clone(),
        })
    }

    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    pub(crate) fn ca_file(&self) -> Option<&Path> {
        self.ca_file.as_deref()
    }

    pub(crate) fn org(&self) -> Option<&str> {
        self.org.as_deref()
    }

    pub(crate) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// A request below `/api/v1`, with scope and session.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let mut request = self.http.request(method, format!("{}/api/v1/{path}", self.server));
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        let scope: Vec<(&str, &str)> =
            [("org", self.org()), ("project", self.project())].into_iter().filter_map(|(k, v)| Some((k, v?))).collect();
        request.query(&scope)
    }

    /// Sends, and turns a problem into a failure.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, CliFailure> {
        let answer = request.send().await.map_err(|error| self.unreachable(&error))?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let status = answer.status().as_u16();
        let body = answer.text().await.unwrap_or_default();
        Err(problem(status, &body))
    }

    /// Why there is no answer: the client tells what it tried, and the causes behind tell what went wrong.
    fn unreachable(&self, error: &reqwest::Error) -> CliFailure {
        let causes: Vec<String> = std::iter::successors(std::error::Error::source(error), |cause| cause.source())
            .map(ToString::to_string)
            .collect();
        let mut text = format!("cannot reach {}", self.server);
        for cause in &causes {
            // Some tell their own cause too.
            if !text.contains(cause.as_str()) {
                text.push_str(": ");
                text.push_str(cause);
            }
        }
        match certificate_hint(&text) {
            Some(hint) => CliFailure::silent(text).hint(hint),
            None => CliFailure::silent(text),
        }
    }

    pub(crate) async fn json(&self, request: RequestBuilder) -> Result<Value, CliFailure> {
        let answer = self.send(request).await?;
        answer.json().await.map_err(|e| CliFailure::failed(format!("the server's answer cannot be read: {e}")))
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value, CliFailure> {
        self.json(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, CliFailure> {
        self.json(self.request(Method::POST, path).json(body)).await
    }
}

impl Client {
    /// Every item of a list, page by page.
    pub(crate) async fn all(&self, path: &str) -> Result<Vec<Value>, CliFailure> {
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut request = self.request(Method::GET, path).query(&[("limit", "1000"), ("within", "true")]);
            if let Some(cursor) = &cursor {
                request = request.query(&[("cursor", cursor)]);
            }
            let page = self.json(request).await?;
            items.extend(page["items"].as_array().cloned().unwrap_or_default());
            match page["next"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Ok(items),
            }
        }
    }

    /// Saves one document in the scope of the command line, and answers with what that changed.
    pub(crate) async fn apply(&self, document: &Value) -> Result<String, CliFailure> {
        let body = serde_json::json!({ "text": document.to_string(), "org": self.org(), "project": self.project() });
        let answer = self.post("apply", &body).await?;
        Ok(answer.pointer("/saved/0/change").and_then(Value::as_str).unwrap_or("saved").to_owned())
    }

    /// The scope of the command line, as answers tell it.
    pub(crate) fn scope(&self) -> Value {
        let part = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(|text| text.parse().ok());
        let scope = windlass_model::Scope::of(part(self.org()).flatten(), part(self.project()).flatten());
        serde_json::to_value(scope).unwrap_or(Value::Null)
    }
}

/// RFC 9457, or whatever a proxy says.
fn problem(status: u16, body: &str) -> CliFailure {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let text = |key: &str| parsed.as_ref().and_then(|p| p.get(key)?.as_str()).map(str::to_owned);
    let message = match (text("detail"), text("code")) {
        (Some(detail), Some(code)) => format!("{detail} [{code}]"),
        (Some(detail), None) => detail,
        _ => format!("the server answered {status}: {}", body.chars().take(200).collect::<String>()),
    };
    let mut failure = if matches!(status, 502..=504) {
        CliFailure::silent(message)
    } else if matches!(status, 401 | 403) {
        CliFailure::unreachable(message)
    } else {
        CliFailure::failed(message)
    };
    let list = |key: &str| parsed.as_ref().and_then(|p| p.get(key)).cloned();
    if let Some(problems) = list("problems").and_then(|p| serde_json::from_value::<Diagnostics>(p).ok()) {
        failure = failure.problems(problems);
    }
    for hint in list("hints").and_then(|h| serde_json::from_value::<Vec<String>>(h).ok()).unwrap_or_default() {
        failure = failure.hint(hint);
    }
    failure
}

/// What a file of authorities holds.
pub(crate) fn authorities(path: &Path) -> Result<Authorities, CliFailure> {
    let text = crate::command::read_text(path)?;
    if reqwest::Certificate::from_pem_bundle(text.as_bytes()).is_ok_and(|found| !found.is_empty()) {
        Ok(Authorities(text))
    } else {
        let failure = CliFailure::usage(format!("{} holds no certificate in PEM", path.display()));
        Err(failure.hint("--ca-file (WINDLASS_CA_FILE) names a file with certificates of authorities"))
    }
}

fn no_authority(path: &Path, error: &reqwest::Error) -> CliFailure {
    CliFailure::usage(format!("cannot use the authorities in {}: {error}", path.display()))
}

/// What helps against a certificate that is not believed.
fn certificate_hint(text: &str) -> Option<&'static str> {
    let hints = [
        (
            "UnknownIssuer",
            "this machine does not know who issued the server's certificate: name the authority with --ca-file",
        ),
        (
            "CaUsedAsEndEntity",
            "the server shows the certificate of an authority; a server needs one of its own (`basicConstraints=CA:FALSE`)",
        ),
        ("NotValidForName", "use the name that the server's certificate is for"),
    ];
    hints.iter().find(|(cause, _)| text.contains(cause)).map(|(_, hint)| *hint)
}
