//! The test vectors of pipelines §3.10, row by row.

use crate::common::{check, condition, judged, shown, text, value};
use serde_json::json;
use windlass_expression::{ErrorKind, Value};

#[test]
fn values_keep_their_type() {
    for (input, expected) in [
        ("<+pipeline.sequenceId>", json!(16)),
        ("<+pipeline.variables.a.split(':')[1]>", json!("ghi")),
        (r"<+pipeline.variables.v.split('\\.')[1]>", json!("6")),
        (r#"<+<+pipeline.variables.list>.split(",")>"#, json!(["x", "y"])),
        ("<+<+stage.variables.myvar>.substring(0,1)>", json!("1")),
        (r#"<+<+pipeline.variables.env>.contains("int") ? "i" : "p">"#, json!("i")),
        (r#"<+"https://h/"+<+pipeline.variables.env>>"#, json!("https://h/int-stable")),
        (r#"<+<+pipeline.variables.env>.replace("int", "<+pipeline.variables.n>")>"#, json!("10-stable")),
        (r#"<+pipeline.variables.<+"env">>"#, json!("int-stable")),
        ("<+pipeline.name> <+pipeline.executionId>", json!("Payment 0123456789abcdefghijkl")),
        ("<+trigger.payload.t>", json!("<+secrets.getValue(\"k\")>")),
    ] {
        assert_eq!(value(input), Ok(Value::from(expected)), "{input}");
    }
}

#[test]
fn texts_are_spliced() {
    for (input, expected) in [
        ("tag-<+pipeline.sequenceId>", "tag-16"),
        (r#"echo <+ <+stage.variables.myvar> == "1.1"?"pass":"fail" >"#, "echo pass"),
        ("a <+ b", "a <+ b"),
        ("no expression", "no expression"),
        ("", ""),
    ] {
        assert_eq!(text(input).as_deref(), Ok(expected), "{input}");
    }
}

#[test]
fn conditions_are_boolean() {
    check(
        &[
            (r#"<+pipeline.variables.env> == "int-stable""#, "true"),
            (r#"<+<+pipeline.variables.env> == "int-stable">"#, "true"),
            (r#"<+pipeline.variables.q> == 'a"b'"#, "true"),
            (r#"<+pipeline.variables.env> =~ ["<+stage.variables.myvar>","int-stable"]"#, "true"),
            ("<+pipeline.variables.n> > 9", "true"),
            ("<+pipeline.variables.env> > 9", "EXPR0006"),
            (r#"<+pipeline.variables.nope> == "x""#, "false"),
            ("<+pipeline.variables.nope> == null", "true"),
            ("<+pipeline.variables.empty> == null", "false"),
        ],
        judged,
    );
}

#[test]
fn a_runtime_input_that_is_left_is_refused() {
    assert_eq!(text("<+input>"), Err(ErrorKind::RuntimeInput));
    assert_eq!(text("v-<+input>"), Err(ErrorKind::RuntimeInput));
    assert_eq!(text("<+input>.default(x)"), Err(ErrorKind::RuntimeInput));
}

/// Pipelines §11.3, SEED-20: operands without quotes, with hyphens, digits and quotes in the value.
#[test]
fn conditions_of_the_seed() {
    assert_eq!(condition(r#"<+pipeline.variables.env> == "prod""#), Ok(false));
    assert_eq!(condition(r#"<+pipeline.variables.env> == "prod" || <+pipeline.variables.v> == "5.6.0""#), Ok(true));
    assert_eq!(condition(r#"<+pipeline.variables.q> != "prod""#), Ok(true));
}

/// Pipelines §11.5, SEED-46.
#[test]
fn clock_of_the_seed() {
    check(
        &[
            ("currentDate.dayOfWeek", r#""SUNDAY""#),
            ("currentDate.dayOfWeekValue", "7"),
            ("currentDate", r#""2026-03-01""#),
            ("currentTime", r#""2026-03-01T22:05:09Z""#),
            ("currentTime.hour", "22"),
            ("currentTime.minute", "5"),
            ("currentTime.epochMs", "1772402709123"),
            ("currentTime.iso", r#""2026-03-01T22:05:09Z""#),
            ("currentDate.year + '/' + currentDate.month + '/' + currentDate.day", r#""2026/3/1""#),
            ("currentDate.plusDays(1).dayOfWeek", r#""MONDAY""#),
            ("currentDate.plusDays(1)", r#""2026-03-02""#),
            ("currentDate.withZone('Asia/Tokyo')", r#""2026-03-02""#),
            ("currentTime.withZone('Asia/Tokyo')", r#""2026-03-02T07:05:09+09:00""#),
            ("currentTime.format('EEE d MMM yyyy, HH:mm')", r#""Sun 1 Mar 2026, 22:05""#),
            ("currentDate()", r#""2026-03-01""#),
            ("currentTime()", r#""22:05:09""#),
            ("currentTime().hour", "22"),
            ("currentDate.dayOfWeek()", r#""SUNDAY""#),
            ("currentDate.dayOfWek", "EXPR0004"),
            ("currentDate.withZone('Mars/Olympus')", "EXPR0005"),
            ("currentTime < currentTime.plusMinutes(1)", "true"),
            ("currentDate == '2026-03-01'", "true"),
        ],
        shown,
    );
}
