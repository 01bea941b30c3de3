//! What steps print: listed, and told line by line, live while the run goes (kubernetes-deploy §4.6).

use crate::caller::Caller;
use crate::problem::Answer;
use crate::{Api, access};
use axum::extract::{Path, Query, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use axum::{Json, Router};
use futures::stream::{Stream, StreamExt as _};
use serde::Deserialize;
use std::convert::Infallible;
use windlass_app::logs::LogPart;
use windlass_model::Json as Value;

pub(crate) fn routes() -> Router<Api> {
    Router::new().route("/runs/{id}/logs", get(list)).route("/runs/{id}/logs/stream", get(stream))
}

#[derive(Deserialize)]
struct LogQuery {
    /// Of this step only: its path, or its identifier.
    #[serde(default)]
    step: Option<String>,
    /// `true`: also what comes, until the run ends.
    #[serde(default)]
    follow: Option<String>,
}

async fn list(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<LogQuery>,
) -> Answer<Json<Value>> {
    access::administrator(&caller)?;
    let run = api.app.run_id(&id)?;
    let items = api.app.logs_of(run, query.step.as_deref()).await?;
    Ok(Json(serde_json::json!({ "items": items })))
}

/// `log` begins the lines of a step attempt, `line` is one of them, `end` says that nothing follows.
async fn stream(
    State(api): State<Api>,
    caller: Caller,
    Path(id): Path<String>,
    Query(query): Query<LogQuery>,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    access::administrator(&caller)?;
    let run = api.app.run_id(&id)?;
    let follow = query.follow.as_deref() == Some("true");
    let parts = api.app.follow_logs(run, query.step, follow).await?;
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
