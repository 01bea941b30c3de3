//! What is read line by line is what the parser reads.

use super::super::scan::{Token, events};
use super::tokens;
use crate::{Options, to_yaml};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// Tokens with their places, in which the two may differ for lists alone: the parser names what stands behind the first dash.
fn shown(token: &Token<'_>) -> String {
    match token {
        Token::List(place) => format!("list in line {}", place.line),
        token => format!("{token:?}"),
    }
}

/// Whether a text is simple. When it is, the parser must say the same.
fn check(text: &str) -> bool {
    let file: Arc<str> = "x".into();
    let Some(simple) = tokens(&file, text) else { return false };
    let mut parsed = Vec::new();
    let read = events(&file, text, &Options::OBJECTS, &mut |token| {
        parsed.push(shown(&token));
        true
    });
    let simple: Vec<String> = simple.iter().map(shown).collect();
    assert!(read, "the parser refuses {text:?}, which is read as {simple:?}");
    assert_eq!(simple, parsed, "{text:?}");
    true
}

const SIMPLE: &str = "\
# A comment.
---
apiVersion: apps/v1 # another
kind: Deployment
metadata:
  labels: {app: web, 'tier': \"front\", empty: [], none: {}}
  annotations:
    a.b/c: \"yes\"
    # between

    nothing:
    'quoted key': it's plain
spec:
  args: [a, \"c d\", 1.5, [x, {y: z}]]
  items:
  - name: one
    value: -1
  -
    name: two
  - - nested
    - list
  script: |
    first
      second

    # no comment
  last: |-
    text

  after: https://example.com:80/#x
---
- a
-   b: c
    d: e
";

#[test]
fn simple_texts_are_told() {
    for text in [
        "",
        "\n# nothing\n",
        "a: b",
        "a:",
        "- a\n- b\n",
        "a: b\n---\nc: d\n",
        "a: |-\n  b",
        "a: |\n  b\nc: |-\n  d\n\n  ",
    ] {
        assert!(check(text), "{text:?}");
    }
    assert!(check(SIMPLE));
    for text in [
        "a",
        "a: b: c",
        "a: b\n  c\n",
        "a: &x b",
        "a: *x",
        "a: !t b",
        "a: >\n  b\n",
        "a: |\n\n  b\n",
        "a: |2\n  b\n",
        "a: |+\n  b\n",
        "a: |\n  b",
        "a: \"x\\n\"",
        "a: 'it''s'",
        "a: \"x\n  y\"",
        "a: [b,\n  c]",
        "? a",
        "a: - b",
        "a: b\n c: d\n",
        "a\t: b",
        "a: é",
        "---\n",
        "a: b\n...\n",
        "--- a\n",
        "%YAML 1.2\n---\na: b\n",
        "a: b\n- c\n",
        "- a\nb: c\n",
        "-\n- a\n",
        "a: [b: c]",
        "a: {b}",
        "a: @b",
        "a: b\r\n",
        "a:  |\n b\n  \nc: d\n\n x",
    ] {
        assert!(!check(text), "{text:?}");
    }
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-zA-Z0-9/.:=# _-]{0,12}".prop_map(Value::from),
        "[a-z #\n-]{0,20}".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-zA-Z0-9/._-]{1,8}", inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

/// Lines that mean something alone, at any depth, in any order.
fn lines() -> impl Strategy<Value = String> {
    let parts = vec![
        "",
        "a:",
        "b: c",
        "k: c # d",
        "k: c #",
        "k: c#d",
        "-",
        "- a",
        "- a:",
        "- a: b",
        "-  a: b",
        "- - a",
        "- - b: c",
        "-   - d:",
        "k: |",
        "k: |-",
        "- |",
        "- k: |",
        "k: >",
        "text",
        "two words",
        "# comment",
        "---",
        "--- # c",
        "...",
        "k: [a, b]",
        "k: [ a , 'b' ]",
        "k: {a: b}",
        "k: { a: [b, c], d: 'e' }",
        "- {a: b}",
        "- [a]",
        "k: [a",
        "k: []",
        "k: {}",
        "'q': v",
        "\"q\": v",
        "'q' : v",
        "k: 'v'",
        "k: \"v\" # c",
        "k: \"v\"#c",
        "k: 'it''s'",
        "k: \"\\n\"",
        "k: ''",
        "k: -1",
        "k: --x",
        "k: ---",
        "- ---",
        "k: -",
        "k: - x",
        "k: a: b",
        "k: a:b",
        "k: a:",
        "k:  spaced  ",
        "k: &a b",
        "k: *a",
        "k: !t b",
        "? a",
        ": b",
        "k: ?x",
        "k: :x",
        "k: %a",
        "k: @a",
        "k: .5",
        "k: ~",
        "k: =",
        "k: <<",
        "<<: {a: b}",
        "k: (a)",
        "k: $(A)",
        "k: +1",
        "k: \\a",
        "k: ^a",
        "k: ;",
        "k: a, b",
        "k: a]",
        "k: a}",
        "a/b.c: d",
        "1: 2",
        "true: y",
        "k:v",
        "- k:v",
        "k: {a: b}c",
        "k: 'a' b",
        "k: [a] # c",
        "k: _",
        "k: /a",
        "- -1",
        "- --a",
        "- - -",
        "k: |x",
        "k: http://a.b:80/c?d=e#f",
        "k: {{ x }}",
        "k: [a, {b: c, d: [e]}, \"f\"]",
        "k: [a,]",
        "k: {a: }",
        "k: [,]",
        "    ",
        "  # c",
    ];
    let line = (prop::sample::select(vec![0, 0, 0, 2, 2, 2, 4, 4, 1, 3, 6]), prop::sample::select(parts));
    prop::collection::vec(line, 1..9)
        .prop_map(|lines| lines.into_iter().map(|(indent, part)| format!("{}{part}\n", " ".repeat(indent))).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn values_are_read_alike(value in value()) {
        check(&to_yaml(&value));
    }

    #[test]
    fn lines_are_read_alike(text in lines(), cut in 0..3_usize) {
        check(text.get(..text.len().saturating_sub(cut)).unwrap_or_default());
    }
}
