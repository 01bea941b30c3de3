//! Bounded time, memory and depth.

use crate::common::{condition, judged, now, shown, text};
use serde_json::json;
use windlass_expression::{Condition, Evaluator, Limits, Template, Tree};

/// A good deal smaller than the stacks of test and server threads.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(1280 * 1024).spawn(test).unwrap().join().unwrap();
}

const BRACKETS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("<+", ">"),
    ("!", ""),
    ("-", ""),
    ("'<+", ">'"),
    ("a ? ", " : b"),
    ("f(", ")"),
    ("a[", "]"),
    ("a.<+", ">"),
    ("`${", "}`"),
    ("1 + (", ")"),
    ("'x'.concat(", ")"),
    ("json.format(", ")"),
    ("false || true && 1 == 1 | 1 ^ 1 & 1 << 1 + 1 * 1 ** null ?? (", ")"),
];

#[test]
fn nesting_is_bounded() {
    on_a_small_stack(|| {
        for (open, close) in BRACKETS {
            for depth in [3, 10, 60, 65, 1_000, 20_000] {
                let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                let result = condition(&text).map_err(|kind| kind.code());
                if depth > 64 {
                    assert!(matches!(result, Err("EXPR0012" | "EXPR0013" | "EXPR0001")), "{open} {depth}: {result:?}");
                }
            }
        }
    });
}

/// Each text nested as far as it may be, and one leading to the next.
#[test]
fn nesting_over_variables_is_bounded() {
    on_a_small_stack(|| {
        for (open, close) in BRACKETS {
            for depth in [1, 3, 6, 9, 30, 60] {
                let mut variables = serde_json::Map::new();
                variables.insert("v0".into(), "1".into());
                for n in 1..=10 {
                    let text = format!("<+{}v{}{}>", open.repeat(depth), n - 1, close.repeat(depth));
                    variables.insert(format!("v{n}"), text.into());
                }
                let scope = Tree::new(serde_json::Value::Object(variables));
                let result = Evaluator::new(&scope, now()).value(&Template::parse("<+v10>"));
                let stopped = matches!(&result, Err(error) if matches!(error.code(), "EXPR0012" | "EXPR0013"));
                let leads_on = !matches!(*open, "(" | "a ? ");
                assert!(stopped || depth < 9 || !leads_on, "{open} {depth}: {result:?}");
            }
        }
    });
}

#[test]
fn long_sums_are_not_deep() {
    on_a_small_stack(|| {
        let sum = vec!["1"; 5_000].join(" + ");
        assert_eq!(shown(&sum), "5000");
        let path = format!("a{}", ".b".repeat(5_000));
        assert_eq!(shown(&path), "EXPR0013");
        let chain = format!("'a'{}", ".trim()".repeat(5_000));
        assert_eq!(shown(&chain), "\"a\"");
    });
}

#[test]
fn results_are_bounded() {
    let near = format!("'a'.repeat({})", 256 * 1024);
    assert_eq!(shown(&near).len(), 256 * 1024 + 2);
    for too_large in [
        "'a'.repeat(262145)".to_owned(),
        "'a'.repeat(9223372036854775807)".to_owned(),
        "'aaaa'.replaceAll('', 'x'.repeat(200000))".to_owned(),
        "'aaaa'.replace('', 'x'.repeat(200000))".to_owned(),
        "['x'.repeat(200000), 'x'.repeat(200000)]".to_owned(),
        "'x'.repeat(200000) + 'x'.repeat(200000)".to_owned(),
        "'x'.repeat(200000).concat('x'.repeat(200000))".to_owned(),
        "(1..5000).join('x'.repeat(1000))".to_owned(),
        "1..10002".to_owned(),
        "-9000000000000000000..9000000000000000000".to_owned(),
        "base64Encode('x'.repeat(262144))".to_owned(),
        "shell.escapeChars('x'.repeat(200000), 'x')".to_owned(),
        "a".repeat(70_000),
    ] {
        assert_eq!(shown(&too_large), "EXPR0013", "{}", &too_large[..40.min(too_large.len())]);
    }
}

#[test]
fn texts_are_bounded() {
    let scope = Tree::new(json!({"big": "x".repeat(200_000)}));
    let evaluator = Evaluator::new(&scope, now());
    let fine = "<+big>".repeat(10);
    assert_eq!(evaluator.text(&Template::parse(&fine)).unwrap().value.plain().unwrap().len(), 2_000_000);
    let error = evaluator.text(&Template::parse(&"<+big>".repeat(100))).unwrap_err();
    assert_eq!(error.code(), "EXPR0013");
}

#[test]
fn work_is_bounded() {
    // Each variable doubles the work of the one before it.
    let mut variables = serde_json::Map::new();
    variables.insert("v0".into(), "x".into());
    for n in 1..=9 {
        variables.insert(format!("v{n}"), format!("<+v{}>", n - 1).repeat(10).into());
    }
    let scope = Tree::new(serde_json::Value::Object(variables));
    let evaluator = Evaluator::new(&scope, now());
    assert_eq!(evaluator.text(&Template::parse("<+v3>")).unwrap().value.plain().unwrap().len(), 1000);
    assert_eq!(evaluator.text(&Template::parse("<+v9>")).unwrap_err().code(), "EXPR0013");
}

#[test]
fn depth_of_variables_is_bounded() {
    let mut variables = serde_json::Map::new();
    variables.insert("v0".into(), "x".into());
    for n in 1..=20 {
        variables.insert(format!("v{n}"), format!("<+v{}>", n - 1).into());
    }
    let scope = Tree::new(serde_json::Value::Object(variables));
    let evaluator = Evaluator::new(&scope, now());
    assert_eq!(evaluator.text(&Template::parse("<+v10>")).unwrap().value.plain(), Some("x"));
    let error = evaluator.text(&Template::parse("<+v11>")).unwrap_err();
    assert_eq!(error.code(), "EXPR0012");
    assert_eq!(error.via.first().map(String::as_str), Some("v11"));
}

#[test]
fn regular_expressions_do_not_run_away() {
    let evil = format!("'{}b!' =~ '(a*)*\\\\1c'", "a".repeat(64));
    assert_eq!(judged(&evil), "EXPR0015");
    let evil = format!("'{}b!'.replaceAll('(a|aa)+\\\\1(?=c)', 'x')", "a".repeat(2_000));
    assert_eq!(shown(&evil), "EXPR0015");
    assert_eq!(shown("'x'.matches('(\\\\w{1000}){1000}')"), "EXPR0015");
    assert_eq!(shown(&format!("'x'.matches('{}')", "a".repeat(5_000))), "EXPR0013");
}

#[test]
fn hostile_texts_are_read_quickly() {
    for hostile in ["<+", "<+'", "<+a'> ", "<+\"<+", "<+ > ", "'<+a", "<+a>", "<+`${"] {
        let text = hostile.repeat(128 * 1024 / hostile.len());
        let template = Template::parse(&text);
        template.problems();
        Condition::parse(&text).problems();
    }
    let many = Template::parse(&"<+a>".repeat(20_000));
    assert_eq!(many.problems().last().map(windlass_expression::Error::code), Some("EXPR0013"));
}

#[test]
fn limits_are_the_callers() {
    let scope = Tree::new(json!({"a": "12345"}));
    let evaluator = Evaluator::new(&scope, now()).limits(Limits { result_bytes: 4, ..Limits::default() });
    assert_eq!(evaluator.value(&Template::parse("<+a>")).unwrap_err().code(), "EXPR0013");
    assert!(text("<+pipeline.name>").is_ok());
}
