//! The context of pipelines §3.10, and ways to evaluate one line.

use serde_json::json;
use windlass_expression::{Condition, ErrorKind, Evaluator, Template, Tree, Value};

/// Sunday, 1 March 2026, 22:05:09 UTC.
pub(crate) fn now() -> jiff::Timestamp {
    "2026-03-01T22:05:09.123456Z".parse().unwrap()
}

pub(crate) fn scope() -> Tree {
    Tree::new(json!({
        "pipeline": {
            "name": "Payment",
            "executionId": "0123456789abcdefghijkl",
            "sequenceId": 16,
            "branch": null,
            "tags": {"managed-by": "platform"},
            "variables": {
                "env": "int-stable",
                "a": "def:ghi",
                "v": "5.6.0",
                "n": "10",
                "q": "a\"b",
                "list": "x,y,,",
                "empty": "",
                "same": "<+pipeline.variables.env>",
                "typed": "<+pipeline.sequenceId>",
                "outer": "<<+pipeline.variables.same>>",
                "x-y": "hyphen",
                "x.y": "dot",
                "circle": "<+pipeline.variables.round>",
                "round": "<+pipeline.variables.circle>",
                "nowhere": "<+pipeline.variables.nope>",
                "token": "<+secrets.getValue(\"account.token\")>",
                "hosts": ["a", "<+pipeline.variables.env>"],
                "json": "{\"a\": {\"b\": [1, 2.5, \"three\"]}, \"on\": true}",
            },
        },
        "stage": {"variables": {"myvar": "1.1"}},
        "execution": {"steps": {"s1": {"status": "SUCCEEDED"}, "s1_0": {"status": "FAILED"}}},
        "strategy": {"identifierPostFix": "_0"},
        "trigger": {"payload": {
            "t": "<+secrets.getValue(\"k\")>",
            "list": ["<+pipeline.variables.env>"],
            "quote": "\" + pipeline.variables.env + \"",
        }},
    }))
    .outside("trigger.payload")
    .later("steps")
}

pub(crate) fn value(text: &str) -> Result<Value, ErrorKind> {
    let scope = scope();
    Evaluator::new(&scope, now()).value(&Template::parse(text)).map(|outcome| outcome.value).map_err(|error| error.kind)
}

/// The value of `<+text>` as JSON text with its keys in order; for an error its code.
pub(crate) fn shown(text: &str) -> String {
    match value(&format!("<+{text}>")) {
        Ok(value) => json(&value),
        Err(kind) => kind.code().to_owned(),
    }
}

pub(crate) fn text(text: &str) -> Result<String, ErrorKind> {
    let scope = scope();
    let outcome = Evaluator::new(&scope, now()).text(&Template::parse(text));
    outcome.map(|outcome| outcome.value.to_string()).map_err(|error| error.kind)
}

pub(crate) fn condition(text: &str) -> Result<bool, ErrorKind> {
    let scope = scope();
    let outcome = Evaluator::new(&scope, now()).condition(&Condition::parse(text));
    outcome.map(|outcome| outcome.value).map_err(|error| error.kind)
}

/// `true`, `false`, or the code of the error.
pub(crate) fn judged(text: &str) -> String {
    match condition(text) {
        Ok(value) => value.to_string(),
        Err(kind) => kind.code().to_owned(),
    }
}

/// Compares rows of `input`, `expected`, and shows all that differ.
pub(crate) fn check(rows: &[(&str, &str)], evaluate: impl Fn(&str) -> String) {
    let mut wrong = Vec::new();
    for (input, expected) in rows {
        let found = evaluate(input);
        if found != *expected {
            wrong.push(format!("{input}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// JSON text with its keys in order, which `serde_json` keeps only with a feature.
pub(crate) fn json(value: &Value) -> String {
    let listed = Value::list(vec![value.clone()]).to_string();
    listed[1..listed.len() - 1].to_owned()
}
