//! One node of the tree as one line.

use super::{View, clean};
use crate::command::run::tree::{mark, time};
use crate::output::cell;
use console::{style, truncate_str};
use serde_json::Value;
use windlass_model::{Millis, Status, Timestamp};

/// From so many characters on a window is wide.
const WIDE: usize = 72;

/// Characters of a bar where there is room for one.
const BAR: usize = 16;
const SHORT_BAR: usize = 8;

/// Names are cut to leave room for what happens.
const LEAST_NEWS: usize = 24;

pub(super) fn draw(view: &View<'_>, node: &Value, level: usize, width: usize) -> String {
    let status = cell(node, "/status");
    let known = Status::parse(&status);
    let head = format!("{}{} {}", "  ".repeat(level + 1), sign(view, &status), clean(&cell(node, "/name")));
    let mut line = truncate_str(&head, width.saturating_sub(LEAST_NEWS).max(LEAST_NEWS), "…").into_owned();
    if known == Some(Status::NotStarted) {
        return style(line).dim().to_string();
    }
    let kind = cell(node, "/type");
    // In a narrow window what happens matters more than what kind of step it is.
    if view.width >= WIDE {
        line.push_str(&style(format!("  {kind}")).dim().to_string());
    }
    if let Some(passed) = passed(view, node) {
        line.push_str(&format!("  {passed}"));
    }
    let news = match known {
        Some(status) if status.is_terminal() => ended(node, status),
        _ => under_way(view, node, known),
    };
    if !news.is_empty() {
        line.push_str("  ");
        line.push_str(&news);
    }
    line
}

pub(super) fn sign(view: &View<'_>, status: &str) -> String {
    let mark = mark(status);
    match Status::parse(status) {
        Some(Status::Success) => style(mark).green().to_string(),
        Some(Status::IgnoreFailed) => style(mark).yellow().to_string(),
        Some(Status::Skipped | Status::NotStarted) => mark.to_owned(),
        Some(status) if status.is_terminal() => style(mark).red().to_string(),
        // Waits for somebody: nothing spins.
        Some(status) if status.is_waiting() && status != Status::WaitStepRunning => style("◦").yellow().to_string(),
        Some(Status::Paused) => style("‖").yellow().to_string(),
        _ => style(view.spinner()).cyan().to_string(),
    }
}

/// How long it took, or has been going for in whole seconds.
pub(super) fn passed(view: &View<'_>, node: &Value) -> Option<String> {
    let start = time(&node["startedAt"])?;
    match time(&node["endedAt"]) {
        Some(end) => Some(end.since(start).to_string()),
        None => Some(whole(view.now?.since(start))),
    }
}

fn whole(length: Millis) -> String {
    Millis::from_secs(length.secs()).to_string()
}

/// Why it ended as it did, when it is not plainly well.
fn ended(node: &Value, status: Status) -> String {
    let why = node["failure"]["message"].as_str().or(node["reason"].as_str()).map(clean);
    let why = why.filter(|why| !why.is_empty()).map(|why| format!(": {why}")).unwrap_or_default();
    match status {
        Status::Success => String::new(),
        Status::Skipped => style(format!("skipped{why}")).dim().to_string(),
        status => format!("{}{why}", super::spaced(status.name())),
    }
}

/// How far it is, with a bar where that can be told, and what was said last.
fn under_way(view: &View<'_>, node: &Value, status: Option<Status>) -> String {
    let mut news = Vec::new();
    let count = |name: &str| node["measure"][name].as_u64();
    let until = time(&node["until"]);
    if let (Some(done), Some(of @ 1..)) = (count("done"), count("of")) {
        news.extend(bar(view, done, of));
    } else if let (Some(start), Some(until), Some(now)) = (time(&node["startedAt"]), until, view.now)
        && status == Some(Status::WaitStepRunning)
    {
        news.extend(bar(view, now.since(start).0, until.since(start).0));
    }
    news.extend(said(view, node, status, until));
    news.join("  ")
}

fn said(view: &View<'_>, node: &Value, status: Option<Status>, until: Option<Timestamp>) -> Option<String> {
    let left = || Some(format!("{} left", whole(until?.since(view.now?))));
    let reason = || node["reason"].as_str().map(clean).filter(|reason| !reason.is_empty());
    match status? {
        Status::WaitStepRunning => left(),
        Status::InterventionWaiting => {
            Some(["waits for somebody to decide".to_owned()].into_iter().chain(left()).collect::<Vec<_>>().join(", "))
        }
        Status::InputWaiting => Some("waits for values".to_owned()),
        Status::TimedWaiting => {
            Some(left().map_or_else(|| "tries again soon".to_owned(), |left| format!("tries again, {left}")))
        }
        // What is below tells it.
        _ if is_container(node) => None,
        Status::Running => node["note"].as_str().map(clean).or_else(|| {
            let line = view.lines.get(node["node"].as_str()?)?;
            Some(style(clean(line)).dim().to_string())
        }),
        _ => reason(),
    }
}

/// Stages and groups have no worker and no log of their own.
fn is_container(node: &Value) -> bool {
    matches!(node["type"].as_str(), Some("StepGroup" | "Deployment" | "Approval" | "Custom" | "CI" | "Pipeline"))
}

/// Nothing where there is no room for one.
fn bar(view: &View<'_>, done: u64, of: u64) -> Option<String> {
    let length = match view.width {
        0..40 => return None,
        40..WIDE => SHORT_BAR,
        _ => BAR,
    };
    let done = done.min(of);
    let full = usize::try_from(u128::from(done) * length as u128 / u128::from(of.max(1))).unwrap_or(length);
    Some(format!("{}{}", style("█".repeat(full)).cyan(), style("░".repeat(length - full)).dim()))
}
