//! Sequences of requests from a seed.

use super::kinds::{KINDS, Kind, custom_kind};
use super::menu::{Menu, metadata};
use super::step::{Body, Edit, Step};
use serde_json::{Value, json};
use windlass_test_dice::Dice;

mod reads;
mod writes;

pub use reads::fixed;

/// An object that a sequence has made, or tried to make.
#[derive(Clone, Debug)]
struct Made {
    kind: Kind,
    name: String,
    /// The step whose answer was last this object, if it went as expected.
    seen: usize,
}

/// A growing sequence.
struct Growing {
    dice: Dice,
    steps: Vec<Step>,
    made: Vec<Made>,
    kinds: Vec<Kind>,
}

/// The managers of fields that apply.
const MANAGERS: [&str; 2] = ["red", "blue"];

/// The sequence of a seed: up to 30 requests about objects of two or three kinds in one namespace.
pub fn generate(seed: u64) -> Vec<Step> {
    let mut dice = Dice::new(seed);
    let count = 1 + dice.below(3);
    let kinds = (0..count).filter_map(|_| dice.one(KINDS).copied()).collect();
    let mut growing = Growing { dice, steps: Vec::new(), made: Vec::new(), kinds };
    let length = 8 + growing.dice.below(22);
    let first = growing.kind();
    // Where watches begin: before everything.
    growing.steps.push(Step::new("GET", first.collection()));
    growing.create(first);
    while growing.steps.len() < length {
        growing.grow();
    }
    growing.end(first);
    growing.steps
}

impl Growing {
    fn grow(&mut self) {
        let kind = self.kind();
        match self.dice.below(100) {
            0..14 => self.create(kind),
            14..20 => self.create_badly(kind),
            20..34 => self.update(),
            34..58 => self.patch(),
            58..72 => self.apply(kind),
            72..77 => self.status(),
            77..81 => self.scale(),
            81..87 => self.read(),
            87..92 => self.list(kind),
            92..97 => self.delete(),
            97..98 => self.delete_all(kind),
            _ => self.stumble(kind),
        }
    }

    /// The states at the end, and what a watch from the beginning tells.
    fn end(&mut self, first: Kind) {
        let mut paths: Vec<String> = self.made.iter().map(|made| made.kind.path(&made.name)).collect();
        paths.sort();
        paths.dedup();
        self.steps.extend(paths.into_iter().map(|path| Step::new("GET", path)));
        if self.dice.percent(50) {
            let selector = self.dice.text(&[
                "",
                "",
                "&labelSelector=app%3Dweb",
                "&labelSelector=tier",
                "&fieldSelector=metadata.name%3Done",
            ]);
            let path = format!(
                "{}?watch=1&timeoutSeconds=1&resourceVersion={{{{0:/metadata/resourceVersion}}}}{selector}",
                first.collection()
            );
            let mut watch = Step::new("GET", path);
            watch.stream = true;
            if self.dice.percent(15) {
                watch.accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
            }
            self.steps.push(watch);
        }
    }

    fn kind(&mut self) -> Kind {
        self.dice.one(&self.kinds).copied().unwrap_or(KINDS[0])
    }

    fn name(&mut self) -> String {
        self.dice.text(&["one", "one", "two", "web"]).to_owned()
    }

    /// One of the objects made so far.
    fn object(&mut self) -> Option<Made> {
        self.dice.one(&self.made).cloned()
    }

    fn remember(&mut self, kind: Kind, name: &str) {
        let seen = self.steps.len() - 1;
        match self.made.iter_mut().find(|made| made.kind.plural == kind.plural && made.name == name) {
            Some(made) => made.seen = seen,
            None => self.made.push(Made { kind, name: name.to_owned(), seen }),
        }
    }

    /// A change that goes well; in `bad` of a hundred cases one that may not.
    fn edit(&mut self, menu: &Menu, bad: usize) -> Option<Edit> {
        let general = metadata();
        let from = match (self.dice.percent(bad), self.dice.percent(25)) {
            (true, true) => &general.bad,
            (true, false) => &menu.bad,
            (false, true) => &general.good,
            (false, false) => &menu.good,
        };
        self.dice.one(from).cloned()
    }

    fn part(&mut self, menu: &Menu) -> Value {
        let general = metadata();
        let from = if self.dice.percent(20) { &general.parts } else { &menu.parts };
        self.dice.one(from).cloned().unwrap_or_else(|| json!({}))
    }

    /// Options of a write, as a query.
    fn options(&mut self) -> String {
        let mut options = Vec::new();
        if self.dice.percent(10) {
            options.push(self.dice.text(&["dryRun=All", "dryRun=All", "dryRun=All", "dryRun=Some"]));
        }
        if self.dice.percent(15) {
            options.push(self.dice.text(&["fieldManager=green", "fieldManager=red", "fieldManager=blue"]));
        }
        if self.dice.percent(15) {
            options.push(self.dice.text(&[
                "fieldValidation=Strict",
                "fieldValidation=Ignore",
                "fieldValidation=Warn",
                "fieldValidation=Perhaps",
            ]));
        }
        query(&options)
    }
}

fn query(options: &[&str]) -> String {
    if options.is_empty() { String::new() } else { format!("?{}", options.join("&")) }
}

/// What is there before a sequence begins.
pub fn beforehand() -> Value {
    custom_kind()
}

pub(super) fn with_body(method: &'static str, path: String, content_type: &'static str, body: Body) -> Step {
    let mut step = Step::new(method, path);
    step.content_type = content_type;
    step.body = body;
    step
}
