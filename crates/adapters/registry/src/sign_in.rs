//! How a registry is signed in to: with user and password, or with a token from where it says.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value as Json;
use std::fmt;
use windlass_http::{Client, HttpError, Request, Url, shown};

/// A user of a repository.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    pub name: String,
    pub password: String,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("name", &self.name).field("password", &"••••").finish()
    }
}

/// Why a registry's sign-in service gives no token.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    #[error("the registry's sign-in service {0}")]
    Odd(&'static str),
    #[error("{0}")]
    Header(String),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("{url} answered with status {status}")]
    Status { url: String, status: u16 },
}

/// The value of an `Authorization` header for user and password.
pub fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
}

/// Gets a token from where the registry at `base` says. User and password go there only over a connection as good as the
/// registry's own.
///
/// # Errors
/// When the service cannot be asked, refuses, or answers with something else.
pub async fn token(
    client: &Client,
    base: &Url,
    realm: &str,
    parameters: &[(&str, Option<String>)],
    user: Option<&User>,
) -> Result<String, SignInError> {
    let mut url = Url::parse(realm).map_err(|_| SignInError::Odd("has no URL"))?;
    if base.scheme() == "https" && url.scheme() != "https" {
        return Err(SignInError::Odd("would get the password without encryption"));
    }
    for (name, value) in parameters {
        if let Some(value) = value {
            url.query_pairs_mut().append_pair(name, value);
        }
    }
    if let Some(user) = user {
        url.query_pairs_mut().append_pair("account", &user.name);
    }
    let header = |error: windlass_http::RequestError| SignInError::Header(error.to_string());
    let mut request = Request::get(url.as_str()).map_err(header)?;
    if let Some(user) = user {
        request = request.header("authorization", &basic(&user.name, &user.password)).map_err(header)?;
    }
    let answer = client.send(&request).await?;
    if !answer.status.is_success() {
        return Err(SignInError::Status { url: shown(&url), status: answer.status.as_u16() });
    }
    let odd = |_| SignInError::Odd("answers with something that is not JSON");
    let body: Json = serde_json::from_slice(&answer.body).map_err(odd)?;
    let token = ["token", "access_token"].iter().find_map(|name| body.get(name)).and_then(Json::as_str);
    token.map(str::to_owned).ok_or(SignInError::Odd("gives no token"))
}
