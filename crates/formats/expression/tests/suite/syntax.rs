//! Pipelines §3.1, and what a person reads when something cannot be parsed.

use crate::common::{check, text};
use windlass_expression::{Condition, Template};

#[test]
fn where_expressions_begin_and_end() {
    let rendered = |input: &str| text(input).unwrap_or_else(|kind| kind.code().to_owned());
    check(
        &[
            ("a <+pipeline.sequenceId> b", "a 16 b"),
            ("<+ pipeline.sequenceId >!", "16!"),
            ("<+\n  pipeline.sequenceId\n>!", "16!"),
            ("<+ pipeline.sequenceId > 3 >", "true"),
            ("<+ pipeline.sequenceId >= 3 >", "true"),
            ("<+pipeline.sequenceId gt 3>", "true"),
            // Without a second `>` it can only be the end.
            ("<+ pipeline.sequenceId > 3", "16 3"),
            ("<+'a>b'>", "a>b"),
            ("<+\"a>b\" + `c>d`>", "a>bc>d"),
            ("cat <<EOF <+ unbalanced\n<+pipeline.sequenceId>", "cat <<EOF <+ unbalanced\n16"),
            ("1 > 0 and <b>", "1 > 0 and <b>"),
            ("<+pipeline.sequenceId><+pipeline.sequenceId>", "1616"),
            ("<<+pipeline.sequenceId>>", "<16>"),
            ("<+ 'it\\'s > fine' >", "it's > fine"),
            ("ünï<+pipeline.sequenceId>ço", "ünï16ço"),
            ("<+>", "EXPR0001"),
            ("<+ >", "EXPR0001"),
        ],
        rendered,
    );
}

fn problems(text: &str) -> String {
    Template::parse(text).problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn problems_have_a_place_and_a_remedy() {
    insta::assert_snapshot!(problems("fine\nünï <+a +> and <+b c> and <+'x>"), @r"
    2:10: error EXPR0001: expected a value, but the expression ends
    2:20: error EXPR0001: expected an operator or the end of the expression, but found `c`
    2:29: error EXPR0001: the ' is never closed
    ");
    insta::assert_snapshot!(problems("<+a = 1>"), @"1:5: error EXPR0002: scripts are not allowed in expressions: `=` (compare with `==`)");
    insta::assert_snapshot!(problems("<+a.b(1>"), @"1:8: error EXPR0001: expected `,` or `)`, but the expression ends");
    insta::assert_snapshot!(problems("<+[1, 2>"), @"1:8: error EXPR0001: expected `,` or `]`, but the expression ends");
    insta::assert_snapshot!(problems("<+a ? b>"), @"1:8: error EXPR0001: expected `:`, but the expression ends");
    insta::assert_snapshot!(problems("<+a.>"), @"1:5: error EXPR0001: expected a name after the dot");
    insta::assert_snapshot!(problems("<+5x>"), @r#"1:3: error EXPR0001: a name cannot start with a digit (put it between quotes, or reach it with get("…"))"#);
    insta::assert_snapshot!(problems("<+a # b>"), @"1:5: error EXPR0001: unexpected character `#`");
    insta::assert_snapshot!(problems("<+'\\u12'>"), @r"1:4: error EXPR0001: expected four hexadecimal digits after \u");
    insta::assert_snapshot!(problems("<+`${1`>"), @"1:4: error EXPR0001: the ${ is never closed");
    assert_eq!(problems("a <+ b"), "");
}

#[test]
fn conditions_tell_their_problems() {
    let problems = |text: &str| Condition::parse(text).problems().iter().map(ToString::to_string).collect::<String>();
    insta::assert_snapshot!(problems("<+a> =="), @"1:8: error EXPR0001: expected a value, but the expression ends");
    insta::assert_snapshot!(
        problems("<+a> == \"<+secrets.getValue('account.k')>\""),
        @"1:12: error EXPR0009: secret `account.k` in a condition: its value is known only where the task runs"
    );
    assert_eq!(problems("<+a> == 'x'"), "");
}

#[test]
fn templates_tell_what_they_are() {
    assert!(Template::parse("a <+ b").is_literal());
    assert!(!Template::parse("<+a>").is_literal());
    assert!(Template::parse(" <+a>\n").is_single_expression());
    assert!(!Template::parse("<+a><+b>").is_single_expression());
    assert_eq!(Template::parse("x <+a>").source(), "x <+a>");
}
