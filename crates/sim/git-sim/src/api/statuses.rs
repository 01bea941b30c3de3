//! Commit statuses: what a delivery tool says about a commit.

use super::error::ApiError;
use super::page::Page;
use super::{enter, json};
use crate::GitSim;
use crate::access::Right;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// GitHub keeps as many for one commit and context.
const LIMIT: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Error,
    Failure,
    Pending,
    Success,
}

#[derive(Clone, Debug)]
pub(crate) struct CommitStatus {
    state: Verdict,
    context: String,
    description: Option<String>,
    target_url: Option<String>,
    creator: String,
    created: String,
}

pub(super) fn routes() -> Router<GitSim> {
    Router::new()
        .route("/repos/{owner}/{repo}/statuses/{sha}", post(create))
        .route("/repos/{owner}/{repo}/commits/{sha}/status", get(combined))
        .route("/repos/{owner}/{repo}/commits/{sha}/statuses", get(list))
}

#[derive(Debug, Deserialize)]
struct New {
    state: Verdict,
    context: Option<String>,
    description: Option<String>,
    target_url: Option<String>,
}

async fn create(
    State(sim): State<GitSim>,
    Path((owner, repo, revision)): Path<(String, String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (repo, token) = enter(&sim, &headers, (&owner, &repo), Right::Write).await?;
    let new: New = json(&headers, body).await?;
    let sha = repo.resolve(&revision).await?;
    let status = CommitStatus {
        state: new.state,
        context: new.context.unwrap_or_else(|| "default".to_owned()),
        description: new.description,
        target_url: new.target_url,
        creator: token.user().to_owned(),
        created: sim.inner().options.clock.now().to_jiff().to_string(),
    };
    let body = show(&status);
    sim.with(repo.name(), |state| {
        let statuses = state.statuses.entry(sha).or_default();
        if statuses.iter().filter(|known| known.context == status.context).count() >= LIMIT {
            return Err(ApiError::unprocessable(format!("this commit and context have reached {LIMIT} statuses")));
        }
        statuses.push(status);
        Ok(())
    })??;
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

async fn list(
    State(sim): State<GitSim>,
    Path((owner, repo, revision)): Path<(String, String, String)>,
    Query(page): Query<Page>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let sha = repo.resolve(&revision).await?;
    let mut statuses = sim.with(repo.name(), |state| state.statuses.get(&sha).cloned().unwrap_or_default())?;
    statuses.reverse();
    Ok(page.answer(&sim.public_url(), &uri, &statuses, show))
}

/// The newest status of each context, and their sum.
async fn combined(
    State(sim): State<GitSim>,
    Path((owner, repo, revision)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let sha = repo.resolve(&revision).await?;
    let all = sim.with(repo.name(), |state| state.statuses.get(&sha).cloned().unwrap_or_default())?;
    let mut newest: Vec<&CommitStatus> = Vec::new();
    for status in &all {
        newest.retain(|known| known.context != status.context);
        newest.push(status);
    }
    let any = |states: &[Verdict]| newest.iter().any(|status| states.contains(&status.state));
    let state = if any(&[Verdict::Error, Verdict::Failure]) {
        "failure"
    } else if newest.is_empty() || any(&[Verdict::Pending]) {
        "pending"
    } else {
        "success"
    };
    let body = json!({
        "state": state,
        "sha": sha,
        "total_count": newest.len(),
        "statuses": newest.into_iter().map(show).collect::<Vec<_>>(),
        "repository": repo.card()?.repository(),
    });
    Ok(Json(body).into_response())
}

fn show(status: &CommitStatus) -> Value {
    json!({
        "state": status.state,
        "context": status.context,
        "description": status.description,
        "target_url": status.target_url,
        "creator": {"login": status.creator},
        "created_at": status.created,
        "updated_at": status.created,
    })
}
