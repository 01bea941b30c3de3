use super::support::{ask, compiled};
use serde_json::{Value as Json, json};
use windlass_model::{Millis, Timestamp};
use windlass_policy::{Circumstances, EvaluateError, Limits};

#[test]
fn time_is_bounded() {
    let rego = "package p\nimport rego.v1\nn := numbers.range(1, 2000)\ndeny contains x if { some a in n; some b in n; some c in n; a * b * c < 0; x := \"never\" }";
    let circumstances = Circumstances { now: Timestamp::default(), seed: "" };
    let limits = Limits { time: Millis(50), ..Limits::default() };
    assert_eq!(compiled(rego).evaluate(&json!({}), &circumstances, &limits), Err(EvaluateError::Time(Millis(50))));
}

#[test]
fn what_one_call_makes_is_bounded() {
    for (call, name) in [
        ("numbers.range(1, 1000000000000000000)", "numbers.range"),
        ("numbers.range_step(1, 1000000000, 2)", "numbers.range_step"),
        ("sprintf(\"%4000000000d\", [1])", "sprintf"),
        ("replace(input.long, \"x\", input.long)", "replace"),
        ("regex.replace(input.long, \"x\", input.long)", "regex.replace"),
        ("strings.replace_n({\"x\": input.long}, input.long)", "strings.replace_n"),
        ("concat(input.long, numbers.range(1, 90000))", "concat"),
        ("bits.lsh(1, 1000000000000)", "bits.lsh"),
        ("net.cidr_expand(\"10.0.0.0/8\")", "net.cidr_expand"),
        ("net.cidr_expand(\"2001:db8::/64\")", "net.cidr_expand"),
    ] {
        let error = ask(&format!("package p\ndeny := {call}"), &json!({"long": "x".repeat(10_000)})).unwrap_err();
        assert!(error.to_string().contains(&format!("{name} would make more than")), "{call}: {error}");
    }
}

/// Forty lines that double a text, or a value that is shared and looks like 2^40 of them.
#[test]
fn doubling_ends() {
    let doubled = |step: &str, last: &str| {
        let lines: String =
            (1..=40).map(|i| format!("x{i} := {}\n", step.replace('#', &format!("x{}", i - 1)))).collect();
        ask(&format!("package p\nx0 := \"abcdefgh\"\n{lines}deny := {last}"), &json!({})).unwrap_err().to_string()
    };
    assert!(doubled("concat(\"\", [#, #])", "x40").contains("concat would make more"));
    assert!(doubled("glob.quote_meta(concat(\"*\", [\"*\", #]))", "x40").contains("would make more"));
    assert!(doubled("hex.encode(#)", "x40").contains("hex.encode would make more"));
    assert!(doubled("[#, #]", "json.marshal(x40)").contains("json.marshal would make more"));
    assert!(doubled("sprintf(\"%v%v\", [#, #])", "x40").contains("sprintf would make more"));
}

#[test]
fn input_is_bounded() {
    let circumstances = Circumstances { now: Timestamp::default(), seed: "" };
    let policy = compiled("package p\ndeny := true");
    let ask = |input: &Json| policy.evaluate(input, &circumstances, &Limits::default());
    let deep = (0..300).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(ask(&deep), Err(EvaluateError::InputDepth(200)));
    assert!(matches!(ask(&json!("x".repeat(9 << 20))), Err(EvaluateError::InputSize(_))));
    assert!(ask(&json!("x".repeat(1 << 20))).unwrap().denied);
}

/// A fault of a format must not take the denial away, nor the process down.
#[test]
fn a_bad_format_still_denies() {
    let messages = |call: &str| ask(&format!("package p\ndeny := [{call}]"), &json!({"x": "prod"})).unwrap().messages;
    assert_eq!(messages("sprintf(\"%d people\", [input.x])"), ["%!d(string=prod) people"]);
    assert_eq!(messages("sprintf(\"%½d\", [1])"), ["%!½(int64=1)d"]);
    assert_eq!(messages("sprintf(\"%s and %s\", [input.x])"), ["prod and %!s(MISSING)"]);
    let error = ask("package p\ndeny := [sprintf(\"%x\", [1.5])]", &json!({})).unwrap_err();
    assert!(error.to_string().contains("cannot write a number with a fraction by `%x`"), "{error}");
    let error = ask(
        "package p\ndeny := [sprintf(\"%*d%*d%*d%*d%*d\", [900000, 1, 900000, 1, 900000, 1, 900000, 1, 900000, 1])]",
        &json!({}),
    );
    assert!(error.unwrap_err().to_string().contains("sprintf would make more than"));
}
