use crate::Api;
use crate::answer::{Items, Lines, Listed};
use crate::caller::Caller;
use crate::documents::page;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use bytes::Bytes;
use futures::StreamExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use std::io;
use windlass_app::access::{Authorized, Permission, Resource};
use windlass_app::audit::{AuditQuery, AuditRow, Verified};
use windlass_app::{App, Failure};
use windlass_model::{Scope, Timestamp};
use windlass_store::PageRequest;

pub(crate) fn routes() -> Routes {
    let needs = Door::Needs(Permission::AuditView);
    Routes::new()
        .get("/audit", needs, list)
        .get("/audit/verify", needs, verify)
        .get("/audit/export", needs, export)
        .get("/runs/{id}/audit", Door::Needs(Permission::PipelineView), of_run)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListQuery {
    #[serde(flatten)]
    scope: ScopeQuery,
    /// `user:ada`.
    #[serde(default)]
    actor: Option<String>,
    /// Separated by commas.
    #[serde(default)]
    action: Option<String>,
    #[serde(default)]
    resource_type: Option<String>,
    #[serde(default)]
    resource: Option<String>,
    #[serde(default)]
    run: Option<String>,
    /// RFC 3339.
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    to: Option<String>,
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    limit: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

fn moment(text: Option<&str>) -> Result<Option<Timestamp>, Failure> {
    let wrong = |text: &str| Failure::invalid("AUD0002", format!("`{text}` is not a time: write 2026-03-02T14:00:00Z"));
    text.map(|text| Timestamp::parse(text).ok_or_else(|| wrong(text))).transpose()
}

async fn list(State(api): State<Api>, caller: Caller, Query(query): Query<ListQuery>) -> Answer<Listed<AuditRow>> {
    let actions = query.action.iter().flat_map(|text| text.split(',')).map(|word| word.trim().to_uppercase());
    let wanted = AuditQuery {
        scope: query.scope.scope()?,
        principal: query.actor,
        actions: actions.filter(|word| !word.is_empty()).collect(),
        resource_kind: query.resource_type.map(|word| word.to_uppercase()),
        resource: query.resource,
        run: query.run.as_deref().map(|run| api.app.run_id(run)).transpose()?,
        from: moment(query.from.as_deref())?,
        to: moment(query.to.as_deref())?,
    };
    let place = caller.0.authorize_any(Permission::AuditView, &wanted.scope).await?;
    let page = page(query.limit.as_deref(), query.cursor)?;
    let found = api.app.audit(&caller.0, &place, &wanted, &page).await?;
    Ok(Listed(found))
}

#[derive(Deserialize, JsonSchema)]
struct Kept {
    /// An end of the chain that was noted earlier.
    #[serde(default)]
    head: Option<String>,
}

/// The chain is one for the whole account: only whoever audits all of it may read all of it.
async fn whole(caller: &Caller) -> Result<Authorized<Resource>, Failure> {
    caller.0.authorize_any(Permission::AuditView, &Scope::Account).await
}

async fn verify(State(api): State<Api>, caller: Caller, Query(kept): Query<Kept>) -> Answer<Json<Verified>> {
    let place = whole(&caller).await?;
    Ok(Json(api.app.verify_audit(&place, kept.head.as_deref()).await?))
}

#[derive(Deserialize, JsonSchema)]
struct After {
    /// Only records behind this position.
    #[serde(default)]
    after: Option<String>,
}

/// One JSON record in each line, in the order of the chain.
async fn export(State(api): State<Api>, caller: Caller, Query(after): Query<After>) -> Answer<Lines> {
    let place = whole(&caller).await?;
    let next = Some(PageRequest { after: after.after, ..PageRequest::first(PageRequest::LARGEST) });
    let export = Export { app: api.app, place, next };
    // A position that is none is refused; later the answer has begun, and can only break off.
    let first = export.piece().await?;
    let (head, rest) = first.map_or((Bytes::new(), None), |(head, rest)| (head, Some(rest)));
    let rest = futures::stream::try_unfold(rest, |rest| async move {
        let Some(export) = rest else { return Ok(None) };
        let piece = export.piece().await.map_err(io::Error::other)?;
        Ok::<_, io::Error>(piece.map(|(bytes, rest)| (bytes, Some(rest))))
    });
    Ok(Lines(Body::from_stream(futures::stream::once(async { Ok(head) }).chain(rest))))
}

struct Export {
    app: App,
    place: Authorized<Resource>,
    next: Option<PageRequest>,
}

impl Export {
    async fn piece(mut self) -> Result<Option<(Bytes, Self)>, Failure> {
        let Some(request) = self.next.take() else { return Ok(None) };
        let found = self.app.export_audit(&self.place, &request).await?;
        let mut text = String::new();
        for row in &found.items {
            text.push_str(&serde_json::to_string(row).map_err(Failure::internal)?);
            text.push('\n');
        }
        self.next = found.next.map(|after| PageRequest { after: Some(after), ..request });
        Ok(Some((Bytes::from(text), self)))
    }
}

/// Who deployed what, who approved, with which ticket, and what policies said: for everybody who may see the run.
async fn of_run(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<Json<Items<AuditRow>>> {
    let run = caller.0.run(Permission::PipelineView, &id).await?;
    Ok(Items::json(api.app.audit_of_run(&run).await?))
}
