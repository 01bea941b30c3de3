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
use windlass_app::access::Permission::{DelegateDelete, DelegateEdit, DelegateView};
use windlass_app::delegates::{DelegateRow, TokenRow};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/delegates", Door::Needs(DelegateView), list)
        .get("/delegate-tokens", Door::Needs(DelegateView), tokens)
        .post("/delegate-tokens", Door::Needs(DelegateEdit), create)
        .delete("/delegate-tokens/{name}", Door::Needs(DelegateDelete), revoke)
}

async fn list(
    State(api): State<Api>,
    caller: Caller,
    Query(query): Query<ScopeQuery>,
) -> Answer<Json<Items<DelegateRow>>> {
    Ok(Items::json(api.app.delegates(&caller.0, &query.scope()?).await?))
}

async fn tokens(
    State(api): State<Api>,
    caller: Caller,
    Query(query): Query<ScopeQuery>,
) -> Answer<Json<Items<TokenRow>>> {
    Ok(Items::json(api.app.delegate_tokens(&caller.0, &query.scope()?).await?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Create {
    name: String,
    #[serde(default)]
    org: Option<String>,
    #[serde(default)]
    project: Option<String>,
}

/// A new token. Its text is told once.
#[derive(Serialize, JsonSchema)]
struct NewToken {
    name: String,
    token: String,
}

async fn create(State(api): State<Api>, caller: Caller, Json(create): Json<Create>) -> Answer<Created<NewToken>> {
    let scope = ScopeQuery { org: create.org, project: create.project }.scope()?;
    let place = caller.0.authorize_any(DelegateEdit, &scope).await?;
    let token = api.app.create_delegate_token(&caller.0, &place, &create.name).await?;
    Ok(Created(NewToken { name: create.name, token }))
}

async fn revoke(
    State(api): State<Api>,
    caller: Caller,
    Path(name): Path<String>,
    Query(query): Query<ScopeQuery>,
) -> Answer<NoContent> {
    let place = caller.0.authorize_any(DelegateDelete, &query.scope()?).await?;
    api.app.revoke_delegate_token(&caller.0, &place, &name).await?;
    Ok(NoContent)
}
