//! Pipelines §3.6.

use crate::common::{check, json, now, shown, text};
use windlass_expression::{Condition, Evaluator, Lookup, Scope, Template, Tree, Value};

const BOOKS: &str = r#"{"store": {"books": [{"title": "A", "price": 8, "tags": ["x"]}, {"title": "B", "price": 12, "isbn": "1"}], "open": true}}"#;

fn selected(path: &str) -> String {
    let scope = Tree::new(serde_json::json!({"s": BOOKS, "p": path}));
    let outcome = Evaluator::new(&scope, now()).value(&Template::parse("<+json.select(p, s)>"));
    match outcome {
        Ok(outcome) if !outcome.missing.is_empty() => "-".to_owned(),
        Ok(outcome) => json(&outcome.value),
        Err(error) => error.code().to_owned(),
    }
}

#[test]
fn json_paths() {
    check(
        &[
            ("$.store.open", "true"),
            ("store.open", "true"),
            ("store.books[0].title", r#""A""#),
            ("store.books[-1].title", r#""B""#),
            ("store['books'][1]['title']", r#""B""#),
            ("$.store.books[*].title", r#"["A","B"]"#),
            ("$..title", r#"["A","B"]"#),
            ("$..books[0].price", "[8]"),
            ("$.store.books[0:1].price", "[8]"),
            ("$.store.books[0,1].price", "[8,12]"),
            ("$.store.books[?(@.price > 10)].title", r#"["B"]"#),
            ("$.store.books[?(@.title == 'A' && @.price < 10)].price", "[8]"),
            ("$.store.books[?(@.price > 100 || @.isbn)].title", r#"["B"]"#),
            ("$.store.books[?(!@.isbn)].title", r#"["A"]"#),
            ("$.store.books[?(@.title =~ /[A-Z]/)].title", r#"["A","B"]"#),
            ("$.store.*", r#"[[{"title":"A","price":8,"tags":["x"]},{"title":"B","price":12,"isbn":"1"}],true]"#),
            (
                "$",
                r#"{"store":{"books":[{"title":"A","price":8,"tags":["x"]},{"title":"B","price":12,"isbn":"1"}],"open":true}}"#,
            ),
            ("$.nope", "-"),
            ("$.store.books[9]", "-"),
            ("$..nope", "[]"),
            ("$.store.books.length()", "EXPR0005"),
            ("$.store.books[?(@.a[?(@.b)])]", "EXPR0005"),
            ("$.store.[", "EXPR0005"),
            ("$.store.books[?(1 == 1)]", "EXPR0005"),
        ],
        selected,
    );
}

#[test]
fn json_functor() {
    check(
        &[
            ("json.select('a.b[2]', pipeline.variables.json)", r#""three""#),
            ("json.select('on', pipeline.variables.json)", "true"),
            ("json.list('a.b', pipeline.variables.json).size()", "3"),
            ("json.list('on', pipeline.variables.json)", "[true]"),
            ("json.object(pipeline.variables.json).a.b[0]", "1"),
            ("json.format({'a': [1, null]})", r#""{\"a\":[1,null]}""#),
            ("json.format('x')", r#""\"x\"""#),
            ("json.select('a', 'not json')", "EXPR0017"),
            ("json.select('a', null)", "EXPR0017"),
            ("json.nope('a')", "EXPR0004"),
        ],
        shown,
    );
}

#[test]
fn xml() {
    const XML: &str = r#"<?xml version="1.0"?><!-- c --><a n="1"><b id="x">one &amp; two</b><b id="y"><c>deep</c><![CDATA[<raw>]]></b></a>"#;
    let selected = |path: &str| {
        let scope = Tree::new(serde_json::json!({"s": XML, "p": path}));
        match Evaluator::new(&scope, now()).value(&Template::parse("<+xml.select(p, s)>")) {
            Ok(outcome) if !outcome.missing.is_empty() => "-".to_owned(),
            Ok(outcome) => outcome.value.to_string(),
            Err(error) => error.code().to_owned(),
        }
    };
    check(
        &[
            ("/a/b", "one & two"),
            ("a/b[2]/c", "deep"),
            ("//c", "deep"),
            ("/a/b[@id='y']", "deep<raw>"),
            ("/a/b[c='deep']/@id", "y"),
            ("/a/@n", "1"),
            ("//@id", "x"),
            ("/a/*[last()]/@id", "y"),
            ("//c/../@id", "y"),
            ("/a/b[text()='one & two']/text()", "one & two"),
            ("/a/z", "-"),
            ("count(/a/b)", "EXPR0005"),
            ("/a/b[", "EXPR0005"),
        ],
        selected,
    );
    check(
        &[
            ("xml.select('/a', '<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>')", "EXPR0017"),
            ("xml.select('/a', '<a>&x;</a>')", "EXPR0017"),
            ("xml.select('/a', '<a><b></a>')", "EXPR0017"),
            ("xml.select('/a', '<a/><a/>')", "EXPR0017"),
            ("xml.select('/a', 'text')", "EXPR0017"),
        ],
        shown,
    );
}

#[test]
fn regex_shell_and_functions() {
    check(
        &[
            ("regex.extract('v(\\\\d+)', 'app-v42-x')", r#""42""#),
            ("regex.extract('\\\\d+', 'app-v42-x')", r#""42""#),
            ("regex.extract('z+', 'app')", r#""""#),
            ("regex.replace('[aeiou]', '_', 'release')", r#""r_l__s_""#),
            ("shell.escapeChars('a b$c', ' $')", r#""a\\ b\\$c""#),
            ("dateFormat(0, 'yyyy-MM-dd')", r#""1970-01-01""#),
            ("dateFormat('2026-03-01T10:00:00+02:00', 'HH:mm')", r#""08:00""#),
            ("dateFormat(currentTime, \"yyyyMMdd'T'HHmmss.SSS\")", r#""20260301T220509.123""#),
            ("dateFormat(currentTime, 'h:mm a')", r#""10:05 PM""#),
            ("dateFormat(currentTime, 'Q')", "EXPR0005"),
            ("dateFormat('x', 'yyyy')", "EXPR0005"),
            ("plusDays('2026-02-28', 1)", r#""2026-03-01""#),
            ("plusHours('2026-03-01T23:30:00Z', 1)", r#""2026-03-02T00:30:00Z""#),
            ("plusMinutes(currentTime, 60).hour", "23"),
            ("plusDays(currentDate, 99999999999)", "EXPR0005"),
            ("base64Encode('héllo')", r#""aMOpbGxv""#),
            ("base64Decode('aMOpbGxv')", r#""héllo""#),
            ("base64Decode('!')", "EXPR0017"),
            ("abs(-3)", "3"),
            ("ceil(1.2)", "2"),
            ("floor(-1.2)", "-2"),
            ("round(2.5)", "3"),
            ("round(-2.5)", "-2"),
            ("min(3, 1, 2)", "1"),
            ("max([3, '10', 2.5])", "10"),
            ("max()", "EXPR0005"),
            ("nope(1)", "EXPR0004"),
            ("json(1)", "EXPR0004"),
        ],
        shown,
    );
}

/// A scope with functors of its own.
struct Files;

impl Scope for Files {
    fn lookup(&self, path: &[&str]) -> Lookup {
        match path {
            ["env", "name"] => Lookup::author("prod"),
            _ => Lookup::Missing,
        }
    }

    fn call(&self, name: &[&str], arguments: &[Value]) -> Option<Lookup> {
        match (name, arguments) {
            (["configFile", "getAsString"], [id]) if id.as_str() == Some("app") => {
                Some(Lookup::author("for <+env.name>"))
            }
            (["configFile", "getAsString"], [id]) if id.as_str() == Some("outer") => {
                Some(Lookup::author("outer <+configFile.getAsString('app')>"))
            }
            (["configFile", "getAsString"], [id]) => Some(Lookup::not_yet(format!("configFile:{id}"))),
            (["exportedVariables", "getValue"], [_]) => Some(Lookup::outside("<+env.name>")),
            (["fileStore", "getAsString"], [_]) => Some(Lookup::Missing),
            _ => None,
        }
    }
}

#[test]
fn functors_of_the_scope() {
    let evaluate = |text: &str| match Evaluator::new(&Files, now()).text(&Template::parse(text)) {
        Ok(outcome) => format!("{} {}", outcome.value, outcome.missing.len()),
        Err(error) => error.to_string(),
    };
    insta::assert_snapshot!(evaluate("<+configFile.getAsString(\"app\")>"), @"for prod 0");
    insta::assert_snapshot!(evaluate("<+configFile.getAsString(\"outer\")>"), @"outer for prod 0");
    insta::assert_snapshot!(evaluate("<+exportedVariables.getValue(\"pipeline.k.V\")>"), @"<+env.name> 0");
    insta::assert_snapshot!(evaluate("<+fileStore.getAsString(\"/p\").trim()>"), @"null 1");
    insta::assert_snapshot!(
        evaluate("<+configFile.getAsString(\"a\")> <+configFile.getAsString(\"b\").trim()> <+1/0>"),
        @r#"1:1: error EXPR0014: not available yet: configFile.getAsString("a"), configFile.getAsString("b")"#
    );
}

/// One reading of the clock, given by the caller.
#[test]
fn the_clock_is_an_argument() {
    assert_eq!(text("<+currentTime> <+currentTime>").unwrap(), "2026-03-01T22:05:09Z 2026-03-01T22:05:09Z");
    let scope = Tree::default();
    let holds = Evaluator::new(&scope, now()).condition(&Condition::parse("currentTime == <+currentTime>"));
    assert!(holds.unwrap().value);
}
