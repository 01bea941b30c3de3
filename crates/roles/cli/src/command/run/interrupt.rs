//! Stepping into a run.

use crate::client::Client;
use crate::failure::CliFailure;
use crate::output;
use reqwest::Method;
use serde_json::{Value, json};

/// Tells the server, and says that it was done.
pub(super) async fn send(client: &Client, run: &str, body: Value, done: &str) -> Result<(), CliFailure> {
    client.send(client.request(Method::POST, &format!("runs/{run}/interrupt")).json(&body)).await?;
    output::line(format!("{run} {done}"));
    Ok(())
}

/// What `intervene --choice` takes.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Choice {
    MarkAsSuccess,
    Ignore,
    Retry,
    Abort,
    StageRollback,
    MarkAsFailure,
    PipelineRollback,
}

impl Choice {
    const fn word(self) -> &'static str {
        match self {
            Self::MarkAsSuccess => "MarkAsSuccess",
            Self::Ignore => "Ignore",
            Self::Retry => "Retry",
            Self::Abort => "Abort",
            Self::StageRollback => "StageRollback",
            Self::MarkAsFailure => "MarkAsFailure",
            Self::PipelineRollback => "PipelineRollback",
        }
    }
}

pub(super) fn abort(stage: Option<String>) -> Value {
    json!({ "type": "abort", "stage": stage })
}

pub(super) fn intervene(node: &str, choice: Choice) -> Value {
    json!({ "type": "intervene", "node": node, "choice": choice.word() })
}

pub(super) fn on(node: &str, kind: &str) -> Value {
    json!({ "type": kind, "node": node })
}
