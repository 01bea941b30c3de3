//! What unquoted text is, by the three tables (rendering §0.2, corrections a and c; decisions, "Scalars in pipeline YAML").

use serde_json::{Value, json};
use windlass_yaml::{NumberStyle, Options, parse_one};

fn read(text: &str, options: &Options) -> Value {
    let root = parse_one("t", text, options).unwrap_or_else(|e| panic!("{text:?}: {e}")).root;
    root.to_json(NumberStyle::Typed)
}

#[test]
fn the_three_tables() {
    let rows = include_str!("../data/scalars.txt").lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut count = 0;
    for row in rows {
        let columns: Vec<&str> = row.split(" | ").map(str::trim).collect();
        let [text, core, objects, control] = columns[..] else { panic!("{row}") };
        for (options, expected) in [(Options::DOCUMENT, core), (Options::OBJECTS, objects), (Options::CONTROL, control)]
        {
            let read = read(&format!("- {text}\n"), &options);
            assert_eq!(read[0].to_string(), expected, "{text:?} by {:?}", options.schema);
        }
        count += 1;
    }
    assert!(count > 90, "{count}");
}

#[test]
fn source_text_is_kept() {
    let text = "[1.10, 1.5, 010, 7, 0x1F, 1e3, ~, True, yes, 2020-01-01, '1.0', 1., -0, 123456789012345678901234]";
    let written = ["1.10", "1.5", "010", "7", "0x1F", "1e3", "~", "True", "yes", "2020-01-01", "1.0", "1.", "-0"];
    for options in [Options::DOCUMENT, Options::OBJECTS, Options::CONTROL] {
        let root = parse_one("", text, &options).unwrap().root;
        let texts: Vec<_> = root.as_seq().unwrap().iter().map(|n| n.text().unwrap()).collect();
        assert_eq!(texts[..13], written);
    }
    let root = parse_one("", text, &Options::DOCUMENT).unwrap().root;
    assert_eq!(
        root.to_json(NumberStyle::KeepText),
        json!([
            "1.10",
            1.5,
            "010",
            7,
            "0x1F",
            "1e3",
            null,
            true,
            "yes",
            "2020-01-01",
            "1.0",
            "1.",
            "-0",
            "123456789012345678901234"
        ])
    );
}

#[test]
fn keys_are_text() {
    let text = "1: a\n1.10: b\ntrue: c\n0x10: d\nno: e\n2020-01-01: f\n'on': g\n1e3: h\n";
    let keys = |options: &Options| {
        let root = parse_one("", text, options).unwrap().root;
        root.as_map().unwrap().keys().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys(&Options::DOCUMENT), "1 1.10 true 0x10 no 2020-01-01 on 1e3");
    assert_eq!(keys(&Options::OBJECTS), "1 1.10 true 0x10 no 2020-01-01 on 1e3");
    assert_eq!(keys(&Options::CONTROL), "1 1.1 true 16 false 2020-01-01 on 1000");
    let twice = parse_one("", "on: 1\n'true': 2\n", &Options::CONTROL).unwrap_err();
    assert_eq!(&*twice.iter().next().unwrap().code, "YAML0006", "`on` is the key \"true\"");
}

#[test]
fn tags_decide() {
    let table = [
        ("!!str 12", json!("12")),
        ("!!str ~", json!("~")),
        ("!!int '12'", json!(12)),
        ("!!float 1", json!(1)),
        ("!!bool 'true'", json!(true)),
        ("!!null ''", json!(null)),
        ("!!binary aGVsbG8=", json!("hello")),
        ("!local 12", json!("12")),
        ("! 12", json!("12")),
        ("!<tag:yaml.org,2002:str> 12", json!("12")),
        ("!!timestamp 2020-01-01", json!("2020-01-01T00:00:00Z")),
        ("!!set {a, b}", json!({"a": null, "b": null})),
    ];
    for (text, expected) in table {
        assert_eq!(read(&format!("- {text}\n"), &Options::OBJECTS), json!([expected]), "{text}");
    }
    assert_eq!(read("a: !!binary |\n  aGVs\n  bG8=\n", &Options::OBJECTS), json!({"a": "hello"}));
    let root = parse_one("", "[!!str 12, !local x]", &Options::DOCUMENT).unwrap().root;
    assert_eq!(root.as_seq().unwrap().iter().map(|n| n.tag().unwrap()).collect::<Vec<_>>(), ["!!str", "!local"]);
}

#[test]
fn block_scalars_and_folding() {
    let table = [
        ("a: |\n  x\n  y\n", "x\ny\n"),
        ("a: |-\n  x\n", "x"),
        ("a: |+\n  x\n\n\n", "x\n\n\n"),
        ("a: |2\n   x\n", " x\n"),
        ("a: >\n  x\n  y\n\n  z\n", "x y\nz\n"),
        ("a: >-\n  x\n    y\n  z\n", "x\n  y\nz"),
        ("a: |\n  x", "x"),
        ("a: |\n  x\n  ", "x\n"),
        ("a: >\n  x\n  y", "x y"),
        ("a: \"x\\\n  y\"\n", "xy"),
        ("a: 'x\n\n  y'\n", "x\ny"),
        ("a: x\n  y\n", "x y"),
        ("a: \"\\x41\\u00e9\\U0001F600\\t\"\n", "Aé😀\t"),
    ];
    for (text, expected) in table {
        assert_eq!(read(text, &Options::OBJECTS), json!({"a": expected}), "{text:?}");
    }
}
