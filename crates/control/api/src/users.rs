use crate::Api;
use crate::answer::Created;
use crate::answer::Listed;
use crate::caller::Caller;
use crate::documents::page;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::NoContent;
use schemars::JsonSchema;
use serde::Deserialize;
use windlass_app::access::Permission::{UserInvite, UserManage, UserView};
use windlass_app::users::{NewUser, UserChange, UserRow};
use windlass_model::Scope;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/users", Door::Needs(UserView), list)
        .post("/users", Door::Needs(UserInvite), create)
        .get("/users/{id}", Door::Needs(UserView), show)
        .patch("/users/{id}", Door::Needs(UserManage), change)
        .delete("/users/{id}", Door::Needs(UserManage), remove)
        .put("/users/{id}/password", Door::Needs(UserManage), password)
}

#[derive(Deserialize, JsonSchema)]
struct ListQuery {
    #[serde(default)]
    q: Option<String>,
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    limit: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

async fn list(State(api): State<Api>, caller: Caller, Query(query): Query<ListQuery>) -> Answer<Listed<UserRow>> {
    let page = page(query.limit.as_deref(), query.cursor)?;
    let found = api.app.users(&caller.0, query.q.as_deref(), &page).await?;
    Ok(Listed(found))
}

async fn show(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<Json<UserRow>> {
    Ok(Json(api.app.user(caller.0.user(UserView, &id).await?)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Create {
    id: String,
    email: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: Option<String>,
}

async fn create(State(api): State<Api>, caller: Caller, Json(create): Json<Create>) -> Answer<Created<UserRow>> {
    let place = caller.0.authorize_any(UserInvite, &Scope::Account).await?;
    let Create { id, email, name, password } = create;
    let created = api.app.create_user(&caller.0, &place, NewUser { id, name, email, password }).await?;
    Ok(Created(created))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Change {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    disabled: Option<bool>,
}

async fn change(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Json(change): Json<Change>,
) -> Answer<Json<UserRow>> {
    let user = caller.0.user(UserManage, &id).await?;
    let Change { name, email, disabled } = change;
    Ok(Json(api.app.change_user(&caller.0, user, UserChange { name, email, disabled }).await?))
}

async fn remove(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<NoContent> {
    let user = caller.0.user(UserManage, &id).await?;
    api.app.delete_user(&caller.0, user).await?;
    Ok(NoContent)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Password {
    new: String,
}

async fn password(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Json(given): Json<Password>,
) -> Answer<NoContent> {
    let user = caller.0.user(UserManage, &id).await?;
    api.app.reset_password(&caller.0, user, &given.new).await?;
    Ok(NoContent)
}
