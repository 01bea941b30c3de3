//! From a tree to a type, with every problem collected.
//!
//! ```
//! use windlass_yaml::{Options, Reader, Report, parse_one};
//!
//! struct Step { name: String, retries: i64, tags: Vec<String> }
//!
//! fn step(node: Reader) -> Option<Step> {
//!     let fields = node.fields()?;
//!     let name = fields.string("name");
//!     let retries = fields.opt_int("retries");
//!     let tags = fields.list("tags", |tag| tag.string());
//!     fields.finish();
//!     Some(Step { name: name?, retries: retries.unwrap_or(0), tags })
//! }
//!
//! let text = "name: build\nretries: '3'\ntag: [a]\n";
//! let document = parse_one("step.yaml", text, &Options::DOCUMENT).unwrap();
//! let report = Report::default();
//! let step = step(Reader::new(&document.root, &report)).unwrap();
//! assert_eq!((step.name.as_str(), step.retries, step.tags.len()), ("build", 3, 0));
//! let problems = report.into_diagnostics();
//! assert_eq!(problems.to_string(), "step.yaml:3:1: warning YAML0022: nobody reads the key `tag` (did you mean `tags`?)");
//! ```

mod fields;

pub use fields::Fields;

use crate::{Node, Path, Report, Segment, Value, code};
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::rc::Rc;
use windlass_diagnostic::{Diagnostic, Place, Severity};

/// A node on its way to a type: it knows its path, and reports what is wrong with it.
///
/// What answers with an `Option` has reported the reason when it answers with nothing.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    node: &'a Node,
    trail: Option<Rc<Trail>>,
    report: &'a Report,
}

/// The path of a reader, last step first: steps are shared, and written out for messages only.
#[derive(Debug)]
struct Trail {
    segment: Segment,
    before: Option<Rc<Trail>>,
}

impl<'a> Reader<'a> {
    pub fn new(node: &'a Node, report: &'a Report) -> Self {
        Self { node, trail: None, report }
    }

    pub fn node(&self) -> &'a Node {
        self.node
    }

    pub fn place(&self) -> Place {
        self.node.place.clone()
    }

    pub fn path(&self) -> Path {
        let mut segments = Vec::new();
        let mut next = self.trail.as_ref();
        while let Some(trail) = next {
            segments.push(trail.segment.clone());
            next = trail.before.as_ref();
        }
        segments.reverse();
        Path(segments)
    }

    fn below(&self, segment: Segment, node: &'a Node) -> Self {
        let trail = Some(Rc::new(Trail { segment, before: self.trail.clone() }));
        Self { node, trail, report: self.report }
    }

    /// Adds place and path to a problem, and reports it.
    pub fn report(&self, problem: Diagnostic) {
        let path = self.path();
        let problem = if problem.place.is_none() { problem.at(self.place()) } else { problem };
        let keeps_path = problem.path.is_some() || path.0.is_empty();
        self.report.push(if keeps_path { problem } else { problem.path(path.to_string()) });
    }

    fn expected(&self, what: &str) {
        let found = self.node.describe();
        self.report(Diagnostic::error(code::WRONG_TYPE, format!("expected {what}, found {found}")));
    }

    /// The source text of any scalar: a number keeps its spelling (`1.10`), a boolean is its word.
    pub fn string(&self) -> Option<String> {
        self.text("a text").map(str::to_owned)
    }

    fn text(&self, expected: &str) -> Option<&'a str> {
        let text = if self.node.is_null() { None } else { self.node.text() };
        if text.is_none() {
            self.expected(expected);
        }
        text
    }

    /// A boolean, or its word as text.
    pub fn bool(&self) -> Option<bool> {
        let value = match (&self.node.value, self.node.as_str()) {
            (Value::Bool(b), _) => Some(*b),
            (_, Some("true" | "True" | "TRUE")) => Some(true),
            (_, Some("false" | "False" | "FALSE")) => Some(false),
            _ => None,
        };
        if value.is_none() {
            self.expected("true or false");
        }
        value
    }

    /// A whole number, or its digits as text.
    pub fn int(&self) -> Option<i64> {
        let value = self.node.as_i64().or_else(|| self.node.as_str()?.trim().parse().ok());
        if value.is_none() {
            self.expected("a whole number");
        }
        value
    }

    /// A whole number within bounds.
    pub fn int_in(&self, bounds: RangeInclusive<i64>) -> Option<i64> {
        let value = self.int()?;
        if bounds.contains(&value) {
            return Some(value);
        }
        let problem = format!("expected a whole number from {} to {}, found {value}", bounds.start(), bounds.end());
        self.report(Diagnostic::error(code::BAD_VALUE, problem));
        None
    }

    /// A number, or its digits as text.
    pub fn float(&self) -> Option<f64> {
        let value = match self.node.value {
            Value::Int(_) | Value::Uint(_) | Value::String(_) => self.node.text().and_then(|t| t.trim().parse().ok()),
            Value::Float(f) => Some(f),
            _ => None,
        };
        let value = value.filter(|f| f.is_finite());
        if value.is_none() {
            self.expected("a number");
        }
        value
    }

    /// What `read` makes of the text of a scalar; its error is the message.
    pub fn parse<T, E: Display>(&self, read: impl FnOnce(&str) -> Result<T, E>) -> Option<T> {
        let text = self.text("a text")?;
        read(text).map_err(|error| self.report(Diagnostic::error(code::BAD_VALUE, error.to_string()))).ok()
    }

    /// One of some words.
    pub fn choice<T: Clone>(&self, words: &[(&str, T)]) -> Option<T> {
        let text = self.text("a word")?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(value.clone());
        }
        if self.report.wants(Severity::Error) {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let problem = format!("expected one of {}, found {}", known.join(", "), self.node.describe());
            self.report(Diagnostic::error(code::BAD_VALUE, problem).nearest_of(text, known));
        } else {
            self.report.count(Severity::Error, 1);
        }
        None
    }

    /// The items of a list.
    pub fn items(&self) -> Option<Vec<Reader<'a>>> {
        let Some(items) = self.node.as_seq() else {
            self.expected("a list");
            return None;
        };
        Some(items.iter().enumerate().map(|(i, item)| self.below(Segment::Index(i), item)).collect())
    }

    /// The entries of a mapping whose keys are free.
    pub fn entries(&self) -> Option<Vec<(&'a str, Reader<'a>)>> {
        let Some(map) = self.node.as_map() else {
            self.expected("a mapping");
            return None;
        };
        Some(map.iter().map(|(key, value)| (key, self.below(Segment::Key(key.into()), value))).collect())
    }

    /// The fields of a mapping whose keys are known.
    pub fn fields(&self) -> Option<Fields<'a>> {
        let Some(map) = self.node.as_map() else {
            self.expected("a mapping");
            return None;
        };
        Some(Fields::new(self.clone(), map))
    }
}
