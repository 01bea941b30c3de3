//! Lines that a container wrote.

use crate::chance::Seed;
use crate::fleet::{Process, Run};
use crate::image::Image;
use crate::profile::{LogMoment, LogTemplate};
use crate::readings::requests;
use windlass_model::{Millis, Timestamp};

/// One line without its line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub at: Timestamp,
    pub text: String,
}

/// The newest lines of one template that are kept for one process.
const LIMIT: usize = 2_000;

impl Process {
    /// What the process that ran at `now`, or the last one before, wrote until then; oldest first.
    pub(crate) fn logs(&self, now: Timestamp) -> Vec<Line> {
        let Some(run) = self.runs.iter().rev().find(|run| run.start <= now) else { return Vec::new() };
        let until = run.end.map_or(now, |end| end.min(now));
        let mut lines: Vec<Line> =
            self.profile.logs.iter().flat_map(|template| self.lines(template, run, self.seed_of(run), until)).collect();
        lines.sort_by_key(|line| line.at);
        lines
    }

    fn lines(&self, template: &LogTemplate, run: &Run, seed: Seed, until: Timestamp) -> Vec<Line> {
        let fill = |at: Timestamp, number: u64, latency: Option<f64>| {
            let text = fill(&template.text, self, at, number, latency);
            Line { at, text }
        };
        match template.when {
            LogMoment::Start => vec![fill(run.start, 1, None)],
            LogMoment::Exit => run.end.filter(|end| *end <= until).map(|end| fill(end, 1, None)).into_iter().collect(),
            LogMoment::Every(length) => {
                let last = until.since(run.start).0 / length.0.max(1);
                let first = (last + 1).saturating_sub(LIMIT as u64).max(1);
                (first..=last).map(|n| fill(run.start + Millis(n * length.0), n, None)).collect()
            }
            LogMoment::Request | LogMoment::Error => {
                let Some(traffic) = &self.profile.traffic else { return Vec::new() };
                let is_well = template.when == LogMoment::Request;
                let all = requests(traffic, seed, run, is_well, (run.start, until), LIMIT);
                (1..).zip(all).map(|(n, (at, latency))| fill(at, n, Some(latency))).collect()
            }
        }
    }
}

/// Replaces `{name}`; unknown names stay as they are.
fn fill(template: &str, process: &Process, at: Timestamp, number: u64, latency: Option<f64>) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            rest = &rest[before.len()..];
            break;
        };
        let labels = &process.labels;
        match (name, latency) {
            ("pod" | "namespace" | "container" | "image" | "node", _) => text.push_str(labels.get(name)),
            ("tag", _) => text.push_str(Image::parse(labels.get("image")).tag),
            ("time", _) => text.push_str(&at.to_string()),
            ("n", _) => text.push_str(&number.to_string()),
            ("latency", Some(seconds)) => text.push_str(&format!("{:.0}", seconds * 1_000.0)),
            _ => {
                text.push('{');
                rest = after;
                continue;
            }
        }
        rest = tail;
    }
    text.push_str(rest);
    text
}
