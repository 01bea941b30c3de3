//! Files of a repository at a revision.

use super::enter;
use super::error::ApiError;
use crate::access::Right;
use crate::repo::{Entry, EntryKind};
use crate::{GitSim, Repo, Sha};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) fn routes() -> Router<GitSim> {
    Router::new()
        .route("/repos/{owner}/{repo}/contents", get(root))
        .route("/repos/{owner}/{repo}/contents/", get(root))
        .route("/repos/{owner}/{repo}/contents/{*path}", get(contents))
}

#[derive(Debug, Deserialize)]
struct At {
    r#ref: Option<String>,
}

async fn root(
    sim: State<GitSim>,
    Path((owner, repo)): Path<(String, String)>,
    at: Query<At>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    contents(sim, Path((owner, repo, String::new())), at, headers).await
}

async fn contents(
    State(sim): State<GitSim>,
    Path((owner, repo, path)): Path<(String, String, String)>,
    Query(at): Query<At>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let commit = repo.resolve(at.r#ref.as_deref().unwrap_or("HEAD")).await?;
    let path = path.trim_matches('/');
    if path.is_empty() {
        return listing(&repo, &commit, "").await;
    }
    let entry = repo.list(&commit, path).await?.pop().ok_or_else(ApiError::not_found)?;
    if entry.kind == EntryKind::Folder {
        return listing(&repo, &commit, &format!("{path}/")).await;
    }
    let content = repo.read(commit.as_str(), path).await?;
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains("raw") {
        return Ok(([(header::CONTENT_TYPE, "application/octet-stream")], content).into_response());
    }
    let mut body = card(&repo, &commit, &entry)?;
    body["encoding"] = "base64".into();
    body["content"] = STANDARD.encode(&content).into();
    Ok(Json(body).into_response())
}

async fn listing(repo: &Repo, commit: &Sha, folder: &str) -> Result<Response, ApiError> {
    let entries = repo.list(commit, folder).await?;
    let cards = entries.iter().map(|entry| card(repo, commit, entry)).collect::<Result<Vec<Value>, _>>()?;
    Ok(Json(cards).into_response())
}

fn card(repo: &Repo, commit: &Sha, entry: &Entry) -> Result<Value, ApiError> {
    let kind = match entry.kind {
        EntryKind::File => "file",
        EntryKind::Folder => "dir",
        EntryKind::Symlink => "symlink",
        EntryKind::Submodule => "submodule",
    };
    let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
    Ok(json!({
        "type": kind,
        "name": name,
        "path": entry.path,
        "sha": entry.object,
        "size": entry.size,
        "url": format!("{}/contents/{}?ref={commit}", repo.card()?.api(), entry.path),
    }))
}
