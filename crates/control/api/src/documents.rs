//! `/{plural}` and `/{plural}/{identifier}` of every kind.

use crate::Api;
use crate::answer::{Listed, Tagged};
use crate::caller::Caller;
use crate::headers::IfMatch;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use axum::extract::{Path, Query, State};
use axum::response::NoContent;
use schemars::JsonSchema;
use serde::Deserialize;
use windlass_app::Failure;
use windlass_app::access::Verb;
use windlass_app::documents::{Found, Listed as ListedDocument};
use windlass_document::Kind;
use windlass_store::{PageRequest, Scopes};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/{kind}", Door::Document(Verb::View), list)
        .get("/{kind}/{id}", Door::Document(Verb::View), show)
        .delete("/{kind}/{id}", Door::Document(Verb::Delete), remove)
}

#[derive(Deserialize, JsonSchema)]
struct ListQuery {
    #[serde(flatten)]
    scope: ScopeQuery,
    #[serde(default)]
    q: Option<String>,
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    limit: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
    /// `within`: also what lies inside the scope.
    #[serde(default)]
    within: Option<String>,
}

fn kind_of(word: &str) -> Result<Kind, Failure> {
    Kind::parse(word).ok_or_else(|| {
        let known: Vec<&str> = Kind::all().map(|k| k.words().plural).collect();
        let failure = Failure::not_found(format!("there is nothing called `{word}`"));
        failure.hint(format!("there are {}", known.join(", ")))
    })
}

pub(crate) fn page(limit: Option<&str>, cursor: Option<String>) -> Result<PageRequest, Failure> {
    let limit = match limit {
        None => PageRequest::USUAL,
        Some(text) => text.parse().map_err(|_| Failure::invalid("API0002", format!("`{text}` is not a limit")))?,
    };
    Ok(PageRequest { after: cursor, ..PageRequest::first(limit) })
}

async fn list(
    State(api): State<Api>,
    caller: Caller,
    Path(kind): Path<String>,
    Query(query): Query<ListQuery>,
) -> Answer<Listed<ListedDocument>> {
    let scope = query.scope.scope()?;
    let scopes = if query.within.is_some() { Scopes::Within(scope) } else { Scopes::At(scope) };
    let page = page(query.limit.as_deref(), query.cursor)?;
    let found = api.app.documents(&caller.0, kind_of(&kind)?, scopes, query.q, &page).await?;
    Ok(Listed(found))
}

#[derive(Deserialize, JsonSchema)]
struct OneQuery {
    #[serde(flatten)]
    scope: ScopeQuery,
    /// The environment of an infrastructure, the pipeline of a trigger.
    #[serde(default)]
    parent: Option<String>,
}

async fn show(
    State(api): State<Api>,
    caller: Caller,
    Path((kind, id)): Path<(String, String)>,
    Query(query): Query<OneQuery>,
) -> Answer<Tagged<Found>> {
    let (kind, scope) = (kind_of(&kind)?, query.scope.scope()?);
    let found = caller.0.document(Verb::View, kind, &scope, query.parent.as_deref(), &id).await?;
    let found = api.app.document(found);
    Ok(Tagged { etag: found.etag.clone(), body: found })
}

async fn remove(
    State(api): State<Api>,
    caller: Caller,
    Path((kind, id)): Path<(String, String)>,
    Query(query): Query<OneQuery>,
    IfMatch(etag): IfMatch,
) -> Answer<NoContent> {
    let scope = query.scope.scope()?;
    let kind = kind_of(&kind)?;
    let found = caller.0.document(Verb::Delete, kind, &scope, query.parent.as_deref(), &id).await?;
    api.app.delete_document(&caller.0, found, etag.as_deref()).await?;
    Ok(NoContent)
}
