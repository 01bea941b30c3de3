//! Pull requests: create, list, get, edit, merge.

use super::error::ApiError;
use super::page::Page;
use super::{enter, json};
use crate::access::Right;
use crate::webhook::payload;
use crate::{GitSim, MergeMethod, NewPull, Pull, PullState, Sha};
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;

pub(super) fn routes() -> Router<GitSim> {
    Router::new()
        .route("/repos/{owner}/{repo}/pulls", get(list).post(create))
        .route("/repos/{owner}/{repo}/pulls/{number}", get(show).patch(edit))
        .route("/repos/{owner}/{repo}/pulls/{number}/merge", put(merge))
}

#[derive(Debug, Deserialize)]
struct Create {
    title: String,
    body: Option<String>,
    /// `branch` or `org:branch`; branches of other repositories are not offered.
    head: String,
    base: String,
}

async fn create(
    State(sim): State<GitSim>,
    Path((owner, repo)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (repo, token) = enter(&sim, &headers, (&owner, &repo), Right::Write).await?;
    let new: Create = json(&headers, body).await?;
    let head = match new.head.split_once(':') {
        Some((org, branch)) if org == owner => branch.to_owned(),
        Some(_) => return Err(ApiError::unprocessable("pull requests from forks are not offered by git-sim")),
        None => new.head,
    };
    let pull = repo.open_pull(token.user(), NewPull { title: new.title, body: new.body, head, base: new.base }).await?;
    Ok((StatusCode::CREATED, Json(payload::pull(&repo.card()?, &pull))).into_response())
}

#[derive(Debug, Deserialize)]
struct Filter {
    state: Option<String>,
    head: Option<String>,
    base: Option<String>,
}

async fn list(
    State(sim): State<GitSim>,
    Path((owner, repo)): Path<(String, String)>,
    Query(filter): Query<Filter>,
    Query(page): Query<Page>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let is_open = |pull: &Pull| pull.state == PullState::Open;
    let state: fn(&Pull) -> bool = match filter.state.as_deref() {
        None | Some("open") => is_open,
        Some("closed") => |pull| pull.state != PullState::Open,
        Some("all") => |_| true,
        Some(other) => return Err(ApiError::unprocessable(format!("state `{other}` is not one of open, closed, all"))),
    };
    let head = filter.head.as_deref().map(|head| head.split_once(':').map_or(head, |(_, branch)| branch));
    let mut pulls = repo.pulls()?;
    pulls.retain(|pull| {
        state(pull)
            && head.is_none_or(|head| pull.head == head)
            && filter.base.as_ref().is_none_or(|base| pull.base == *base)
    });
    pulls.reverse();
    let card = repo.card()?;
    Ok(page.answer(&sim.public_url(), &uri, &pulls, |pull| payload::pull(&card, pull)))
}

async fn show(
    State(sim): State<GitSim>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let pull = repo.pull(number)?.ok_or_else(ApiError::not_found)?;
    let mut body = payload::pull(&repo.card()?, &pull);
    if pull.state == PullState::Open {
        let mergeable = repo.is_mergeable(&pull).await?;
        body["mergeable"] = mergeable.into();
        body["mergeable_state"] = if mergeable { "clean" } else { "dirty" }.into();
    }
    Ok(Json(body).into_response())
}

#[derive(Debug, Deserialize)]
struct Edit {
    state: Option<PullState>,
    title: Option<String>,
    body: Option<String>,
}

async fn edit(
    State(sim): State<GitSim>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (repo, token) = enter(&sim, &headers, (&owner, &repo), Right::Write).await?;
    let edit: Edit = json(&headers, body).await?;
    if edit.state == Some(PullState::Merged) {
        return Err(ApiError::unprocessable("state is not one of open, closed; merge with PUT …/merge"));
    }
    let pull = repo.edit_pull(number, token.user(), edit.state, edit.title, edit.body)?;
    Ok(Json(payload::pull(&repo.card()?, &pull)).into_response())
}

#[derive(Debug, Deserialize)]
struct Merge {
    #[serde(default)]
    merge_method: MergeMethod,
    sha: Option<Sha>,
    commit_title: Option<String>,
    commit_message: Option<String>,
}

async fn merge(
    State(sim): State<GitSim>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (repo, token) = enter(&sim, &headers, (&owner, &repo), Right::Write).await?;
    let merge: Merge = json(&headers, body).await?;
    let message = merge.commit_title.map(|title| match merge.commit_message {
        Some(text) => format!("{title}\n\n{text}\n"),
        None => format!("{title}\n"),
    });
    let sha = repo.merge_pull(number, merge.merge_method, merge.sha.as_ref(), message, token.user()).await?;
    Ok(Json(json!({"sha": sha, "merged": true, "message": "Pull Request successfully merged"})).into_response())
}
