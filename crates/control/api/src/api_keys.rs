use crate::Api;
use crate::answer::{Created, Items};
use crate::caller::Caller;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::NoContent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_app::Failure;
use windlass_app::api_keys::{ApiKeyRow, Owner};
use windlass_model::Millis;

/// Everybody has their own keys; those of others need `core_user_manage` or `core_serviceaccount_manageapikey`.
pub(crate) fn routes() -> Routes {
    Routes::new().get("/api-keys", Door::SignedIn, list).post("/api-keys", Door::SignedIn, create).delete(
        "/api-keys/{id}",
        Door::SignedIn,
        revoke,
    )
}

#[derive(Deserialize, JsonSchema)]
struct ListQuery {
    /// `user:ada`, `serviceAccount:account/ci`.
    #[serde(default)]
    owner: Option<String>,
}

async fn list(
    State(api): State<Api>,
    caller: Caller,
    Query(query): Query<ListQuery>,
) -> Answer<Json<Items<ApiKeyRow>>> {
    Ok(Items::json(api.app.api_keys(&caller.0, query.owner.as_deref()).await?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Create {
    name: String,
    #[serde(default)]
    user: Option<String>,
    /// A reference from the scope of the request.
    #[serde(default)]
    service_account: Option<String>,
    /// Seconds.
    #[serde(default)]
    lifetime: Option<u64>,
    #[serde(default)]
    org: Option<String>,
    #[serde(default)]
    project: Option<String>,
}

/// A new key. Its token is told once.
#[derive(Serialize, JsonSchema)]
struct NewKey {
    #[serde(flatten)]
    key: ApiKeyRow,
    token: String,
}

async fn create(State(api): State<Api>, caller: Caller, Json(create): Json<Create>) -> Answer<Created<NewKey>> {
    let scope = ScopeQuery { org: create.org, project: create.project }.scope()?;
    let owner = match (create.user, create.service_account) {
        (Some(user), None) => Owner::User(user),
        (None, Some(account)) => Owner::ServiceAccount(account),
        (None, None) if caller.0.person => Owner::User(caller.0.id.trim_start_matches("user:").to_owned()),
        _ => return Err(Failure::invalid("KEY0002", "a key belongs to a `user` or to a `serviceAccount`").into()),
    };
    let lifetime = create.lifetime.map(|seconds| Millis(seconds.saturating_mul(1_000)));
    let (key, token) =
        api.app.create_api_key(&caller.0, &caller.0.keys_of(&scope, &owner).await?, &create.name, lifetime).await?;
    Ok(Created(NewKey { key, token }))
}

async fn revoke(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<NoContent> {
    api.app.revoke_api_key(&caller.0, &id).await?;
    Ok(NoContent)
}
