use crate::error::Error;
use reqwest::{Certificate, Method};
use serde_json::Value;
use std::time::Duration;

/// The API of one cluster, as one user.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: String,
}

/// What a server answered.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub content_type: String,
    pub warnings: Vec<String>,
    pub body: String,
}

impl Client {
    /// # Errors
    /// When the authority is none.
    pub fn new(url: &str, authority: &[u8], token: &str) -> Result<Self, Error> {
        let failed = |source| Error::Send { request: url.to_owned(), source };
        let authorities = Certificate::from_pem_bundle(authority).map_err(failed)?;
        let http = reqwest::Client::builder()
            .tls_certs_only(authorities)
            .no_proxy()
            .timeout(Duration::from_secs(60))
            .build()
            .map_err(failed)?;
        Ok(Self { http, url: url.to_owned(), token: token.to_owned() })
    }

    /// A server without a certificate, and without users.
    ///
    /// # Errors
    /// When there cannot be a client at all.
    pub fn plain(url: &str) -> Result<Self, Error> {
        let http = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(60)).build();
        let http = http.map_err(|source| Error::Send { request: url.to_owned(), source })?;
        Ok(Self { http, url: url.to_owned(), token: String::new() })
    }

    /// The same for another user; nobody when the token is empty.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// Sends a request and reads its whole answer, also one that tells of a failure.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<String>,
    ) -> Result<Answer, Error> {
        let request = || format!("{method} {path}");
        let failed = |source| Error::Send { request: request(), source };
        let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::GET);
        let mut call = self.http.request(method, format!("{}{path}", self.url));
        if !self.token.is_empty() {
            call = call.bearer_auth(&self.token);
        }
        for (name, value) in headers {
            call = call.header(*name, *value);
        }
        if let Some(body) = body {
            call = call.body(body);
        }
        let response = call.send().await.map_err(failed)?;
        let status = response.status().as_u16();
        let of = |name: &str| -> Vec<String> {
            let values = response.headers().get_all(name);
            values.iter().map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned()).collect()
        };
        let (content_type, warnings) = (of("content-type").join(","), of("warning"));
        let body = response.bytes().await.map_err(failed)?;
        Ok(Answer { status, content_type, warnings, body: String::from_utf8_lossy(&body).into_owned() })
    }

    /// Sends JSON and wants a success.
    ///
    /// # Errors
    /// When there is no answer, or one that tells of a failure.
    pub async fn done(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Error> {
        let headers = [("content-type", "application/json"), ("accept", "application/json")];
        let answer = self.send(method, path, &headers, body.map(Value::to_string)).await?;
        if answer.status >= 300 {
            let request = format!("{method} {path}");
            return Err(Error::Refused { request, status: answer.status, body: answer.body });
        }
        Ok(serde_json::from_str(&answer.body).unwrap_or(Value::Null))
    }

    /// Whether a path answers with success.
    pub async fn answers(&self, path: &str) -> bool {
        self.send("GET", path, &[], None).await.is_ok_and(|answer| answer.status == 200)
    }
}
