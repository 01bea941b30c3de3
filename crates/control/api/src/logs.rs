//! What steps print: listed, and told line by line, live while the run goes (kubernetes-deploy §4.6).

use crate::Api;
use crate::answer::Items;
use crate::caller::Caller;
use crate::problem::Answer;
use crate::routes::{Door, Routes};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream::{Stream, StreamExt as _};
use schemars::JsonSchema;
use serde::Deserialize;
use std::convert::Infallible;
use windlass_app::access::Permission::PipelineView;
use windlass_app::logs::{LogPart, LogRow, Reading};
use windlass_model::Json as Value;

pub(crate) fn routes() -> Routes {
    let view = Door::Needs(PipelineView);
    Routes::new().get("/runs/{id}/logs", view, list).get("/runs/{id}/logs/stream", view, stream)
}

#[derive(Deserialize, JsonSchema)]
struct LogQuery {
    /// Of this step only: its path, or its identifier.
    #[serde(default)]
    step: Option<String>,
    /// `true`: also what comes, until the run ends.
    #[serde(default)]
    follow: Option<String>,
    /// Of what is there already only so many lines of each log, the last ones.
    #[serde(default)]
    tail: Option<u64>,
}

async fn list(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<LogQuery>,
) -> Answer<Json<Items<LogRow>>> {
    let run = caller.0.run(PipelineView, &id).await?;
    Ok(Items::json(api.app.logs_of(&run, query.step.as_deref()).await?))
}

/// `log` begins the lines of a step attempt, `line` is one of them, `end` says that nothing follows.
async fn stream(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<LogQuery>,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let run = caller.0.run(PipelineView, &id).await?;
    let follow = query.follow.as_deref() == Some("true");
    let parts = api.app.follow_logs(&run, Reading { step: query.step, follow, tail: query.tail }).await?;
    let events = parts.flat_map(|part| futures::stream::iter(events_of(part))).map(Ok);
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

fn events_of(part: LogPart) -> Vec<Event> {
    let event = |kind: &str, data: Value| Event::default().event(kind).data(data.to_string());
    match part {
        LogPart::Begins(log) => vec![event("log", serde_json::json!(log))],
        LogPart::Lines { key, lines } => lines
            .into_iter()
            .map(|line| {
                let id = format!("{key}/{}", line.pos);
                event("line", serde_json::json!({ "key": key, "line": line })).id(id)
            })
            .collect(),
        LogPart::Ends => vec![event("end", Value::Null)],
    }
}
