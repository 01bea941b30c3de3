//! `windlass expression eval --explain`.

use crate::common::{now, scope};
use windlass_expression::{Condition, Evaluator, Template};

#[test]
fn every_part_is_told() {
    let scope = scope();
    let evaluator = Evaluator::new(&scope, now());
    let explained = |text: &str| evaluator.explain(&Template::parse(text)).to_string();
    insta::assert_snapshot!(explained("x-<+pipeline.variables.same.split('-')[0] + <+pipeline.sequenceId>>"), @r#"
    1:5 pipeline.variables.same.split('-')[0] + <+pipeline.sequenceId> → "int16"
      1:5 pipeline.variables.same.split('-')[0] → "int"
        pipeline.variables.same holds <+pipeline.variables.env> → "int-stable"
          1:3 pipeline.variables.env → "int-stable"
      1:47 pipeline.sequenceId → 16
    = "x-int16"
    "#);
    insta::assert_snapshot!(explained("<+pipeline.variables.enf.trim()>"), @"
    1:3 pipeline.variables.enf.trim() → nothing there, counts as null (did you mean `pipeline.variables.env`?)
    = null
    ");
    insta::assert_snapshot!(explained("<+steps.a.output>"), @"
    1:3 steps.a.output → not available yet: steps.a.output
    1:1: error EXPR0014: not available yet: steps.a.output
    ");
    insta::assert_snapshot!(explained("<+secrets.getValue('k')>"), @r#"
    1:3 secrets.getValue('k') → "<+secrets.getValue(\"k\")>"
    = "<+secrets.getValue(\"k\")>"
    "#);
}

#[test]
fn conditions_too() {
    let scope = scope();
    let evaluator = Evaluator::new(&scope, now());
    let explained = |text: &str| evaluator.explain_condition(&Condition::parse(text)).to_string();
    insta::assert_snapshot!(explained("<+pipeline.variables.env> == \"prod\" && <+pipeline.name> == 'x'"), @r#"
    1:1 <+pipeline.variables.env> == "prod" && <+pipeline.name> == 'x' → false
      1:1 <+pipeline.variables.env> == "prod" → false
        1:3 pipeline.variables.env → "int-stable"
    = false
    "#);
    insta::assert_snapshot!(explained("<+pipeline.variables.env> > 9"), @r#"
    1:1 <+pipeline.variables.env> > 9 → failed: a string `int-stable` and a number `9` have no order: only numbers and dates do
      1:3 pipeline.variables.env → "int-stable"
    1:1: error EXPR0006: a string `int-stable` and a number `9` have no order: only numbers and dates do
    "#);
}

#[test]
fn as_json() {
    let scope = scope();
    let explanation = Evaluator::new(&scope, now()).explain(&Template::parse("<+pipeline.sequenceId>"));
    let json = serde_json::to_value(&explanation).unwrap();
    assert_eq!(json["result"], 16);
    assert_eq!(json["steps"][0]["text"], "pipeline.sequenceId");
    assert_eq!(json["steps"][0]["value"], 16);
}
