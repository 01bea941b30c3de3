//! A run as lines of text.

use crate::output::cell;
use serde_json::Value;
use std::collections::HashMap;
use windlass_diagnostic::Diagnostics;
use windlass_model::{Status, Timestamp};

pub(super) fn mark(status: &str) -> &'static str {
    match Status::parse(status) {
        Some(Status::Success) => "✓",
        Some(Status::IgnoreFailed) => "~",
        Some(Status::Skipped) => "-",
        Some(Status::NotStarted) => " ",
        Some(status) if status.is_terminal() => "✗",
        _ => "…",
    }
}

pub(super) fn time(value: &Value) -> Option<Timestamp> {
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

pub(super) fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
