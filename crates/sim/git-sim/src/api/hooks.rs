//! Webhooks of one repository, their deliveries and redelivery.

use super::error::ApiError;
use super::{enter, json};
use crate::access::Right;
use crate::webhook::Outcome;
use crate::{Delivery, GitSim, Hook, HookId, RepoName};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) fn routes() -> Router<GitSim> {
    Router::new()
        .route("/repos/{owner}/{repo}/hooks", get(list).post(create))
        .route("/repos/{owner}/{repo}/hooks/{id}", get(one).delete(remove))
        .route("/repos/{owner}/{repo}/hooks/{id}/deliveries", get(deliveries))
        .route("/repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}", get(delivery))
        .route("/repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}/attempts", post(redeliver))
}

#[derive(Debug, Deserialize)]
struct New {
    config: Config,
    #[serde(default = "push_only")]
    events: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Config {
    url: String,
    secret: Option<String>,
    content_type: Option<String>,
}

fn push_only() -> Vec<String> {
    vec!["push".to_owned()]
}

async fn create(
    State(sim): State<GitSim>,
    Path((owner, repo)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Admin).await?;
    let new: New = json(&headers, body).await?;
    if new.config.content_type.as_deref().is_some_and(|kind| kind != "json") {
        return Err(ApiError::unprocessable("git-sim sends webhooks as content_type `json` only"));
    }
    if !new.config.url.starts_with("http://") && !new.config.url.starts_with("https://") {
        return Err(ApiError::unprocessable(format!("`{}` is not an http or https address", new.config.url)));
    }
    if let Some(event) = new.events.iter().find(|event| !["push", "pull_request", "*"].contains(&event.as_str())) {
        return Err(ApiError::unprocessable(format!(
            "git-sim has no event `{event}`; offered are push and pull_request"
        )));
    }
    let hook =
        Hook { url: new.config.url, secret: new.config.secret, events: new.events, repo: Some(repo.name().clone()) };
    let body = show(sim.add_hook(hook.clone()), &hook);
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

async fn list(
    State(sim): State<GitSim>,
    Path((owner, repo)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Admin).await?;
    let hooks = sim.hooks();
    let own = hooks.iter().filter(|(_, hook)| hook.repo.as_ref() == Some(repo.name()));
    Ok(Json(own.map(|(id, hook)| show(*id, hook)).collect::<Vec<_>>()).into_response())
}

async fn one(
    State(sim): State<GitSim>,
    Path((owner, repo, id)): Path<(String, String, u64)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Admin).await?;
    let (id, hook) = find(&sim, repo.name(), id)?;
    Ok(Json(show(id, &hook)).into_response())
}

async fn remove(
    State(sim): State<GitSim>,
    Path((owner, repo, id)): Path<(String, String, u64)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Admin).await?;
    let (id, _) = find(&sim, repo.name(), id)?;
    sim.remove_hook(id);
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn deliveries(
    State(sim): State<GitSim>,
    Path((owner, repo, id)): Path<(String, String, u64)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Admin).await?;
    let (id, _) = find(&sim, repo.name(), id)?;
    let known = sim.deliveries();
    let own = known.iter().rev().filter(|delivery| delivery.hook == id);
    Ok(Json(own.map(show_delivery).collect::<Vec<_>>()).into_response())
}

async fn delivery(
    State(sim): State<GitSim>,
    Path((owner, repo, id, delivery)): Path<(String, String, u64, u64)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Admin).await?;
    let (id, _) = find(&sim, repo.name(), id)?;
    let found = sim.deliveries().into_iter().find(|known| known.hook == id && known.id == delivery);
    let found = found.ok_or_else(ApiError::not_found)?;
    let mut body = show_delivery(&found);
    body["request"] = json!({"payload": serde_json::from_str::<Value>(&found.body).unwrap_or_default()});
    Ok(Json(body).into_response())
}

async fn redeliver(
    State(sim): State<GitSim>,
    Path((owner, repo, id, delivery)): Path<(String, String, u64, u64)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (repo, _) = enter(&sim, &headers, (&owner, &repo), Right::Admin).await?;
    let (id, _) = find(&sim, repo.name(), id)?;
    let is_own = sim.deliveries().iter().any(|known| known.hook == id && known.id == delivery);
    if !is_own || !sim.redeliver(delivery) {
        return Err(ApiError::not_found());
    }
    Ok((StatusCode::ACCEPTED, Json(json!({}))).into_response())
}

fn find(sim: &GitSim, repo: &RepoName, id: u64) -> Result<(HookId, Hook), ApiError> {
    let own = |(known, hook): &(HookId, Hook)| known.0 == id && hook.repo.as_ref() == Some(repo);
    sim.hooks().into_iter().find(own).ok_or_else(ApiError::not_found)
}

fn show(id: HookId, hook: &Hook) -> Value {
    let secret = hook.secret.as_ref().map(|_| "********");
    json!({
        "id": id.0,
        "name": "web",
        "active": true,
        "events": hook.events,
        "config": {"url": hook.url, "content_type": "json", "secret": secret},
    })
}

fn show_delivery(delivery: &Delivery) -> Value {
    let (code, status) = match &delivery.outcome {
        Outcome::Answered(code) => (*code, if *code < 400 { "OK".to_owned() } else { format!("answered {code}") }),
        Outcome::Failed(reason) => (0, reason.clone()),
    };
    json!({
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": delivery.queued.to_jiff().to_string(),
        "redelivery": delivery.redelivery,
        "status": status,
        "status_code": code,
        "event": delivery.event,
        "action": delivery.action,
        "url": delivery.url,
    })
}
