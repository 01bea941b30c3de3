use super::{ANSWER, Endpoint, NoAnswer};
use crate::register::{Registered, Registration};

/// Why the server did not take the worker.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    #[error("cannot reach {server}")]
    Unreachable { server: String, source: NoAnswer },
    #[error("the server refused the delegate token: {message}; create one with `windlass delegate token create`")]
    Token { message: String },
    #[error("the server refused the registration with {status}: {message}")]
    Refused { status: u16, message: String },
    #[error("the server's answer cannot be read: is {server} a Windlass server?")]
    Answer { server: String, source: reqwest::Error },
}

impl RegisterError {
    /// Whether trying again later can help.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused { status, .. } => *status >= 500 || *status == 429,
            Self::Token { .. } | Self::Answer { .. } => false,
        }
    }
}

/// Exchanges the delegate token for a token of 15 minutes.
pub async fn register(
    endpoint: &Endpoint,
    delegate_token: &str,
    registration: &Registration,
) -> Result<Registered, RegisterError> {
    let server = || endpoint.server.clone();
    let request = endpoint.http.post(endpoint.url("register")).bearer_auth(delegate_token).json(registration);
    let answer = endpoint
        .answer(request, ANSWER)
        .await
        .map_err(|source| RegisterError::Unreachable { server: server(), source })?;
    let status = answer.status().as_u16();
    if answer.status().is_success() {
        return answer.json().await.map_err(|source| RegisterError::Answer { server: server(), source });
    }
    let body = answer.text().await.unwrap_or_default();
    let message = serde_json::from_str::<serde_json::Value>(&body)
        .ok()
        .and_then(|problem| Some(problem.get("detail")?.as_str()?.to_owned()))
        .unwrap_or(body);
    Err(if status == 401 || status == 403 {
        RegisterError::Token { message }
    } else {
        RegisterError::Refused { status, message }
    })
}
