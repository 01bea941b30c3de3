//! Places, structure, and everything that is refused.

use serde_json::json;
use windlass_diagnostic::Diagnostics;
use windlass_yaml::{Limits, NumberStyle, Options, Style, decode, parse, parse_one, placeholders};

fn read(text: &str) -> serde_json::Value {
    parse_one("t.yaml", text, &Options::DOCUMENT).unwrap().root.to_json(NumberStyle::Typed)
}

fn refused(text: &str) -> Diagnostics {
    parse("t.yaml", text, &Options::DOCUMENT).unwrap_err()
}

#[test]
fn every_node_knows_its_place() {
    let text = "# head\na: &x\n  b:   # none\n\n  c: 'it''s'\nlist:\n- 1\n-\n- - x\n  - y\n\n# tail\nlit: |\n  abc\n\ne: *x\nf: {ä: 1, b: }\nin:\n  - 2\nnot:\n-\n  - 3\n";
    let root = parse_one("t.yaml", text, &Options::DOCUMENT).unwrap().root;
    let places = [
        ("a", 3, 3),
        ("a.b", 3, 4),
        ("a.c", 5, 6),
        ("list", 7, 1),
        ("list[0]", 7, 3),
        ("list[1]", 8, 2),
        ("list[2]", 9, 3),
        ("list[2][1]", 10, 5),
        ("lit", 14, 3),
        ("e", 16, 4),
        ("e.c", 5, 6),
        ("f", 17, 4),
        ("f.ä", 17, 8),
        ("in", 19, 3),
        ("in[0]", 19, 5),
    ];
    for (path, line, column) in places {
        let place = &root.find(path).unwrap_or_else(|| panic!("{path}")).place;
        assert_eq!((place.line, place.column), (line, column), "{path}");
    }
    let key = root.as_map().unwrap().entry("f").unwrap().key.place.clone();
    assert_eq!(key.to_string(), "t.yaml:17:1");
    assert_eq!(root.find("list").unwrap().span.of(text), "- 1\n-\n- - x\n  - y");
    assert_eq!(root.find("f").unwrap().span.of(text), "{ä: 1, b: }");
    assert_eq!(root.find("e").unwrap().span.of(text), "*x");
    assert_eq!(root.find("e").unwrap().alias(), Some("x"));
    assert_eq!(root.find("a").unwrap().anchor(), Some("x"));
    assert_eq!(root.find("lit").unwrap().style, Style::Literal);
    assert_eq!(root.path_of(root.find("list[2][1]").unwrap()).unwrap().to_string(), "list[2][1]");
}

#[test]
fn aliases_and_merge_keys_are_replaced() {
    let text = "base: &b {a: 1, b: 2}\nmore: &m {b: 3, c: 4}\none: {<<: *b, a: 9}\ntwo:\n  <<: [*m, *b]\n  d: 5\nthree: {\"<<\": 1}\n";
    let value = read(text);
    assert_eq!(value["one"], json!({"a": 9, "b": 2}));
    assert_eq!(value["two"], json!({"a": 1, "b": 3, "c": 4, "d": 5}));
    assert_eq!(value["three"], json!({"<<": 1}));
    let root = parse_one("", text, &Options::DOCUMENT).unwrap().root;
    let two = root.find("two").unwrap().as_map().unwrap();
    assert_eq!(two.keys().collect::<Vec<_>>(), ["d", "b", "c", "a"]);
    assert!(two.entry("b").unwrap().key.merged && !two.entry("d").unwrap().key.merged);
}

#[test]
fn documents_are_separate() {
    let documents = parse("", "a: 1\n---\n---\n# only this\n---\n- 2\n...\n", &Options::DOCUMENT).unwrap();
    let values: Vec<_> = documents.iter().map(|d| d.root.to_json(NumberStyle::Typed)).collect();
    assert_eq!(values, [json!({"a": 1}), json!(null), json!(null), json!([2])]);
    assert!(parse("", "", &Options::DOCUMENT).unwrap().is_empty());
    assert!(parse("", "# nothing\n", &Options::DOCUMENT).unwrap().is_empty());
    assert_eq!(read("\u{feff}a: 1\r\nb: |\r\n  x\r\n  y\r\n"), json!({"a": 1, "b": "x\ny\n"}));
    assert!(parse("", "&a 1\n---\n*a\n", &Options::DOCUMENT).is_err(), "an anchor lives in its document");
}

#[test]
fn one_document_means_one() {
    let refused = |text| parse_one("t", text, &Options::DOCUMENT).unwrap_err().to_string();
    assert_eq!(refused("# no\n"), "t:1:1: error YAML0011: the text is empty");
    assert_eq!(
        refused("a: 1\n---\nb: 2\n"),
        "t:3:1: error YAML0011: one document is expected here; the text holds 2, separated by `---`"
    );
}

#[test]
fn refusals_say_where_why_and_what_to_do() {
    let table = [
        ("a: 1\nb: 2\na: 3\n", "YAML0006", "3:1"),
        ("a: {x: 1, y: 2, x: 3}\n", "YAML0006", "1:17"),
        ("a:\n\tb: 1\n", "YAML0001", "2:2"),
        ("a: 'x\n", "YAML0001", "2:1"),
        ("a: [1, 2\n", "YAML0001", "1:4"),
        ("a: b: c\n", "YAML0001", "1:5"),
        ("a: @x\n", "YAML0001", "1:4"),
        ("a: \"\\q\"\n", "YAML0001", "1:4"),
        ("a: *none\n", "YAML0008", "1:4"),
        ("a: &a [*a]\n", "YAML0008", "1:8"),
        ("? [a]\n: 1\n", "YAML0007", "1:3"),
        ("{a: 1}: 2\n", "YAML0007", "1:1"),
        ("~: 2\n", "YAML0007", "1:1"),
        ("a: {<<: 1}\n", "YAML0009", "1:5"),
        ("a: !!int abc\n", "YAML0010", "1:10"),
        ("a: !!binary '*'\n", "YAML0010", "1:13"),
        ("a: \u{1}\n", "YAML0001", "1:4"),
    ];
    let differs = table.iter().filter_map(|(text, code, place)| {
        let found = refused(text).to_string();
        let expected = format!("t.yaml:{place}: error {code}: ");
        (!found.starts_with(&expected)).then(|| format!("{text:?} expected {expected} found {found}"))
    });
    assert_eq!(differs.collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!(
        refused("a: 1\nb:\n  c: 1\n  c: 2\na: 3\nd: *x\n").to_string(),
        "t.yaml:4:3: error YAML0006: the key \"c\" stands twice in this mapping, first at t.yaml:3:3 (remove or rename one of the two)\n\
         t.yaml:5:1: error YAML0006: the key \"a\" stands twice in this mapping, first at t.yaml:1:1 (remove or rename one of the two)\n\
         t.yaml:6:4: error YAML0008: no anchor `&x` stands before this alias"
    );
}

#[test]
fn a_broken_document_does_not_hide_the_next() {
    let found = refused("a: 'x\n---\nb: 1\nb: 2\n---\nc: [\n---\nd: 1\n");
    let codes: Vec<_> = found.iter().map(|d| (&*d.code, d.place.as_ref().unwrap().line)).collect();
    assert_eq!(codes, [("YAML0001", 2), ("YAML0006", 4), ("YAML0001", 6)]);
}

#[test]
fn placeholders_are_named_instead_of_their_nonsense() {
    let text = "service: {{SERVICE_NAME}}\nteams:\n  - {{TEAM}}\n  - '{{ TEAM }}'\nname: {{SERVICE_NAME}}-cd\n";
    assert_eq!(
        refused(text).to_string(),
        "t.yaml:1:10: error SEED-01: the placeholder {{SERVICE_NAME}} was not replaced (use --set SERVICE_NAME=value)\n\
         t.yaml:3:5: error SEED-01: the placeholder {{TEAM}} was not replaced (use --set TEAM=value)"
    );
    assert_eq!(placeholders("", "a: '{{ONE}}'\nb: '{{ .Values.x }}' # {{two}}\n").len(), 1);
    // Within quotes the text is YAML; whether it may be stored is for others to say.
    assert_eq!(read("a: '{{ONE}}'\n"), json!({"a": "{{ONE}}"}));
}

#[test]
fn limits_hold() {
    let code = |text: &str| refused(text).iter().next().unwrap().code.to_string();
    assert_eq!(code(&format!("a: '{}'\n", "x".repeat(10 << 20))), "YAML0003");
    assert_eq!(code(&"[".repeat(10_000)), "YAML0004");
    assert_eq!(code(&"- ".repeat(10_000)), "YAML0004");
    assert_eq!(code(&(0..1000).map(|i| format!("{}a:\n", " ".repeat(i))).collect::<String>()), "YAML0004");
    assert_eq!(code(&"{a: ".repeat(10_000)), "YAML0004");
    assert!(parse("", &format!("{}1{}", "[".repeat(100), "]".repeat(100)), &Options::DOCUMENT).is_ok());
    assert_eq!(code(&format!("{}1{}", "[".repeat(101), "]".repeat(101))), "YAML0004");
    assert_eq!(code(&"- a\n".repeat(500_000)), "YAML0005");

    let mut bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for i in 1..30 {
        bomb.push_str(&format!("a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 9].join(", ")));
    }
    assert_eq!(code(&bomb), "YAML0005");

    let mut tower = "a0: &a0 [1]\n".to_owned();
    for i in 1..2000 {
        tower.push_str(&format!("a{i}: &a{i} [*a{}]\n", i - 1));
    }
    assert_eq!(code(&tower), "YAML0004", "aliases must not build what the text may not");

    let mut merges = "m0: &m0 {k0: 1}\n".to_owned();
    for i in 1..40 {
        merges.push_str(&format!("m{i}: &m{i}\n  k{i}: [*m{0}, *m{0}]\n  <<: *m{0}\n", i - 1));
    }
    assert_eq!(code(&merges), "YAML0005");

    // Anchors within anchors: what each names is kept once.
    let nested = format!("{}{}{}", "&a [".repeat(90), "1, ".repeat(200_000), "]".repeat(90));
    assert!(parse("", &nested, &Options::DOCUMENT).is_ok());

    let small = Options { limits: Limits { expanded: 100, ..Limits::DOCUMENT }, ..Options::DOCUMENT };
    let text = format!("a: &a '{}'\nb: [*a, *a]\n", "x".repeat(40));
    assert_eq!(&*parse("", &text, &small).unwrap_err().iter().next().unwrap().code, "YAML0005");
}

#[test]
fn bytes_that_are_no_text() {
    let found = decode("t.yaml", b"a: 1\nb: \xc3\xa4\xff\n").unwrap_err();
    assert_eq!(found.to_string(), "t.yaml:2:5: error YAML0002: the text is not UTF-8 (save the file as UTF-8)");
    assert_eq!(decode("", "ä".as_bytes()).unwrap(), "ä");
}

#[test]
fn the_template_of_the_seed_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/cases/seed-004");
    let Ok(template) = std::fs::read_to_string(format!("{folder}/pipeline-template.yaml")) else {
        println!("skipped: the cases of the seed are not beside the checkout");
        return;
    };
    let found = parse("pipeline-template.yaml", &template, &Options::DOCUMENT).unwrap_err();
    assert!(found.iter().all(|d| d.code == "SEED-01"), "{found}");
    let mut text = template;
    for problem in &found {
        let name = problem.message.split(['{', '}']).nth(2).unwrap();
        text = text.replace(&format!("{{{{{name}}}}}"), "payment-service");
    }
    let pipeline = parse_one("pipeline-template.yaml", &text, &Options::DOCUMENT).unwrap();
    assert!(pipeline.root.find("pipeline.stages[0].stage.identifier").is_some());
}
