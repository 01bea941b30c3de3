//! Sequences in whose middle the server forgets the past: what is asked of it afterwards is answered with 410, or with what is there.

use super::generate::with_body;
use super::kinds::{KINDS, Kind};
use super::step::{Body, Step};
use serde_json::json;
use windlass_test_dice::Dice;

/// Requests before the server forgets, and after. Later ones may name answers of all earlier ones.
#[derive(Clone, Debug)]
pub struct Expiring {
    pub before: Vec<Step>,
    pub after: Vec<Step>,
}

/// The sequence of a seed, about one kind.
pub fn expiring(seed: u64) -> Expiring {
    let mut dice = Dice::new(seed ^ 0xe17);
    let kind = dice.one(KINDS).copied().unwrap_or(KINDS[0]);
    let mut before: Vec<Step> =
        ["one", "three", "two", "web"].map(|name| Step::new("POST", kind.collection()).json(kind.object(name))).into();
    let mut old = Vec::new();
    let mut tokens = Vec::new();
    for _ in 0..2 + dice.below(3) {
        match dice.below(3) {
            0 => old.push(push(&mut before, label(kind, dice.text(&["one", "two"]), dice.below(9)))),
            1 => old.push(push(&mut before, Step::new("GET", kind.collection()))),
            _ => {
                let limit = 1 + dice.below(2);
                let path = format!("{}?limit={limit}", kind.collection());
                tokens.push(push(&mut before, Step::new("GET", path)));
            }
        }
    }
    tokens.push(push(&mut before, Step::new("GET", format!("{}?limit=1", kind.collection()))));
    old.push(push(&mut before, Step::new("GET", kind.collection())));
    if dice.percent(50) {
        before.push(Step::new("DELETE", kind.path(dice.text(&["one", "three"]))));
    }
    let mut growing = Growing { dice, kind, first: before.len(), steps: Vec::new(), old, tokens };
    for _ in 0..5 + growing.dice.below(5) {
        growing.ask();
    }
    growing.follow();
    Expiring { before, after: growing.steps }
}

/// Where the step came to stand.
fn push(steps: &mut Vec<Step>, step: Step) -> usize {
    steps.push(step);
    steps.len() - 1
}

/// A write that changes something.
fn label(kind: Kind, name: &str, value: usize) -> Step {
    let body = Body::Json(json!({"metadata": {"labels": {"tier": format!("t{value}")}}}));
    with_body("PATCH", kind.path(name), "application/merge-patch+json", body)
}

struct Growing {
    dice: Dice,
    kind: Kind,
    /// The number of the first step.
    first: usize,
    steps: Vec<Step>,
    /// Steps whose answers carry a version of the past, and those that carry a token.
    old: Vec<usize>,
    tokens: Vec<usize>,
}

impl Growing {
    /// What somebody asks who has not noticed that the past is gone.
    fn ask(&mut self) {
        let (collection, first) = (self.kind.collection(), self.first);
        let version = format!("{{{{{}:/metadata/resourceVersion}}}}", self.dice.one(&self.old).copied().unwrap_or(0));
        let token = format!("{{{{{}:/metadata/continue}}}}", self.dice.one(&self.tokens).copied().unwrap_or(0));
        let step = match self.dice.below(8) {
            0 | 1 => {
                let limit = 1 + self.dice.below(2);
                let refused = first + self.steps.len();
                self.steps.push(Step::new("GET", format!("{collection}?limit={limit}&continue={token}")));
                // The token of the refusal goes on with what is there now.
                Step::new("GET", format!("{collection}?limit=1&continue={{{{{refused}:/metadata/continue}}}}"))
            }
            2 => Step::new("GET", format!("{collection}?resourceVersion={version}&resourceVersionMatch=Exact")),
            3 => Step::new("GET", format!("{collection}?limit=2&resourceVersion={version}")),
            4 => {
                let matching = self.dice.text(&["", "&resourceVersionMatch=NotOlderThan", "&limit=0"]);
                Step::new("GET", format!("{collection}?resourceVersion={version}{matching}"))
            }
            _ => {
                let more = self.dice.text(&[
                    "",
                    "",
                    "&allowWatchBookmarks=true",
                    "&fieldSelector=metadata.name%3Done",
                    "&labelSelector=tier",
                    "&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan",
                ]);
                let mut step = watch(&collection, &version, more);
                if self.dice.percent(20) {
                    step.accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
                }
                step
            }
        };
        self.steps.push(step);
    }

    /// What is right: a new list, and a watch from there.
    fn follow(&mut self) {
        let collection = self.kind.collection();
        let listed = self.first + self.steps.len();
        self.steps.push(Step::new("GET", collection.clone()));
        self.steps.push(label(self.kind, "two", 10));
        self.steps.push(watch(&collection, &format!("{{{{{listed}:/metadata/resourceVersion}}}}"), ""));
    }
}

fn watch(collection: &str, version: &str, more: &str) -> Step {
    let path = format!("{collection}?watch=1&timeoutSeconds=1&resourceVersion={version}{more}");
    Step { stream: true, ..Step::new("GET", path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sequence_asks_for_a_past_and_goes_on_from_the_present() {
        for seed in 1..50 {
            let Expiring { before, after } = expiring(seed);
            assert!(before.len() >= 6 && after.len() >= 8, "{seed}");
            let names_the_past = |step: &&Step| step.path.contains("{{") && step.path.contains(":/metadata/");
            assert!(after.iter().filter(names_the_past).count() >= 5, "{seed}");
            assert!(after.last().is_some_and(|step| step.stream), "{seed}");
        }
    }
}
