//! Smart HTTP: what `git clone`, `git fetch` and `git push` talk to.
//!
//! The protocol itself is the git program's (`upload-pack` and `receive-pack` with `--stateless-rpc`); this module decides
//! who may, moves bytes, and reads a push's commands to keep protected branches and to know what to announce.

mod fetch;
mod push;
mod report;

use crate::access::{Refusal, Right, Token};
use crate::body::BodyError;
use crate::fault::{Door, FaultAnswer};
use crate::{GitError, GitSim, Repo, RepoError, RepoName};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;

pub(crate) fn routes() -> Router<GitSim> {
    Router::new()
        .route("/{org}/{repo}/info/refs", get(advertise))
        .route("/{org}/{repo}/git-upload-pack", post(fetch::upload_pack))
        .route("/{org}/{repo}/git-receive-pack", post(push::receive_pack))
        // Limits are our own: they count after decompression.
        .layer(DefaultBodyLimit::disable())
}

/// Why a Git request gets no answer of git.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TransportError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Repo(#[from] RepoError),
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error("git failed")]
    Git(#[from] GitError),
    #[error("the request is not in Git's protocol")]
    Protocol,
    #[error("the old \"dumb\" protocol is not offered; use a git client of this century")]
    Dumb,
    #[error("injected fault")]
    Fault(StatusCode),
}

impl IntoResponse for TransportError {
    fn into_response(self) -> Response {
        let (status, text) = match &self {
            Self::Refused(Refusal::Anonymous) => (StatusCode::UNAUTHORIZED, "Authentication required.".to_owned()),
            Self::Refused(Refusal::BadCredentials) => (
                StatusCode::UNAUTHORIZED,
                "Invalid username or token. Password authentication is not supported.".into(),
            ),
            // The same text for "not there" and "not yours".
            Self::Refused(Refusal::Unseen { .. }) | Self::Repo(RepoError::NoSuchRepo(_) | RepoError::Name(_)) => {
                (StatusCode::NOT_FOUND, "Repository not found.".to_owned())
            }
            Self::Refused(Refusal::TooLittle { user, repo, .. }) => {
                (StatusCode::FORBIDDEN, format!("Permission to {repo}.git denied to {user}."))
            }
            Self::Body(error @ BodyError::TooLarge { .. }) => (StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
            Self::Body(error @ BodyError::Encoding(_)) => (StatusCode::UNSUPPORTED_MEDIA_TYPE, error.to_string()),
            Self::Body(error) => (StatusCode::BAD_REQUEST, error.to_string()),
            Self::Protocol => (StatusCode::BAD_REQUEST, self.to_string()),
            Self::Dumb => (StatusCode::FORBIDDEN, self.to_string()),
            Self::Fault(status) => (*status, self.to_string()),
            Self::Repo(_) | Self::Git(_) => {
                tracing::warn!(error = &self as &dyn std::error::Error, "a git request failed");
                (StatusCode::INTERNAL_SERVER_ERROR, "git failed; see the log of git-sim".to_owned())
            }
        };
        let mut response = (status, format!("{text}\n")).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Basic realm=\"git-sim\", charset=\"UTF-8\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// Meets the faults, finds the repository, checks the right.
async fn enter(
    sim: &GitSim,
    headers: &HeaderMap,
    org: &str,
    repo: &str,
    door: Door,
) -> Result<(Repo, Token), TransportError> {
    let name = RepoName::new(org, repo.strip_suffix(".git").unwrap_or(repo)).map_err(RepoError::from)?;
    let mishap = sim.faults().strike(door, Some(&name));
    sim.inner().options.clock.sleep(mishap.latency).await;
    match mishap.answer {
        Some(FaultAnswer::AuthFailure) => return Err(Refusal::BadCredentials.into()),
        Some(FaultAnswer::Status(code)) => {
            return Err(TransportError::Fault(StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY)));
        }
        None => {}
    }
    let need = if door == Door::Push { Right::Write } else { Right::Read };
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = sim.tokens().judge(authorization, &name, need)?.clone();
    Ok((sim.repo(&name)?, token))
}

#[derive(Debug, Deserialize)]
struct Service {
    service: Option<String>,
}

/// `GET info/refs?service=…`: what refs there are.
async fn advertise(
    State(sim): State<GitSim>,
    Path((org, repo)): Path<(String, String)>,
    Query(query): Query<Service>,
    headers: HeaderMap,
) -> Result<Response, TransportError> {
    let (door, verb) = match query.service.as_deref() {
        Some("git-upload-pack") => (Door::Fetch, "upload-pack"),
        Some("git-receive-pack") => (Door::Push, "receive-pack"),
        _ => return Err(TransportError::Dumb),
    };
    let (repo, _) = enter(&sim, &headers, &org, &repo, door).await?;
    let _permit = sim.inner().processes.acquire().await;
    let version = protocol(&headers);
    let git = repo.git().env("GIT_PROTOCOL", version).args([verb, "--stateless-rpc", "--advertise-refs", "."]);
    let refs = git.output().await?;
    let mut body = Vec::with_capacity(refs.len() + 64);
    if !version.contains("version=2") {
        crate::pkt::put(&mut body, format!("# service=git-{verb}\n").as_bytes());
        crate::pkt::flush(&mut body);
    }
    body.extend_from_slice(&refs);
    Ok(git_answer(&format!("application/x-git-{verb}-advertisement"), body.into()))
}

/// The `Git-Protocol` header when it is harmless, for the environment of git.
fn protocol(headers: &HeaderMap) -> &str {
    let text = headers.get("git-protocol").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let harmless = text.len() <= 100 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"=:-".contains(&b));
    if harmless { text } else { "" }
}

fn git_answer(kind: &str, body: axum::body::Body) -> Response {
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache, max-age=0, must-revalidate")], body)
        .into_response()
}
