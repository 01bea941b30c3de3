//! Repositories, branches, tags, commits.

use super::error::ApiError;
use super::page::Page;
use super::{enter, identify, json};
use crate::access::Right;
use crate::webhook::payload::Card;
use crate::{Changes, CommitInfo, GitSim, NewCommit, Person, Reference, RepoName};
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

type Result<T = Response> = std::result::Result<T, ApiError>;

pub(super) fn routes() -> Router<GitSim> {
    Router::new()
        .route("/user", get(user))
        .route("/orgs/{org}/repos", get(list).post(create))
        .route("/repos/{owner}/{repo}", get(show))
        .route("/repos/{owner}/{repo}/branches", get(branches))
        .route("/repos/{owner}/{repo}/branches/{*branch}", get(branch))
        .route("/repos/{owner}/{repo}/tags", get(tags))
        .route("/repos/{owner}/{repo}/commits", get(commits))
        .route("/repos/{owner}/{repo}/commits/{sha}", get(commit))
}

async fn user(State(sim): State<GitSim>, headers: HeaderMap) -> Result {
    let token = identify(&sim, &headers, None).await?;
    Ok(Json(json!({"login": token.user(), "type": "User"})).into_response())
}

async fn list(
    State(sim): State<GitSim>,
    Path(org): Path<String>,
    Query(page): Query<Page>,
    uri: Uri,
    headers: HeaderMap,
) -> Result {
    let token = identify(&sim, &headers, None).await?;
    let visible = sim.repo_names().into_iter().filter(|name| name.org() == org && token.right_on(name).is_some());
    let cards = visible.map(|name| Ok(sim.repo(&name)?.card()?)).collect::<Result<Vec<Card>>>()?;
    Ok(page.answer(&sim.public_url(), &uri, &cards, Card::repository))
}

#[derive(Debug, Deserialize)]
struct NewRepo {
    name: String,
    #[serde(default)]
    auto_init: bool,
}

async fn create(State(sim): State<GitSim>, Path(org): Path<String>, headers: HeaderMap, body: Body) -> Result {
    let token = identify(&sim, &headers, None).await?;
    if !token.administers(&org) {
        return Err(ApiError::new(StatusCode::FORBIDDEN, format!("this needs the right Admin on {org}")));
    }
    let new: NewRepo = json(&headers, body).await?;
    let name = RepoName::new(&org, &new.name).map_err(|error| ApiError::unprocessable(error.to_string()))?;
    let repo = sim.create_repo(&name).await?;
    if new.auto_init {
        let first = NewCommit {
            branch: "main".to_owned(),
            changes: Changes::default().write("README.md", format!("# {}\n", name.repo())),
            message: "Initial commit\n".to_owned(),
            author: Person::of_user(token.user()),
            when: sim.inner().options.clock.now(),
        };
        repo.commit(&first).await?;
    }
    Ok((StatusCode::CREATED, Json(repo.card()?.repository())).into_response())
}

async fn show(State(sim): State<GitSim>, Path((owner, repo)): Path<(String, String)>, headers: HeaderMap) -> Result {
    let (repo, token) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let mut body = repo.card()?.repository();
    let right = token.right_on(repo.name());
    body["permissions"] = json!({
        "admin": right >= Some(Right::Admin), "push": right >= Some(Right::Write), "pull": right >= Some(Right::Read),
    });
    Ok(Json(body).into_response())
}

fn branch_card(card: &Card, branch: &Reference, protected: &[String]) -> Value {
    json!({
        "name": branch.name,
        "commit": {"sha": branch.commit, "url": format!("{}/commits/{}", card.api(), branch.commit)},
        "protected": protected.contains(&branch.name),
    })
}

async fn branches(
    State(sim): State<GitSim>,
    Path((owner, repo)): Path<(String, String)>,
    Query(page): Query<Page>,
    uri: Uri,
    headers: HeaderMap,
) -> Result {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let protected = sim.with(repo.name(), |state| state.protected.clone())?;
    let (card, branches) = (repo.card()?, repo.branches().await?);
    Ok(page.answer(&sim.public_url(), &uri, &branches, |branch| branch_card(&card, branch, &protected)))
}

async fn branch(
    State(sim): State<GitSim>,
    Path((owner, repo, branch)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let protected = sim.with(repo.name(), |state| state.protected.clone())?;
    let commit = repo.resolve(&format!("refs/heads/{branch}")).await?;
    Ok(Json(branch_card(&repo.card()?, &Reference { name: branch, commit }, &protected)).into_response())
}

async fn tags(
    State(sim): State<GitSim>,
    Path((owner, repo)): Path<(String, String)>,
    Query(page): Query<Page>,
    uri: Uri,
    headers: HeaderMap,
) -> Result {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let tags = repo.tags().await?;
    Ok(page.answer(&sim.public_url(), &uri, &tags, |tag| json!({"name": tag.name, "commit": {"sha": tag.commit}})))
}

#[derive(Debug, Deserialize)]
struct From {
    sha: Option<String>,
}

async fn commits(
    State(sim): State<GitSim>,
    Path((owner, repo)): Path<(String, String)>,
    Query(from): Query<From>,
    Query(page): Query<Page>,
    uri: Uri,
    headers: HeaderMap,
) -> Result {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let tip = repo.resolve(from.sha.as_deref().unwrap_or("HEAD")).await?;
    let (card, commits) = (repo.card()?, repo.history(&tip, page.reach()).await?);
    Ok(page.answer(&sim.public_url(), &uri, &commits, |info| commit_card(&card, info)))
}

async fn commit(
    State(sim): State<GitSim>,
    Path((owner, repo, revision)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Read).await?;
    let info = repo.info(&repo.resolve(&revision).await?).await?;
    let changed = [("added", &info.added), ("modified", &info.modified), ("removed", &info.removed)];
    let files = changed
        .into_iter()
        .flat_map(|(status, paths)| paths.iter().map(move |path| json!({"filename": path, "status": status})));
    let mut body = commit_card(&repo.card()?, &info);
    body["files"] = files.collect();
    Ok(Json(body).into_response())
}

fn commit_card(card: &Card, info: &CommitInfo) -> Value {
    let person = |who: &Person, when: windlass_model::Timestamp| json!({"name": who.name, "email": who.email, "date": when.to_jiff().to_string()});
    json!({
        "sha": info.id,
        "url": format!("{}/commits/{}", card.api(), info.id),
        "html_url": format!("{}/commit/{}", card.html(), info.id),
        "commit": {
            "message": info.message,
            "author": person(&info.author, info.authored),
            "committer": person(&info.committer, info.committed),
            "tree": {"sha": info.tree},
        },
        "parents": info.parents.iter().map(|sha| json!({"sha": sha})).collect::<Vec<_>>(),
    })
}
