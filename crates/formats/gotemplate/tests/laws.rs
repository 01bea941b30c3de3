//! What holds for every text.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::json;
use windlass_gotemplate::{Limits, Templates};

/// Pieces of templates, in any order: mostly wrong, and never a panic.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{{",
        "}}",
        "{{-",
        "-}}",
        " ",
        "if",
        "else",
        "end",
        "range",
        "with",
        "define",
        "\"a\"",
        "`r`",
        "'c'",
        ".",
        ".a",
        "$",
        "$x",
        ":=",
        "=",
        "|",
        "(",
        ")",
        ",",
        "1",
        "1.5",
        "0x",
        "-",
        "nil",
        "true",
        "print",
        "index",
        "list",
        "dict",
        "template",
        "break",
        "/*",
        "*/",
        "é",
        "\n",
        "\\",
        "printf \"%*[3]d%\"",
        "{{ if 1 }}",
        "{{ end }}",
        "{{ .a }}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in pieces()) {
        let limits = Limits { steps: 10_000, ..Limits::default() };
        if let Ok(set) = Templates::parse(&[("t", &text)]) {
            let _ = set.render("t", &json!({"a": [1, null, {"b": "c"}]}), &limits);
        }
    }

    #[test]
    fn text_without_actions_stays(text in "[^{]{0,200}") {
        let set = Templates::parse(&[("t", &text)]).unwrap();
        prop_assert_eq!(set.render("t", &json!({}), &Limits::default()).unwrap(), text);
    }

    #[test]
    fn texts_survive_json(text in any::<String>()) {
        let set = Templates::parse(&[("t", "{{ (fromJson (dict \"k\" .v | toJson)).k }}")]).unwrap();
        prop_assert_eq!(set.render("t", &json!({"v": text}), &Limits::default()).unwrap(), text);
    }
}
