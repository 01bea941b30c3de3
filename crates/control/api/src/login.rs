use crate::Api;
use crate::caller::{Caller, key_of};
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use axum::Json;
use axum::extract::State;
use axum::response::NoContent;
use http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_app::users::Credentials;
use windlass_app::{Failure, Principal};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .post("/login", Door::Open, login)
        .post("/logout", Door::SignedIn, logout)
        .get("/me", Door::SignedIn, me)
        .put("/me/password", Door::SignedIn, password)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Login {
    /// The one-time code that the server printed.
    #[serde(default)]
    code: Option<String>,
    /// An id or a mail address, with a password.
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    client: String,
}

/// A session that began.
#[derive(Serialize, JsonSchema)]
struct SignedIn {
    token: String,
    principal: Principal,
}

async fn login(State(api): State<Api>, Json(login): Json<Login>) -> Answer<Json<SignedIn>> {
    let Login { code, user, password, client } = login;
    let token = match (code, user, password) {
        (Some(code), None, None) => api.app.sign_in_by_code(code.trim(), &client).await?,
        (None, Some(user), Some(password)) => api.app.sign_in(&Credentials { user, password, client }).await?,
        _ => return Err(Failure::invalid("API0012", "sign in with a `code`, or with `user` and `password`").into()),
    };
    let principal = api.app.authenticate(&token).await?;
    Ok(Json(SignedIn { token, principal }))
}

async fn logout(State(api): State<Api>, _: Caller, headers: HeaderMap) -> Answer<NoContent> {
    if let Some(token) = key_of(&headers) {
        api.app.sign_out(&token).await?;
    }
    Ok(NoContent)
}

/// Who asks, and what that is worth.
#[derive(Serialize, JsonSchema)]
struct Me {
    #[serde(flatten)]
    principal: Principal,
    groups: Vec<String>,
    roles: Vec<String>,
}

async fn me(Caller(caller): Caller) -> Json<Me> {
    let principal: &Principal = &caller;
    Json(Me { principal: principal.clone(), groups: caller.groups(), roles: caller.roles() })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Password {
    #[serde(default)]
    old: String,
    new: String,
}

async fn password(State(api): State<Api>, caller: Caller, Json(given): Json<Password>) -> Answer<NoContent> {
    api.app.change_password(&caller.0, &given.old, &given.new).await?;
    Ok(NoContent)
}
