//! Pipelines §3.3 and §3.5: paths, members, and expressions within expressions.

use crate::common::{check, now, shown, text};
use windlass_expression::{Condition, Evaluator, Template, Tree, Value};

#[test]
fn members() {
    check(
        &[
            ("pipeline.variables.env", r#""int-stable""#),
            (r#"pipeline.variables["x-y"]"#, r#""hyphen""#),
            (r#"pipeline.variables.get("x-y")"#, r#""hyphen""#),
            (r#"pipeline.variables.get("x.y")"#, r#""dot""#),
            (r#"pipeline.variables.'x-y'"#, r#""hyphen""#),
            (r#"pipeline.variables."x.y""#, r#""dot""#),
            ("pipeline['variables'].env", r#""int-stable""#),
            ("pipeline.variables['e' + 'nv']", r#""int-stable""#),
            ("pipeline?.variables?.env", r#""int-stable""#),
            ("pipeline.variables?.nope", "null"),
            ("pipeline.nope?.nope.nope", "null"),
            ("pipeline.variables.hosts[0]", r#""a""#),
            ("pipeline.variables.hosts.1", r#""int-stable""#),
            ("pipeline.variables.hosts.get(1)", r#""int-stable""#),
            ("pipeline.variables.hosts.size()", "2"),
            ("pipeline.variables.hosts[7]", "null"),
            ("pipeline.variables.env.length()", "10"),
            ("{'a': {'b': 5}}.a.b", "5"),
            ("{'a-b': 5}['a-b']", "5"),
            ("[1,2,3][1]", "2"),
            ("pipeline.tags['managed-by']", r#""platform""#),
            ("size(pipeline.variables.hosts)", "2"),
            ("empty(pipeline.variables.empty)", "true"),
            ("empty(pipeline.variables.nope)", "true"),
            ("empty([]) && empty({:}) && !empty('x') && !empty(0)", "true"),
            ("pipeline.variables[null]", "null"),
            ("pipeline.variables[[1]]", "EXPR0006"),
        ],
        shown,
    );
}

#[test]
fn expressions_within_expressions() {
    check(
        &[
            // Bound as values.
            ("<+pipeline.variables.env> == 'int-stable'", "true"),
            ("<+pipeline.sequenceId> + 1", "17"),
            ("[<+pipeline.sequenceId>, <+stage.variables.myvar>]", r#"[16,"1.1"]"#),
            ("<+ <+pipeline.variables.hosts> >.size()", "2"),
            // Spliced into texts.
            ("'<+pipeline.sequenceId>-x'", r#""16-x""#),
            ("'<+pipeline.variables.get(\"x-y\")>'", r#""hyphen""#),
            ("`<+pipeline.sequenceId>`", r#""16""#),
            // Glued to paths.
            ("execution.steps.s1<+strategy.identifierPostFix>.status", r#""FAILED""#),
            ("pipeline.<+'variables'>.env", r#""int-stable""#),
            ("pipeline.<+'variables.env'>", r#""int-stable""#),
            ("pipeline.variables.<+'x-y'>", r#""hyphen""#),
            ("pipe<+'line'>.sequenceId", "16"),
            ("<+'pipe'>line.sequenceId", "16"),
            ("pipeline.<+'var'><+'iables'>.env", r#""int-stable""#),
            ("<+'secret'>s.getValue('k')", "null"),
            // Side by side is no operator.
            ("<+pipeline.sequenceId> <+pipeline.sequenceId>", "EXPR0001"),
        ],
        shown,
    );
}

#[test]
fn variables_that_refer_to_variables() {
    check(
        &[
            ("pipeline.variables.same", r#""int-stable""#),
            ("pipeline.variables.typed", "16"),
            ("pipeline.variables.typed + 1", "17"),
            ("pipeline.variables.outer", r#""<int-stable>""#),
            ("pipeline.variables.same.length()", "10"),
            ("pipeline.variables.hosts", r#"["a","int-stable"]"#),
            ("pipeline.variables.hosts.join('+')", r#""a+int-stable""#),
            ("pipeline.variables.circle", "EXPR0011"),
            // One member does not need the others: only all of them together fall into the circle.
            ("pipeline.variables.size() > 5", "true"),
            ("json.format(pipeline.variables)", "EXPR0011"),
        ],
        shown,
    );
}

#[test]
fn a_circle_is_named() {
    let error = text("<+pipeline.variables.circle>").unwrap_err();
    insta::assert_snapshot!(error, @"expressions refer to each other in a circle: pipeline.variables.circle → pipeline.variables.round → pipeline.variables.circle");
}

/// Pipelines §3.3: what came from outside is data, whatever it looks like.
#[test]
fn data_from_outside_is_never_evaluated() {
    check(
        &[
            ("trigger.payload.t", r#""<+secrets.getValue(\"k\")>""#),
            ("trigger.payload.list", r#"["<+pipeline.variables.env>"]"#),
            ("trigger.payload.list[0]", r#""<+pipeline.variables.env>""#),
            ("trigger.payload.get('t').trim()", r#""<+secrets.getValue(\"k\")>""#),
            ("'<+trigger.payload.t>'", r#""<+secrets.getValue(\"k\")>""#),
            ("'x' + <+trigger.payload.t>", r#""x<+secrets.getValue(\"k\")>""#),
            ("trigger.payload.quote + '!'", r#""\" + pipeline.variables.env + \"!""#),
            ("json.object('{\"a\": \"\\u003c+pipeline.na\" }').a + 'me>'", r#""<+pipeline.name>""#),
            // Not even when an author's text is joined to an expression.
            ("'<' + '+pipeline.name>'", r#""<+pipeline.name>""#),
            (
                "trigger",
                r#"{"payload":{"list":["<+pipeline.variables.env>"],"quote":"\" + pipeline.variables.env + \"","t":"<+secrets.getValue(\"k\")>"}}"#,
            ),
        ],
        shown,
    );
}

/// Pipelines §3.2: how values read in texts.
#[test]
fn stringification() {
    for (input, expected) in [
        ("<+16>!", "16!"),
        ("<+4.0>!", "4!"),
        ("<+0.1 + 0.2>!", "0.30000000000000004!"),
        ("<+1e21>!", "1e21!"),
        ("<+true>!", "true!"),
        ("<+null>!", "null!"),
        ("<+[1,'a\"',null]>!", r#"[1,"a\"",null]!"#),
        ("<+{'k': 1.5}>!", r#"{"k":1.5}!"#),
        ("<+currentDate>!", "2026-03-01!"),
        ("<+[currentDate]>!", "[\"2026-03-01\"]!"),
        (" <+pipeline.sequenceId>\n", " 16\n"),
    ] {
        assert_eq!(text(input).as_deref(), Ok(expected), "{input}");
    }
}

#[test]
fn an_inner_scope_shadows_an_outer() {
    let inner = Tree::new(serde_json::json!({"matrix": {"port": 1}}));
    let outer = Tree::new(serde_json::json!({"matrix": {"port": 2, "zone": "a"}, "env": "prod"}));
    let both = (&inner, &outer);
    let evaluator = Evaluator::new(&both, now());
    let read = |text: &str| evaluator.text(&Template::parse(text)).unwrap().value.to_string();
    assert_eq!(read("<+matrix.port> <+matrix.zone> <+env>"), "1 a prod");
}

/// Parsed texts are kept and shared between threads.
#[test]
fn templates_can_be_shared() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<(Template, Condition, Value, windlass_expression::Error)>();
}
