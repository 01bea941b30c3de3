//! Questions to people. Everybody who is signed in may ask for theirs: who may answer is a matter of groups (pipelines §9.2).

use crate::Api;
use crate::answer::Listed;
use crate::caller::Caller;
use crate::documents::page;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use crate::vendor::{Success, Vendor};
use axum::Json;
use axum::extract::{Path, Query, State};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::Serialize;
use std::collections::BTreeMap;
use windlass_app::approvals::{ApprovalRow, GivenAnswer, ListApprovals};
use windlass_model::ApprovalAction;
use windlass_model::id::ApprovalId;
use windlass_store::Scopes;

pub(crate) fn routes() -> Routes {
    Routes::new().get("/approvals", Door::SignedIn, list).get("/approvals/{id}", Door::SignedIn, show).post(
        "/approvals/{id}/answer",
        Door::SignedIn,
        answer,
    )
}

/// The vendor's paths (pipelines §6.1).
pub(crate) fn vendor() -> Routes {
    let mut routes = Routes::new();
    for prefix in ["/gateway/pipeline/api", "/pipeline/api"] {
        routes = routes.post(&format!("{prefix}/approvals/{{id}}/harness/activity"), Door::SignedIn, activity).post(
            &format!("{prefix}/approvals/execution/{{execution}}"),
            Door::SignedIn,
            by_callback,
        );
    }
    routes
}

#[derive(Deserialize, JsonSchema)]
struct ListQuery {
    #[serde(flatten)]
    scope: ScopeQuery,
    #[serde(default)]
    run: Option<String>,
    /// `all`: also those that were answered.
    #[serde(default)]
    state: Option<String>,
    /// Only those that the caller may answer.
    #[serde(default)]
    mine: Option<String>,
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    limit: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

async fn list(State(api): State<Api>, caller: Caller, Query(query): Query<ListQuery>) -> Answer<Listed<ApprovalRow>> {
    let list = ListApprovals {
        scopes: Scopes::Within(query.scope.scope()?),
        run: query.run.as_deref().map(|run| api.app.run_id(run)).transpose()?,
        open: query.state.as_deref() != Some("all"),
        mine: query.mine.as_deref() == Some("true"),
    };
    let page = page(query.limit.as_deref(), query.cursor)?;
    let found = api.app.approvals(&caller.0, &list, &page).await?;
    Ok(Listed(found))
}

/// `{id}` is an approval, or a run that waits for one.
async fn show(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<Json<ApprovalRow>> {
    let id = api.app.approval_id(&id).await?;
    Ok(Json(api.app.approval(&caller.0, id).await?))
}

fn actions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": [ApprovalAction::Approve, ApprovalAction::Reject] })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Given {
    #[schemars(schema_with = "actions")]
    action: ApprovalAction,
    #[serde(default)]
    comments: String,
    #[serde(default)]
    inputs: BTreeMap<String, String>,
}

/// An answer that was heard.
#[derive(Serialize, JsonSchema)]
struct Answered {
    approval: ApprovalId,
    action: ApprovalAction,
}

async fn answer(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Json(given): Json<Given>,
) -> Answer<Json<Answered>> {
    let id = api.app.approval_id(&id).await?;
    let Given { action, comments, inputs } = given;
    api.app.answer_approval(&caller.0, id, GivenAnswer { action, comments, inputs }).await?;
    Ok(Json(Answered { approval: id, action }))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Activity {
    #[schemars(schema_with = "actions")]
    action: ApprovalAction,
    #[serde(default)]
    comments: Option<String>,
    #[serde(default)]
    approver_inputs: Vec<NamedValue>,
}

#[derive(Deserialize, JsonSchema)]
struct NamedValue {
    name: String,
    #[serde(default)]
    value: String,
}

impl From<Activity> for GivenAnswer {
    fn from(activity: Activity) -> Self {
        Self {
            action: activity.action,
            comments: activity.comments.unwrap_or_default(),
            inputs: activity.approver_inputs.into_iter().map(|input| (input.name, input.value)).collect(),
        }
    }
}

/// The question that was answered.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Question {
    id: ApprovalId,
}

async fn activity(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Json(activity): Json<Activity>,
) -> Vendor<Question> {
    let id = api.app.approval_id(&id).await?;
    api.app.answer_approval(&caller.0, id, activity.into()).await?;
    Ok(Success::json(Question { id }))
}

#[derive(Deserialize, JsonSchema)]
struct Callback {
    #[serde(default)]
    callback_id: Option<String>,
}

async fn by_callback(
    State(api): State<Api>,
    caller: Caller,
    Path(execution): Path<String>,
    Query(callback): Query<Callback>,
    Json(activity): Json<Activity>,
) -> Vendor<Question> {
    let run = api.app.run_id(&execution)?;
    let id = api.app.only_open(run, callback.callback_id.as_deref()).await?;
    api.app.answer_approval(&caller.0, id, activity.into()).await?;
    Ok(Success::json(Question { id }))
}
