//! Evaluating in advance.

use crate::common::{check, now, scope};
use windlass_expression::{Evaluator, PartialResult, Template};

/// `= value` when done, else the text that is left.
fn partial(text: &str) -> String {
    let scope = scope();
    match Evaluator::new(&scope, now()).partial(&Template::parse(text)) {
        Ok(partial) => match partial.result {
            PartialResult::Done(value) => format!("= {}", crate::common::json(&value)),
            PartialResult::Open(text) => text,
        },
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_known_is_replaced() {
    check(
        &[
            ("<+pipeline.sequenceId>", "= 16"),
            ("v<+pipeline.sequenceId>", "= \"v16\""),
            ("plain", "= \"plain\""),
            ("<+steps.a.output>", "<+steps.a.output>"),
            ("<+pipeline.name>: <+steps.a.output> <+ stage.nope >", "Payment: <+steps.a.output> <+stage.nope>"),
            ("<+pipeline.name + steps.a>", "<+pipeline.name + steps.a>"),
            // One reading of the clock for each step, not for each time of evaluation.
            ("<+currentTime> <+currentDate()>", "<+currentTime> <+currentDate()>"),
            ("<+pipeline.name> <+1/0>", "Payment <+1/0>"),
            ("<+secrets.getValue('k')> <+steps.a>", "<+secrets.getValue(\"k\")> <+steps.a>"),
            // Data that looks like code is kept from becoming code.
            ("<+trigger.payload.t> <+steps.a>", "<+\"<\">+secrets.getValue(\"k\")> <+steps.a>"),
            ("<+'<'>+pipeline.name> <+steps.a>", "<+\"<\">+pipeline.name> <+steps.a>"),
            ("a <+ b <+steps.a> <+'\\u003e'>", "a <+\"<\">+ b <+steps.a> >"),
            // It was a text of two parts and stays one.
            ("<+pipeline.variables.empty><+steps.a>", "<+\"\"><+steps.a>"),
            ("<+a b>", "1:5: error EXPR0001: expected an operator or the end of the expression, but found `b`"),
        ],
        partial,
    );
}

/// Later it means what it would have meant at once.
#[test]
fn what_is_left_is_evaluated_later() {
    let early = scope();
    let late = windlass_expression::Tree::new(serde_json::json!({"steps": {"a": "A"}, "b": "B"}));
    for (text, expected) in [
        ("<+trigger.payload.t> <+steps.a>", "<+secrets.getValue(\"k\")> A"),
        ("a <+ b <+steps.a> <+'\\u003e'>", "a <+ b A >"),
        ("<+ steps.a > and <+'\\u003e'>", "A and >"),
    ] {
        let partial = Evaluator::new(&early, now()).partial(&Template::parse(text)).unwrap();
        let PartialResult::Open(open) = partial.result else { panic!("{text} is done") };
        let done = Evaluator::new(&late, now()).text(&Template::parse(&open)).unwrap();
        assert_eq!(done.value.plain(), Some(expected), "{text} → {open}");
    }
}

#[test]
fn what_is_left_is_told() {
    let scope = scope();
    let template = Template::parse("<+steps.a.output> <+stage.nope> <+pipeline.name>");
    let partial = Evaluator::new(&scope, now()).partial(&template).unwrap();
    assert_eq!(partial.pending.iter().map(|p| p.reference.as_str()).collect::<Vec<_>>(), ["steps.a.output"]);
    assert_eq!(partial.missing.iter().map(|m| m.expression.as_str()).collect::<Vec<_>>(), ["stage.nope"]);
}
