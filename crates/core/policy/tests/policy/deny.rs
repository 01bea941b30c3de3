//! Every form of `deny` that people write (pipelines §8.2).

use super::support::ask;
use serde_json::json;

#[test]
fn forms() {
    let table: &[(&str, bool, &[&str])] = &[
        // Classic syntax.
        (r#"deny[msg] { input.a == 1; msg := "one" }"#, true, &["one"]),
        (r#"deny[msg] { input.a == 2; msg := "two" }"#, false, &[]),
        (r#"deny[msg] { msg := "b" } deny[msg] { msg := "a" }"#, true, &["a", "b"]),
        (r#"deny["fixed"] { input.a == 1 }"#, true, &["fixed"]),
        ("deny { input.a == 1 }", true, &[]),
        ("deny { input.a == 2 }", false, &[]),
        ("deny = true { input.a == 1 }", true, &[]),
        ("default deny = false\ndeny { input.a == 2 }", false, &[]),
        ("default deny = true\ndeny = false { input.a == 1 }", false, &[]),
        (r#"deny = msg { input.a == 1; msg := "text" }"#, true, &["text"]),
        (r#"deny = {"b", "a"}"#, true, &["a", "b"]),
        ("deny = set()", false, &[]),
        (r#"deny = ["b", "a"]"#, true, &["b", "a"]),
        ("deny = []", false, &[]),
        ("deny = null", false, &[]),
        (r#"deny = """#, false, &[]),
        // `import future.keywords` and `import rego.v1`.
        ("import future.keywords\ndeny contains \"x\" if input.a == 1", true, &["x"]),
        ("import future.keywords.if\ndeny { input.a == 1 }\nallow if { true }", true, &[]),
        ("import rego.v1\ndeny contains msg if { input.a == 1; msg := \"v1\" }", true, &["v1"]),
        ("import rego.v1\ndeny if input.a == 2", false, &[]),
        // New syntax without an import.
        (r#"deny contains msg if { input.a == 1; msg := "new" }"#, true, &["new"]),
        ("deny if input.a == 1", true, &[]),
        (r#"deny[msg] if { input.a == 1; msg := "map" }"#, true, &["map"]),
        // Members that are no texts.
        (r#"deny[x] { x := {"msg": "m", "code": 3} }"#, true, &["m"]),
        (r#"deny[x] { x := {"code": 3} }"#, true, &[r#"{"code":3}"#]),
        ("deny[x] { x := 7 }", true, &["7"]),
        ("deny[x] { x := true }", true, &[]),
        (r#"deny = {"reason": "because"}"#, true, &["because"]),
        (r#"deny = {"first": true, "second": false}"#, true, &["first"]),
        (r#"deny = {"first": false}"#, false, &[]),
        ("deny = {}", false, &[]),
        // No rule of that name, or one in another package's words.
        ("violation[msg] { msg := \"x\" }", false, &[]),
    ];
    for (text, denied, messages) in table {
        let rego = format!("package any.name\n{text}");
        let found = ask(&rego, &json!({"a": 1})).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(
            (found.denied, found.messages.iter().map(String::as_str).collect::<Vec<_>>()),
            (*denied, messages.to_vec()),
            "{text}"
        );
    }
}

#[test]
fn any_package_name_is_asked() {
    for package in ["p", "a.b.c", r#"a["b-c"]"#, r#"a["x.y"].z"#] {
        let rego = format!("package {package}\ndeny := true");
        assert!(ask(&rego, &json!({})).unwrap().denied, "{package}");
    }
}

#[test]
fn a_deny_that_says_neither_yes_nor_no_is_an_error() {
    let error = ask("package p\ndeny := 3", &json!({})).unwrap_err();
    assert_eq!(error.to_string(), "`deny` is a number; expected a set of messages, a list, a text or a boolean");
}

#[test]
fn messages_are_bounded() {
    let found = ask(
        "package p\ndeny contains m if { some n in numbers.range(1, 500); m := sprintf(\"%d %s\", [n, input.long]) }",
        &json!({"long": "x".repeat(10_000)}),
    );
    let found = found.unwrap();
    assert_eq!(found.messages.len(), 100);
    assert!(found.messages.iter().all(|message| message.chars().count() <= 2_001));
}

/// What has no value adds nothing, and takes nothing of what others added.
#[test]
fn a_head_without_a_value_takes_no_denial_away() {
    let input =
        json!({"steps": [{"name": "a"}, {"message": "one", "name": "b"}, {"name": "c"}, {"message": "two"}, {}]});
    for policy in [
        "package p\nimport rego.v1\ndeny contains step.message if some step in input.steps",
        "package p\nimport rego.v1\ndeny contains step.message if { some step in input.steps # all of them\n}",
        "package p\nimport rego.v1\ndeny contains sprintf(\"%s\", [step.message]) if {\n\tsome step in input.steps\n\tcount(step) > 0\n}",
        "package p\ndeny[step.message] { step := input.steps[_] }",
        "package p\nimport rego.v1\nfound contains {\"text\": step.message,\n\t\"more\": 1} if some step in input.steps\ndeny contains one.text if some one in found",
        "package p\nimport rego.v1\nfound[place] := step.message if some place, step in input.steps\ndeny contains text if some text in found",
        "package p\nimport rego.v1\ndeny contains step.message if { some step in input.steps; \"a\" != \"b\" }",
        "package p\nimport rego.v1\ndeny contains step.message if {\n\tsome step in input.steps\n\t\"a\" != `b`\n}",
        "package p\nimport rego.v1\ndeny contains concat(\"\", [step.message, \"\"]) if some step in input.steps",
        "package p\nimport rego.v1\nfound contains {\"a\", step.message} if some step in input.steps\ndeny contains text if { some all in found; some text in all; text != \"a\" }",
        "package p\nimport rego.v1\nfound[step.message] := 1 if some step in input.steps\ndeny contains text if some text, _ in found",
        "package p\nimport rego.v1\nsaid(step) := step.message if step.name == \"c\" else := step.message if step != {}\ndeny contains said(step) if some step in input.steps",
    ] {
        assert_eq!(ask(policy, &input).unwrap().messages, ["one", "two"], "{policy}");
    }
}
