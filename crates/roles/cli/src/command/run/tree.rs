//! A run as lines of text.

use crate::output::cell;
use serde_json::Value;
use std::collections::HashMap;
use windlass_diagnostic::Diagnostics;
use windlass_model::{Status, Timestamp};

fn mark(status: &str) -> &'static str {
    match Status::parse(status) {
        Some(Status::Success) => "✓",
        Some(Status::IgnoreFailed) => "~",
        Some(Status::Skipped) => "-",
        Some(Status::NotStarted) => " ",
        Some(status) if status.is_terminal() => "✗",
        _ => "…",
    }
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_i64().map(Timestamp::from_micros)
}

/// The tree of a run with statuses, durations and reasons.
pub(super) fn draw(projection: &Value) -> String {
    let run = &projection["run"];
    let status = cell(run, "/status");
    let mut lines = vec![format!("{} {} #{} {status}", mark(&status), cell(run, "/pipeline"), cell(run, "/sequence"))];
    let nodes: Vec<&Value> = projection["nodes"].as_array().into_iter().flatten().collect();
    let mut depth: HashMap<&str, usize> = HashMap::new();
    for node in nodes {
        let id = node["node"].as_str().unwrap_or_default();
        let Some(parent) = node["parent"].as_str() else { continue };
        let level = depth.get(parent).map_or(0, |d| d + 1);
        depth.insert(id, level);
        let status = cell(node, "/status");
        let mut line =
            format!("{}{} {}  {}", "  ".repeat(level + 1), mark(&status), cell(node, "/name"), cell(node, "/type"));
        if let (Some(start), Some(end)) = (time(&node["startedAt"]), time(&node["endedAt"])) {
            line.push_str(&format!("  {}", end.since(start)));
        }
        if status != "Success" && status != "NotStarted" {
            line.push_str(&format!("  {status}"));
        }
        if let Some(reason) = node["failure"]["message"].as_str().or(node["reason"].as_str()) {
            line.push_str(&format!(": {}", first_line(reason)));
        }
        lines.push(line);
        lines.extend(warnings(&node["warnings"]).map(|text| format!("{}! {text}", "  ".repeat(level + 2))));
    }
    lines.extend(warnings(&run["warnings"]).map(|text| format!("! {text}")));
    lines.join("\n")
}

fn warnings(found: &Value) -> impl Iterator<Item = String> {
    let found: Diagnostics = serde_json::from_value(found.clone()).unwrap_or_default();
    found.into_iter().map(|warning| warning.to_string())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Turns events into one line each; most are of no interest.
#[derive(Debug, Default)]
pub(super) struct Told {
    start: Option<Timestamp>,
}

impl Told {
    pub(super) fn tell(&mut self, event: &Value) -> Option<String> {
        let at = time(&event["at"])?;
        let start = *self.start.get_or_insert(at);
        let body = &event["body"];
        let node = short_name(body["node"].as_str().unwrap_or_default());
        let text = match event["kind"].as_str()? {
            "NodeStarted" => format!("{node} started"),
            "NodeSkipped" => format!("{node} skipped: {}", first_line(&cell(body, "/reason"))),
            "NodeFinished" => match body["failure"]["message"].as_str() {
                Some(message) => format!("{node} {}: {}", cell(body, "/status"), first_line(message)),
                None => format!("{node} {}", cell(body, "/status")),
            },
            "TaskMoved" if body["worker"].is_null() => format!("{node}: {}", first_line(&cell(body, "/why"))),
            "ApprovalOpened" => format!("{node} waits for approval"),
            "ApprovalActed" => {
                format!("{node}: {} by {}", cell(body, "/activity/action"), cell(body, "/activity/user/name"))
            }
            "ResourceAwaited" => {
                format!("{node} waits for {} {}", cell(body, "/resource/kind"), cell(body, "/resource/key"))
            }
            "PreviewMade" => match body["preview"]["failure"]["message"].as_str() {
                Some(why) => format!("{node}: what would change is not known: {}", first_line(why)),
                None => format!("{node}: what would change is known: `windlass approval show`"),
            },
            "PolicyAnswered" => policy(node, &body["verdict"])?,
            "InterventionRequested" => format!("{node} waits for somebody to decide: `windlass run intervene`"),
            "InputsRequested" => format!("{node} waits for values: `windlass run inputs`"),
            "Interrupted" => {
                let what = &body["interrupt"];
                format!("{} by {}", cell(what, "/kind/type"), cell(what, "/by"))
            }
            "FailureHandled" => {
                let strategy = body["choice"]["action"]["type"].as_str().or(body["choice"]["action"].as_str());
                match strategy {
                    Some(action) if body["choice"]["level"].is_string() => {
                        format!("{node}: {action} by failure strategy")
                    }
                    _ => return None,
                }
            }
            "RollbackStarted" => format!("{node}: rolling back: {}", first_line(&cell(body, "/why"))),
            "RetryScheduled" => format!("{node}: tries again"),
            "RunFinished" => format!("run {}", cell(body, "/status")),
            _ => return None,
        };
        Some(format!("{:>8}  {text}", at.since(start).to_string()))
    }
}

/// What policies said, where it was more than yes.
fn policy(node: &str, verdict: &Value) -> Option<String> {
    let messages: Vec<&str> = verdict["messages"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match verdict["status"].as_str() {
        Some("pass") => None,
        Some("warning") => Some(format!("{node}: a policy warns: {}", messages.join("; "))),
        Some(_) => Some(format!("{node}: a policy denies: {}", messages.join("; "))),
        None => Some(format!("{node}: {}", first_line(&cell(verdict, "/failure/message")))),
    }
}

/// The last part of a node's path: what its author called it.
fn short_name(node: &str) -> &str {
    node.rsplit('.').next().unwrap_or(node)
}
