use crate::Api;
use crate::answer::{Created, Listed};
use crate::caller::Caller;
use crate::documents::page;
use crate::headers::Idempotency;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use crate::scope::ScopeQuery;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream::Stream;
use http::HeaderValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::convert::Infallible;
use windlass_app::access::Permission::{PipelineExecute, PipelineView};
use windlass_app::access::{Authorized, StoredRun, Verb};
use windlass_app::runs::idempotency::IdempotencyKey;
use windlass_app::runs::show::ListedRun;
use windlass_app::runs::start::{RunRequest, Started};
use windlass_app::{App, Failure};
use windlass_document::Kind;
use windlass_engine::Projection;
use windlass_model::{Identifier, Json as Value, Millis, Status, Timestamp};
use windlass_store::runs::RunFilter;
use windlass_store::{Scopes, Topic};

pub(crate) fn routes() -> Routes {
    let view = Door::Needs(PipelineView);
    Routes::new()
        .post("/pipelines/{id}/runs", Door::Needs(PipelineExecute), start)
        .get("/runs", view, list)
        .get("/runs/{id}", view, show)
        .get("/runs/{id}/events", view, events)
}

#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Start {
    /// Values of pipeline variables by name.
    #[serde(default)]
    inputs: BTreeMap<String, Value>,
    /// A sparse pipeline as YAML, like an input set.
    #[serde(default)]
    input_yaml: Option<String>,
    #[serde(default)]
    stages: Vec<String>,
}

/// The same key with the same request is the same start.
fn idempotency(
    key: &HeaderValue,
    pipeline: &str,
    scope: &ScopeQuery,
    start: &Start,
) -> Result<IdempotencyKey, Failure> {
    let key = key.to_str().map_err(|_| Failure::invalid("API0008", "an idempotency key is plain text"))?;
    let body = serde_json::to_vec(start).map_err(Failure::internal)?;
    let part = |text: &Option<String>| text.clone().unwrap_or_default().into_bytes();
    let words = [b"start".to_vec(), pipeline.into(), part(&scope.org), part(&scope.project), body];
    IdempotencyKey::new(key, &words.each_ref().map(Vec::as_slice))
}

async fn start(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<ScopeQuery>,
    Idempotency(key): Idempotency,
    Json(start): Json<Start>,
) -> Answer<Created<Started>> {
    let idempotency = key.as_ref().map(|key| idempotency(key, &id, &query, &start)).transpose()?;
    let seen = caller.0.document(Verb::View, Kind::Pipeline, &query.scope()?, None, &id).await?;
    let pipeline = caller.0.authorize(PipelineExecute, seen.into_inner()).await?;
    let request = RunRequest { inputs: start.inputs, input_yaml: start.input_yaml, stages: start.stages, idempotency };
    Ok(Created(api.app.start_run(&caller.0, &pipeline, request).await?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListQuery {
    #[serde(flatten)]
    scope: ScopeQuery,
    #[serde(default)]
    pipeline: Option<String>,
    /// Names of statuses, separated by commas.
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    service: Option<String>,
    #[serde(default)]
    environment: Option<String>,
    #[serde(default)]
    #[schemars(with = "Option<u32>")]
    limit: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

async fn list(State(api): State<Api>, caller: Caller, Query(query): Query<ListQuery>) -> Answer<Listed<ListedRun>> {
    let mut filter = RunFilter { scopes: Scopes::Within(query.scope.scope()?), ..RunFilter::default() };
    if let Some(pipeline) = &query.pipeline {
        let id = Identifier::parse(&Identifier::folded(pipeline));
        filter.pipeline = Some(id.map_err(|e| Failure::invalid("API0006", e.to_string()))?);
    }
    for word in query.status.iter().flat_map(|s| s.split(',')) {
        let status = Status::parse(word.trim());
        filter.status.push(status.ok_or_else(|| Failure::invalid("API0007", format!("there is no status `{word}`")))?);
    }
    let labels = [("service", query.service), ("environment", query.environment)];
    filter.labels = labels.into_iter().filter_map(|(label, value)| Some((label.to_owned(), value?))).collect();
    let found = api.app.runs(&caller.0, &filter, &page(query.limit.as_deref(), query.cursor)?).await?;
    Ok(Listed(found))
}

/// A run with its tree.
#[derive(Serialize, JsonSchema)]
struct Shown {
    #[serde(flatten)]
    projection: Projection,
    /// How long something takes already is told by the server's business time, not by the reader's clock.
    now: Timestamp,
}

async fn show(State(api): State<Api>, caller: Caller, Path(id): Path<String>) -> Answer<Json<Shown>> {
    let run = caller.0.run(PipelineView, &id).await?;
    Ok(Json(Shown { projection: api.app.run(&run).await?, now: api.app.clock().now() }))
}

#[derive(Deserialize, JsonSchema)]
struct EventsQuery {
    /// Only events after this number.
    #[serde(default)]
    after: u64,
}

/// What happened, and what happens, until the run ends.
async fn events(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<EventsQuery>,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let run = caller.0.run(PipelineView, &id).await?;
    let follow = Follow {
        changes: api.app.store().changes(),
        app: api.app,
        run,
        after: query.after,
        ready: Vec::new(),
        over: false,
    };
    let stream = futures::stream::unfold(follow, Follow::next);
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

struct Follow {
    app: App,
    changes: windlass_store::Changes,
    run: Authorized<StoredRun>,
    after: u64,
    /// Newest first.
    ready: Vec<windlass_app::runs::show::EventRow>,
    over: bool,
}

impl Follow {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        loop {
            if let Some(row) = self.ready.pop() {
                self.after = row.seq;
                self.over = row.kind == "RunFinished";
                let data = serde_json::to_string(&row).ok()?;
                return Some((Ok(Event::default().id(row.seq.to_string()).event(row.kind).data(data)), self));
            }
            if self.over {
                return None;
            }
            self.ready = self.app.run_events(&self.run, self.after, 500).await.ok()?;
            self.ready.reverse();
            if self.ready.is_empty() {
                let real = self.app.clock().real();
                let _ = real.timeout(Millis::from_secs(5), self.changes.any_of(&[Topic::Runs])).await;
            }
        }
    }
}
