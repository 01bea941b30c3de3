//! One picture of a run that fits a terminal. Pure: what is known, the time and the size in, lines out.

mod fold;
mod row;

use crate::command::run::tree;
use crate::output::cell;
use console::{style, truncate_str};
use serde_json::Value;
use std::collections::HashMap;
use windlass_model::Timestamp;

/// Spins while something is under way.
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// What there is to draw.
pub(super) struct View<'a> {
    /// As the server shows the run; null before the first answer.
    pub(super) projection: &'a Value,
    /// The server's time.
    pub(super) now: Option<Timestamp>,
    /// The newest line of each step's log, by the step's path.
    pub(super) lines: &'a HashMap<String, String>,
    /// What happened last.
    pub(super) newest: Option<&'a str>,
    /// Counts frames.
    pub(super) turn: usize,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl View<'_> {
    fn spinner(&self) -> char {
        SPINNER[self.turn % SPINNER.len()]
    }
}

/// The lines, none wider than the terminal and no more than fit in it.
pub(super) fn draw(view: &View<'_>) -> Vec<String> {
    // A line as wide as the terminal makes some of them begin the next one.
    let width = view.width.saturating_sub(1).max(1);
    let mut lines = Vec::new();
    if view.projection.is_object() {
        lines.push(head(view));
        // Beside the rows: the run, what is hidden, what happened last, and the line with the cursor.
        let room = view.height.saturating_sub(4).max(1);
        let nodes: Vec<&Value> = view.projection["nodes"].as_array().into_iter().flatten().collect();
        let (rows, hidden) = fold::fitting(&nodes, room);
        lines.extend(rows.iter().map(|row| row::draw(view, row.node, row.level, width)));
        if hidden > 0 {
            lines.push(style(format!("  … and {hidden} more")).dim().to_string());
        }
    }
    if let Some(newest) = view.newest {
        lines.push(style(clean(newest)).dim().to_string());
    }
    lines.iter().map(|line| truncate_str(line, width, "…").into_owned()).collect()
}

fn head(view: &View<'_>) -> String {
    let run = &view.projection["run"];
    let status = cell(run, "/status");
    let title = format!("{} #{}", cell(run, "/pipeline"), cell(run, "/sequence"));
    let mut line = format!("{} {}  {}", row::sign(view, &status), style(clean(&title)).bold(), spaced(&status));
    if let Some(passed) = row::passed(view, run) {
        line.push_str(&format!("  {passed}"));
    }
    line.push_str(&style(format!("  {}", cell(run, "/run"))).dim().to_string());
    line
}

/// `ApprovalWaiting` as words: `approval waiting`.
fn spaced(status: &str) -> String {
    let mut words = String::new();
    for letter in status.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// The first line without anything that a terminal would obey: names and logs come from others.
fn clean(text: &str) -> String {
    let line = tree::first_line(text.trim());
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests;
