//! Roles that exist everywhere, and questions about permissions. Custom roles and assignments are documents.

use crate::Api;
use crate::answer::Items;
use crate::caller::Caller;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use axum::Json;
use axum::extract::{Query, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_app::Failure;
use windlass_app::access::{BuiltinAccess, Explanation, GrantRow, Permission};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/access/roles", Door::SignedIn, builtin)
        .get("/access/permissions", Door::SignedIn, permissions)
        .get("/access/check", Door::SignedIn, check)
        .get("/access/grants", Door::Needs(Permission::UserView), grants)
}

/// The built-in roles and resource groups.
async fn builtin(State(api): State<Api>, _: Caller) -> Json<BuiltinAccess> {
    Json(api.app.builtin_access())
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PermissionRow {
    identifier: Permission,
    resource_type: &'static str,
}

async fn permissions(_: Caller) -> Json<Items<PermissionRow>> {
    let row = |one: &Permission| PermissionRow { identifier: *one, resource_type: one.resource().name() };
    Items::json(Permission::ALL.iter().map(row).collect())
}

#[derive(Deserialize, JsonSchema)]
struct Question {
    #[serde(flatten)]
    scope: ScopeQuery,
    permission: String,
    /// One thing; left out, the type.
    #[serde(default)]
    resource: Option<String>,
}

/// Whether the caller has a permission, and why.
async fn check(caller: Caller, Query(question): Query<Question>) -> Answer<Json<Explanation>> {
    let permission: Permission =
        question.permission.parse().map_err(|error| Failure::invalid("API0013", format!("{error}")))?;
    Ok(Json(caller.0.explain(permission, &question.scope.scope()?, question.resource.as_deref())?))
}

/// Who has which role where.
async fn grants(
    State(api): State<Api>,
    caller: Caller,
    Query(scope): Query<ScopeQuery>,
) -> Answer<Json<Items<GrantRow>>> {
    Ok(Items::json(api.app.role_assignments(&caller.0, &scope.scope()?).await?))
}
