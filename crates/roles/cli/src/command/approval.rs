use crate::Common;
use crate::client::Client;
use crate::failure::CliFailure;
use crate::output::{self, Format};
use reqwest::Method;
use serde_json::Value;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    /// What waits for an answer of yours.
    List {
        /// Also what others are asked, as far as you may see it.
        #[arg(long)]
        all: bool,
        /// Also what was answered.
        #[arg(long)]
        answered: bool,
        #[arg(long)]
        run: Option<String>,
    },
    /// Show a question with everything it asks.
    Show {
        /// An approval, or a run that waits for one.
        #[arg(value_name = "RUN|APPROVAL")]
        what: String,
    },
}

pub(crate) async fn run(common: &Common, verb: Verb) -> Result<ExitCode, CliFailure> {
    let client = Client::new(common)?;
    match verb {
        Verb::List { all, answered, run } => {
            let mut query: Vec<(&str, String)> = run.map(|run| ("run", run)).into_iter().collect();
            if !all {
                query.push(("mine", "true".to_owned()));
            }
            if answered {
                query.push(("state", "all".to_owned()));
            }
            let page = client.json(client.request(Method::GET, "approvals").query(&query)).await?;
            if common.output != Format::Table {
                output::value(common.output, &page["items"]);
                return Ok(ExitCode::SUCCESS);
            }
            let pointers = ["/id", "/run", "/pipeline", "/state", "/deadline", "/userGroups"];
            let rows: Vec<Vec<String>> = page["items"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|row| pointers.iter().map(|p| shown(row, p)).collect())
                .collect();
            output::table(&["APPROVAL", "RUN", "PIPELINE", "STATE", "DEADLINE", "GROUPS"], &rows);
        }
        Verb::Show { what } => {
            let found = client.get(&format!("approvals/{what}")).await?;
            match common.output {
                Format::Table => print(&found),
                format => output::value(format, &found),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(row: &Value, pointer: &str) -> String {
    match (pointer, row.pointer(pointer).and_then(Value::as_i64)) {
        ("/deadline", Some(micros)) => windlass_model::Timestamp::from_micros(micros).to_string(),
        _ => output::short(row, pointer),
    }
}

fn print(found: &Value) {
    output::line(format!(
        "{} of {}: {}",
        output::cell(found, "/id"),
        output::cell(found, "/run"),
        output::cell(found, "/state")
    ));
    output::line(output::cell(found, "/message"));
    let count = output::cell(found, "/minimumCount");
    output::line(format!(
        "asks {count} of {}, until {}",
        output::short(found, "/userGroups"),
        shown(found, "/deadline")
    ));
    for input in found["inputs"].as_array().into_iter().flatten() {
        let need = if input["required"] == true { " (required)" } else { "" };
        let label = input["label"].as_str().or(input["description"].as_str()).unwrap_or_default();
        output::line(format!("  {}{need}  {label}", output::cell(input, "/name")));
    }
    preview(&found["preview"]);
    for activity in found["activities"].as_array().into_iter().flatten() {
        let [action, name, comments] =
            ["/action", "/user/name", "/comments"].map(|pointer| output::cell(activity, pointer));
        output::line(format!("  {action} by {name}: {comments}"));
    }
}

/// What the stage would change.
fn preview(preview: &Value) {
    match preview["state"].as_str() {
        Some("asked") => output::line("what would change: a delegate is comparing; look again in a moment"),
        Some("failed") => {
            output::line(format!("what would change is not known: {}", output::cell(preview, "/failure/message")));
            for hint in preview["failure"]["hints"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                output::line(format!("  hint: {hint}"));
            }
        }
        Some("made") => changes(&preview["output"], &output::short(preview, "/at")),
        _ => {}
    }
}

fn changes(found: &Value, at: &str) {
    let counts: Vec<String> = ["created", "changed", "pruned", "unchanged"]
        .iter()
        .filter_map(|word| Some(format!("{} {word}", count(&found[*word])?)))
        .collect();
    let counts = if counts.is_empty() { String::new() } else { format!(" {}", counts.join(", ")) };
    output::line(format!("what would change, as of {at}:{counts}"));
    if let Some(diff) = found["diff"].as_str() {
        for line in diff.lines() {
            output::line(format!("  {line}"));
        }
    }
}

/// A number, or how many a list holds.
fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_array().map(|list| list.len() as u64))
}
