//! Pipelines §3.9: what is missing counts as null and is told to the caller, who decides.

use crate::common::{check, now, scope, text};
use windlass_expression::{Evaluator, Template};

/// The value as text, then one line for each missing path.
fn told(text: &str) -> String {
    let scope = scope();
    match Evaluator::new(&scope, now()).text(&Template::parse(text)) {
        Ok(outcome) => {
            let missing = outcome.missing.iter().map(|missing| missing.to_diagnostic().to_string());
            [outcome.value.to_string()].into_iter().chain(missing).collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_missing_path_is_told() {
    insta::assert_snapshot!(told("<+pipeline.variables.enf> and\n<+stage.name> and <+nope.x.split(',')[0]>"), @r"
    null and
    null and null
    1:3: warning EXPR0018: `pipeline.variables.enf` has no value (did you mean `pipeline.variables.env`?)
    2:3: warning EXPR0018: `stage.name` has no value
    2:21: warning EXPR0018: `nope.x` has no value
    ");
    insta::assert_snapshot!(told("<+pipelin.variables.env>"), @"
    null
    1:3: warning EXPR0018: `pipelin.variables.env` has no value (did you mean `pipeline`?)
    ");
    insta::assert_snapshot!(told("<+pipeline.branch.trim()>"), @"
    null
    1:3: warning EXPR0018: `pipeline.branch` has no value (it is null)
    ");
    insta::assert_snapshot!(told("<+pipeline.variables.env.length>"), @"
    null
    1:3: warning EXPR0018: `pipeline.variables.env.length` has no value (it is a string)
    ");
    insta::assert_snapshot!(told("<+pipeline.variables.nowhere>"), @"
    null
    1:3: warning EXPR0018: `pipeline.variables.nope` has no value, in the value of `pipeline.variables.nowhere`
    ");
    insta::assert_snapshot!(told("<+json.select('x', pipeline.variables.json)>"), @"
    null
    1:3: warning EXPR0018: `json.select('x', pipeline.variables.json)` has no value (nothing was selected)
    ");
}

#[test]
fn a_hyphen_needs_brackets() {
    insta::assert_snapshot!(told("<+pipeline.tags.managed-by>"), @r#"1:3: error EXPR0006: null is not a number (`pipeline.tags.managed` has no value: a name with a hyphen needs brackets and quotes, as in tags["managed-by"])"#);
}

#[test]
fn errors_tell_what_was_missing() {
    insta::assert_snapshot!(told("<+pipeline.variables.enf * 2>"), @"1:3: error EXPR0006: null is not a number (`pipeline.variables.enf` has no value: did you mean `pipeline.variables.env`?)");
    insta::assert_snapshot!(told("x\n<+'a'.substrin(1)>"), @"2:3: error EXPR0004: there is no method `substrin` (did you mean `substring`?)");
}

/// Who provides for absence does not hear of it.
#[test]
fn provided_absence_is_not_missing() {
    for provided in [
        "<+pipeline.variables.nope ?? 'x'>",
        "<+pipeline.variables.nope ?: 'x'>",
        "<+pipeline.variables.nope == null>",
        "<+null != pipeline.variables.nope>",
        "<+empty(pipeline.variables.nope)>",
        "<+pipeline.variables?.nope>",
        "<+pipeline.branch?.trim()>",
        "<+a ?? b ?? 'x'>",
        // A value that is null is not a path that is missing.
        "<+pipeline.branch>",
    ] {
        let scope = scope();
        let outcome = Evaluator::new(&scope, now()).value(&Template::parse(provided)).unwrap();
        assert_eq!(outcome.missing, [], "{provided}");
    }
}

#[test]
fn strict_users_take_all_or_nothing() {
    let scope = scope();
    let evaluator = Evaluator::new(&scope, now());
    let strict = |text: &str| evaluator.value(&Template::parse(text)).unwrap().complete();
    assert_eq!(strict("<+pipeline.sequenceId>"), Ok(16.into()));
    let missing = strict("<+pipeline.a>-<+pipeline.b>").unwrap_err();
    let expressions: Vec<_> = missing.iter().map(|missing| missing.expression.as_str()).collect();
    assert_eq!(expressions, ["pipeline.a", "pipeline.b"]);
}

#[test]
fn names_and_messages_stay_as_they_were_written() {
    let scope = scope();
    let evaluator = Evaluator::new(&scope, now());
    let verbatim = |text: &str| evaluator.text_or_verbatim(&Template::parse(text)).to_string();
    check(
        &[
            ("Deploy to <+pipeline.variables.env>", "Deploy to int-stable"),
            ("<+stage.name> of <+pipeline.name>", "<+stage.name> of Payment"),
            ("<+ 1 / 0 > <+ a b> <+steps.x>", "<+ 1 / 0 > <+ a b> <+steps.x>"),
            ("by <+trigger.payload.t>", "by <+secrets.getValue(\"k\")>"),
        ],
        verbatim,
    );
}

#[test]
fn a_string_beside_a_boolean_is_linted() {
    let scope = scope();
    let outcome = Evaluator::new(&scope, now()).value(&Template::parse("<+pipeline.variables.env == true>")).unwrap();
    let warnings: Vec<_> = outcome.warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(warnings.join("\n"), @"1:3: warning EXPR0019: a string is compared with a boolean: their texts are compared");
}

#[test]
fn not_yet_outweighs_what_follows_from_it() {
    assert_eq!(text("<+steps.a.output.substring(0, 3)>").unwrap_err().code(), "EXPR0014");
    assert_eq!(text("<+steps.a + 1>").unwrap_err().code(), "EXPR0014");
}

/// Each problem has a code, and each code a line that says what it is about.
#[test]
fn codes_are_listed() {
    let codes: Vec<&str> = windlass_expression::CODES.iter().map(|(code, _)| *code).collect();
    assert!(codes.is_sorted());
    for text in
        ["<+a b>", "<+a=1>", "<+'a'.getClass()>", "<+f()>", "<+1/0>", "<+1 + null>", "<+'a'.charAt(1)>", "<+input>"]
    {
        let kind = crate::common::text(text).unwrap_err();
        assert!(codes.contains(&kind.code()), "{text}: {}", kind.code());
    }
    assert!(codes.contains(&windlass_expression::Missing::CODE));
}
