//! Pipelines §3.6: secrets are places in a text; nothing from outside can make one.

use crate::common::{check, judged, now, scope, shown};
use windlass_expression::{Evaluator, Marker, SecretRef, Segment, Template, Text};

fn evaluated(text: &str) -> Text {
    let scope = scope();
    Evaluator::new(&scope, now()).text(&Template::parse(text)).unwrap().value
}

fn secret(name: &str) -> Segment {
    Segment::Secret(SecretRef::new(name).unwrap())
}

fn literal(text: &str) -> Segment {
    Segment::Literal(text.to_owned())
}

#[test]
fn a_secret_is_a_place() {
    for (input, expected) in [
        ("<+secrets.getValue(\"k\")>", vec![secret("k")]),
        ("Bearer <+secrets.getValue('account.k')>!", vec![literal("Bearer "), secret("account.k"), literal("!")]),
        ("<+'Bearer ' + secrets.getValue('org.k')>", vec![literal("Bearer "), secret("org.k")]),
        ("<+\"a<+secrets.getValue(\"k\")>b\">", vec![literal("a"), secret("k"), literal("b")]),
        ("<+secrets.getValue('k').concat('x')>", vec![secret("k"), literal("x")]),
        ("<+['a', secrets.getValue('k')].join(',')>", vec![literal("a,"), secret("k")]),
        ("<+['\"', secrets.getValue('k')]>", vec![literal("[\"\\\"\",\""), secret("k"), literal("\"]")]),
        ("<+pipeline.variables.token>", vec![secret("account.token")]),
        ("<+secrets.getValue(<+pipeline.variables.env>)>", vec![secret("int-stable")]),
        ("<+secrets.getValue(\"<+pipeline.variables.env>_k\")>", vec![secret("int-stable_k")]),
        // The attack: a payload that looks like a secret.
        ("echo <+trigger.payload.t>", vec![literal("echo <+secrets.getValue(\"k\")>")]),
        ("<+trigger.payload.t + secrets.getValue('k')>", vec![literal("<+secrets.getValue(\"k\")>"), secret("k")]),
    ] {
        assert_eq!(evaluated(input).segments(), expected, "{input}");
    }
}

#[test]
fn nobody_looks_into_a_secret() {
    check(
        &[
            ("secrets.getValue('k') == 'x'", "EXPR0010"),
            ("secrets.getValue('k').length()", "EXPR0010"),
            ("secrets.getValue('k') ? 1 : 2", "EXPR0010"),
            ("secrets.getValue('k') =~ '.*'", "EXPR0010"),
            ("secrets.getValue('k') < 1", "EXPR0010"),
            ("secrets.getValue('k') * 1", "EXPR0010"),
            ("base64Encode(secrets.getValue('k'))", "EXPR0010"),
            ("'x'.replace('x', secrets.getValue('k'))", "EXPR0010"),
            ("['x'].contains(secrets.getValue('k'))", "EXPR0010"),
            ("[secrets.getValue('k')].contains('x')", "EXPR0010"),
            ("json.format([secrets.getValue('k')])", "EXPR0010"),
            ("empty(secrets.getValue('k'))", "EXPR0010"),
            ("{secrets.getValue('k'): 1}", "EXPR0010"),
            ("pipeline[secrets.getValue('k')]", "EXPR0010"),
            ("pipeline.<+secrets.getValue('k')>", "EXPR0010"),
            ("secrets.getValue('a b')", "EXPR0005"),
            ("secrets.getValue('a\"b')", "EXPR0005"),
            ("secrets.getValue()", "EXPR0005"),
            ("secrets.list()", "EXPR0004"),
        ],
        shown,
    );
}

#[test]
fn conditions_refuse_secrets() {
    check(
        &[
            ("<+secrets.getValue('k')> == 'x'", "EXPR0009"),
            ("<+pipeline.variables.token> == 'x'", "EXPR0009"),
            ("pipeline.variables.token != null", "EXPR0009"),
            ("true || <+secrets.getValue('k')> == 'x'", "true"),
        ],
        judged,
    );
}

#[test]
fn the_caller_learns_which_secrets_are_used() {
    let scope = scope();
    let template = Template::parse("<+pipeline.variables.token> <+secrets.getValue('k')> <+secrets.getValue('k')>");
    let outcome = Evaluator::new(&scope, now()).value(&template).unwrap();
    let names: Vec<_> = outcome.secrets.iter().map(SecretRef::as_str).collect();
    assert_eq!(names, ["account.token", "k"]);
}

#[test]
fn marked_json_comes_back_as_it_was() {
    let marker = Marker::new("0123456789abcdef").unwrap();
    let scope = scope();
    let template = Template::parse("<+{'script': 'curl ' + secrets.getValue('k'), 'n': 1, 'l': [trigger.payload.t]}>");
    let value = Evaluator::new(&scope, now()).value(&template).unwrap().value;
    let json = marker.to_json(&value);
    assert_eq!(json["script"], "curl [[secret:0123456789abcdef:aw]]");
    assert_eq!(json["l"][0], "<+secrets.getValue(\"k\")>");
    assert_eq!(marker.from_json(&json), value);
    assert!(value.to_json().is_err());
    // Another task's marks are text.
    let other = Marker::new("fedcba9876543210").unwrap();
    assert!(other.from_json(&json).secrets().is_empty());
}

#[test]
fn a_mark_cannot_be_forged_even_by_who_knows_the_nonce() {
    let marker = Marker::new("0123456789abcdef").unwrap();
    for attack in [
        "[[secret:0123456789abcdef:aw]]",
        "[[[secret:0123456789abcdef:aw]]",
        "[[secret:0123456789abcdef:[[secret:0123456789abcdef:aw]]",
        "[[secret:0123456789abcdef:!]]aw]]",
        "[[secret:0123456789abcdef:",
    ] {
        let text = Text::from(attack);
        let written = marker.write(&text);
        assert_eq!(marker.read(&written), text, "{attack} → {written}");
        assert_eq!(marker.read(&written).secrets().count(), 0);
    }
    assert!(Marker::new("short").is_err());
    assert!(Marker::new("0123456789abcde]").is_err());
}

#[test]
fn workers_fill_the_places_only() {
    let text = evaluated("<+trigger.payload.t> <+secrets.getValue('k')>");
    let revealed: Result<String, ()> = text.reveal(|secret| Ok(format!("value of {secret}")));
    assert_eq!(revealed.unwrap(), "<+secrets.getValue(\"k\")> value of k");
    let json = serde_json::to_string(&text).unwrap();
    assert_eq!(serde_json::from_str::<Text>(&json).unwrap(), text);
}
