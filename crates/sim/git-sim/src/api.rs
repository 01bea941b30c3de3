//! The part of GitHub's REST API that is offered; everything else answers 404 and says what was asked for.

mod contents;
mod error;
mod hooks;
mod page;
mod pulls;
mod repos;
mod statuses;

pub(crate) use statuses::CommitStatus;

use crate::access::{Refusal, Right, Token};
use crate::body::collect;
use crate::fault::{Door, FaultAnswer};
use crate::{GitSim, Repo, RepoName};
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use error::ApiError;
use serde::de::DeserializeOwned;

/// The largest JSON body, bytes.
const BODY_LIMIT: u64 = 1 << 20;

pub(crate) fn routes() -> Router<GitSim> {
    Router::new()
        .merge(repos::routes())
        .merge(contents::routes())
        .merge(pulls::routes())
        .merge(statuses::routes())
        .merge(hooks::routes())
}

pub(crate) async fn unknown(method: Method, uri: Uri) -> Response {
    ApiError::new(StatusCode::NOT_FOUND, format!("git-sim does not offer {method} {}", uri.path())).into_response()
}

/// Meets the faults and finds the token.
async fn identify(sim: &GitSim, headers: &HeaderMap, repo: Option<&RepoName>) -> Result<Token, ApiError> {
    let mishap = sim.faults().strike(Door::Api, repo);
    sim.inner().options.clock.sleep(mishap.latency).await;
    match mishap.answer {
        Some(FaultAnswer::AuthFailure) => return Err(Refusal::BadCredentials.into()),
        Some(FaultAnswer::Status(code)) => {
            return Err(ApiError::new(StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY), "injected fault"));
        }
        None => {}
    }
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    Ok(sim.tokens().identify(authorization)?.clone())
}

/// Finds the repository of a path and checks the right of the caller.
async fn enter(
    sim: &GitSim,
    headers: &HeaderMap,
    (owner, repo): (&str, &str),
    need: Right,
) -> Result<(Repo, Token), ApiError> {
    let name = RepoName::new(owner, repo).map_err(|_| ApiError::not_found())?;
    let token = identify(sim, headers, Some(&name)).await?;
    match token.right_on(&name) {
        None => Err(ApiError::not_found()),
        Some(has) if has < need => {
            Err(ApiError::new(StatusCode::FORBIDDEN, format!("this needs the right {need:?}, the token has {has:?}")))
        }
        Some(_) => Ok((sim.repo(&name)?, token)),
    }
}

async fn json<T: DeserializeOwned>(headers: &HeaderMap, body: Body) -> Result<T, ApiError> {
    let body = collect(headers, body, BODY_LIMIT).await?;
    let body = if body.is_empty() { &b"{}"[..] } else { &body };
    serde_json::from_slice(body).map_err(|error| {
        let status = if error.is_data() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
        ApiError::new(status, format!("Problems parsing JSON: {error}"))
    })
}
