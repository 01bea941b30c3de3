use crate::Api;
use crate::answer::Items;
use crate::caller::Caller;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use axum::Json;
use axum::extract::{Path, Query, State};
use schemars::JsonSchema;
use serde::Deserialize;
use windlass_app::access::Permission::{SettingEdit, SettingView};
use windlass_app::settings::SettingRow;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/settings", Door::Needs(SettingView), list)
        .get("/settings/{name}", Door::Needs(SettingView), show)
        .put("/settings/{name}", Door::Needs(SettingEdit), set)
        .delete("/settings/{name}", Door::Needs(SettingEdit), reset)
}

async fn list(
    State(api): State<Api>,
    caller: Caller,
    Query(query): Query<ScopeQuery>,
) -> Answer<Json<Items<SettingRow>>> {
    let place = caller.0.authorize_any(SettingView, &query.scope()?).await?;
    Ok(Items::json(api.app.settings(&place).await?))
}

async fn show(
    State(api): State<Api>,
    caller: Caller,
    Path(name): Path<String>,
    Query(query): Query<ScopeQuery>,
) -> Answer<Json<SettingRow>> {
    let place = caller.0.authorize_any(SettingView, &query.scope()?).await?;
    Ok(Json(api.app.setting(&place, &name).await?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Given {
    /// As people write it.
    value: String,
    /// Whether narrower scopes may have their own.
    #[serde(default = "yes")]
    overridable: bool,
}

const fn yes() -> bool {
    true
}

async fn set(
    State(api): State<Api>,
    caller: Caller,
    Path(name): Path<String>,
    Query(query): Query<ScopeQuery>,
    Json(given): Json<Given>,
) -> Answer<Json<SettingRow>> {
    let place = caller.0.authorize_any(SettingEdit, &query.scope()?).await?;
    Ok(Json(api.app.set_setting(&caller.0, &place, &name, &given.value, given.overridable).await?))
}

async fn reset(
    State(api): State<Api>,
    caller: Caller,
    Path(name): Path<String>,
    Query(query): Query<ScopeQuery>,
) -> Answer<Json<SettingRow>> {
    let place = caller.0.authorize_any(SettingEdit, &query.scope()?).await?;
    Ok(Json(api.app.reset_setting(&caller.0, &place, &name).await?))
}
