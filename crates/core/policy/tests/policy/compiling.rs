use super::support::{ask, messages};
use serde_json::json;
use windlass_policy::compile;

fn problems(rego: &str) -> String {
    match compile("p.rego", rego) {
        Ok((_, found)) | Err(found) => found.to_string(),
    }
}

#[test]
fn problems_have_a_place() {
    insta::assert_snapshot!(problems("package p\n\ndeny := := 1"), @"p.rego:3:9: error POL0001: expecting expression");
    insta::assert_snapshot!(problems("package p\ndeny[msg] {\n  msg := sprintf(\"%s\", [\n}"), @"p.rego:2:11: error POL0001: expecting }");
    insta::assert_snapshot!(problems("deny := true"), @"p.rego:1:1: error POL0001: expecting `package` Missing package declaration.");
    insta::assert_snapshot!(problems(""), @"p.rego:1:1: error POL0001: expecting `package` Missing package declaration.");
    insta::assert_snapshot!(problems("package p\ndeny := undefined_thing"), @"p.rego:2:9: error POL0001: var undefined_thing is unsafe");
    insta::assert_snapshot!(problems("package p\nallow := true"), @"warning POL0006: the policy has no rule `deny`: it can never refuse anything (write `deny contains message if { … }`)");
    insta::assert_snapshot!(problems("package p\ndeny := true\ndeny := false { true }\n\"open"), @r#"p.rego:4:1: error POL0001: unmatched ""#);
}

#[test]
fn functions_are_looked_up_when_a_policy_is_saved() {
    insta::assert_snapshot!(problems(
        "package p\nimport rego.v1\ndeny if http.send({\"method\": \"get\", \"url\": \"http://169.254.169.254\"}).status_code == 200\ndeny if opa.runtime().env.HOME\ndeny if sprintff(\"%d\", [1]) == \"\""
    ), @r"
    p.rego:3:18: error POL0002: `http.send` is refused: policies decide from their input alone
    p.rego:4:20: error POL0002: `opa.runtime` is refused: the environment is no part of a decision
    p.rego:5:17: error POL0003: there is no function `sprintff` (did you mean `sprintf`?)
    ");
    insta::assert_snapshot!(problems("package p\ndeny { concat(\", \", [\"a\"], x); x == \"a\" }"), @"p.rego:2:14: error POL0007: `concat` takes 2 arguments and was given 3 (write `result := concat(…)` instead of a further argument)");
    insta::assert_snapshot!(problems("package p\nnear(x) = x\ndeny { neer(1) == 1 }"), @"p.rego:3:12: error POL0003: there is no function `neer` (did you mean `near`?)");
}

#[test]
fn time_functions_are_functions_like_others() {
    let told = |rego: &str, what: &str| assert!(problems(rego).contains(what), "{}", problems(rego));
    told("package p\ndeny { time.wekday(1) == 1 }", "`time.wekday` (did you mean `time.weekday`?)");
    told("package p\ndeny { time.weekday(1, x); x == 1 }", "`time.weekday` takes 1 arguments and was given 2");
    told(
        "package p\nat { time.now_ns() == 1 }\ndeny { at with time.now_ns as 1 }",
        "POL0008: `time.now_ns` cannot be replaced",
    );
    told("package p\nf(x) = x\ndeny { f(1) with data.p.f as time.weekday }", "POL0008: `time.weekday`");
}

#[test]
fn recursion_is_found_before_it_runs() {
    insta::assert_snapshot!(problems("package p\nf(x) = y { y := f(x) }\ndeny { f(1) }"), @"p.rego:2:18: error POL0004: function `f` calls itself, directly or through others (Rego has no recursion: use `walk`, `graph.reachable` or comprehensions)");
    insta::assert_snapshot!(problems(
        "package p\nimport data.p as me\nf(x) = y { y := data.p.g(x) }\ng(x) = y { y := h(x) }\nh(x) = y { y := me.f(x) }\ni(x) = f(x)\ndeny { i(1) }"
    ), @"p.rego:3:25: error POL0004: function `f` calls itself, directly or through others (Rego has no recursion: use `walk`, `graph.reachable` or comprehensions)");
    // Rules that depend on each other are found when they are asked.
    let error = ask("package p\na { b }\nb { a }\ndeny { a }", &json!({})).unwrap_err();
    assert!(error.to_string().contains("recursion"), "{error}");
}

/// Depth that the author decides must not reach the stack.
#[test]
fn depth_is_bounded() {
    let chain = format!("package p\ndeny := 1{}", "+\n1".repeat(9_000));
    assert!(problems(&chain).contains("POL0005"), "{}", problems(&chain));
    let nested = format!("package p\ndeny := {}1{}", "[".repeat(2_000), "]".repeat(2_000));
    assert!(problems(&nested).starts_with("p.rego:2:"), "{}", problems(&nested));
    let calls: String = (0..400).map(|i| format!("f{i}(x) = f{}(x)\n", i + 1)).collect();
    assert!(problems(&format!("package p\n{calls}f400(x) = x\ndeny {{ f0(1) }}")).contains("defines 402 rules"));
    let calls: String = (0..290).map(|i| format!("f{i}(x) = f{}(x)\n", i + 1)).collect();
    assert!(ask(&format!("package p\n{calls}f290(x) = x\ndeny {{ f0(true) }}"), &json!({})).unwrap().denied);
    assert!(problems(&"x".repeat(300_000)).contains("at most 262144"));
}

#[test]
fn the_needed_functions_are_there() {
    let rego = r#"package p
    import rego.v1
    deny contains sprintf("%s %d %v", ["a", 1, {"b": 2}])
    deny contains x if { regex.match(`^v\d+`, "v2"); x := "regex" }
    deny contains x if { contains("abc", "b"); startswith("abc", "a"); x := "strings" }
    deny contains x if { semver.compare("1.10.0", "1.9.0") == 1; x := "semver" }
    deny contains x if { time.parse_rfc3339_ns("2026-03-02T14:00:00Z") == time.now_ns(); x := "now" }
    deny contains x if { time.weekday(time.now_ns()) == "Monday"; x := "weekday" }
    deny contains x if { time.clock([time.now_ns(), "Europe/Berlin"]) == [15, 0, 0]; x := "clock" }
    deny contains x if { time.date(time.now_ns()) == [2026, 3, 2]; x := "date" }
    deny contains x if { json.filter({"a": 1, "b": 2}, ["a"]) == {"a": 1}; x := "json.filter" }
    deny contains x if { json.patch({"a": 1}, [{"op": "remove", "path": "/a"}]) == {}; x := "json.patch" }
    deny contains x if { json.unmarshal("[1]") == [1]; json.marshal([1]) == "[1]"; x := "json" }
    deny contains x if { object.get({"a": 1}, "b", 3) == 3; x := "object.get" }
    deny contains x if { trim(" a ", " ") == "a"; split("a,b", ",") == ["a", "b"]; x := "trim" }
    deny contains x if { net.cidr_contains("10.0.0.0/8", "10.1.2.3"); x := "net" }
    deny contains x if { concat("-", ["a", "b"]) == "a-b"; replace("aa", "a", "b") == "bb"; x := "concat" }
    deny contains x if { numbers.range(1, 3) == [1, 2, 3]; array.concat([1], [2]) == [1, 2]; x := "lists" }
    deny contains x if { not to_number("x"); x := "what makes no sense has no value" }
    "#;
    insta::assert_snapshot!(messages(rego, &json!({})).join("\n"), @r#"
    a 1 {"b": 2}
    clock
    concat
    date
    json
    json.filter
    json.patch
    lists
    net
    now
    object.get
    regex
    semver
    strings
    trim
    weekday
    what makes no sense has no value
    "#);
}

#[test]
fn moment_and_chance_are_given() {
    let rego = "package p\nimport rego.v1\ndeny contains sprintf(\"%d %d %d %s\", [time.now_ns(), rand.intn(\"a\", 1000), rand.intn(\"b\", 1000), uuid.rfc4122(\"k\")])";
    let first = messages(rego, &json!({}));
    assert_eq!(first, messages(rego, &json!({})));
    insta::assert_snapshot!(first[0], @"1772460000000000000 866 287 3cef1468-e70b-4a85-bff4-df50c26894ef");
    // The builtin's own name cannot be had back.
    let found = compile("p.rego", "package p\ndeny := time.now_ns(3)").unwrap_err();
    assert!(found.to_string().contains("`time.now_ns` takes 0 arguments and was given 1"), "{found}");
}
