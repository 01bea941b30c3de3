//! What holds for every text and every value.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use windlass_yaml::{EditError, Editor, NumberStyle, Options, Path, Segment, parse, parse_one, to_yaml};

/// Texts that are hard to write and read: words of other types, indicators, blanks, breaks, odd characters.
fn text() -> impl Strategy<Value = String> {
    let words = vec![
        "yes",
        "n",
        "null",
        "~",
        "",
        "0x1F",
        "010",
        "1.10",
        "1e3",
        "2020-01-01",
        "1:30",
        ".inf",
        "<<",
        "- a",
        "a: b",
        "a #b",
        "#a",
        "a:",
        "? x",
        "'",
        "\"",
        "\\",
        "{{X}}",
        "[a",
        "a\nb",
        "a\n b",
        "a \nb",
        "\n",
        "\n\na",
        "a\n\n",
        "\ta",
        "a ",
        " a",
        "\r\n",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "😀",
        "---",
        "...",
        "%a",
        "@a",
        "`",
        "|",
        ">",
        "&a",
        "*a",
        "!a",
        "é",
    ];
    prop_oneof![
        3 => prop::sample::select(words).prop_map(str::to_owned),
        2 => "[a-z]{1,8}",
        1 => "[ -~]{0,30}",
        1 => "[a-c:#' \\n\\-]{0,120}",
        1 => "\\PC{0,12}",
        1 => any::<String>(),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has none", |f| f.is_finite()).prop_map(Value::from),
        (-1_000_000_i32..1_000_000).prop_map(|i| Value::from(f64::from(i) / 64.0)),
        text().prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..5).prop_map(|entries| Value::Object(Map::from_iter(entries))),
        ]
    })
}

/// Texts that look like YAML.
fn soup() -> impl Strategy<Value = String> {
    let bits = vec![
        "a",
        "b: ",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "  ",
        "\t",
        ": ",
        "#",
        " # c\n",
        "? ",
        "| ",
        "|-\n",
        ">\n",
        "|2+\n",
        "'",
        "\"",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "&x ",
        "*x",
        "*y",
        "!!str ",
        "!!int ",
        "!t ",
        "<<: ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "\\",
        "é",
        "1",
        "0x1F",
        "~",
        "\r\n",
        "\u{feff}",
        "\u{0}",
        "{{N}}",
        "@",
        "`",
        "\u{2028}",
    ];
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(bits), 0..60).prop_map(|bits| bits.concat()),
        1 => any::<String>(),
    ]
}

/// A number is itself, whichever type JSON has it in.
fn normal(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(map) => Value::Object(map.iter().map(|(k, v)| (k.clone(), normal(v))).collect()),
        // Exact digits are a law of their own: the same text again. Plus zero: -0 is written as 0.
        Value::Number(n) => json!((n.as_f64().unwrap_or(f64::NAN) + 0.0).to_bits()),
        other => other.clone(),
    }
}

fn paths(value: &Value, at: &Path, found: &mut Vec<Path>) {
    found.push(at.clone());
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(i, v)| paths(v, &at.clone().index(i), found)),
        Value::Object(map) => map.iter().for_each(|(k, v)| paths(v, &at.clone().key(k), found)),
        _ => {}
    }
}

type Edit<'e> = &'e dyn Fn(&mut Editor) -> Result<(), EditError>;

fn typed(editor: &Editor) -> Value {
    editor.documents()[0].root.to_json(NumberStyle::Typed)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsing_ends_and_never_panics(text in soup()) {
        for options in [Options::DOCUMENT, Options::OBJECTS, Options::CONTROL] {
            match parse("x", &text, &options) {
                Ok(documents) => for document in documents {
                    let root = &document.root;
                    root.walk(&mut |path, node| {
                        assert!(std::ptr::eq(root.at(path).unwrap(), node));
                        assert!(node.place.line >= 1 && node.place.column >= 1);
                        assert_eq!(Path::parse(&path.to_string()).as_ref(), Some(path));
                        true
                    });
                },
                Err(problems) => {
                    prop_assert!(problems.has_errors());
                    prop_assert!(problems.iter().all(|d| d.place.is_some()));
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_read(value in value()) {
        let text = to_yaml(&value);
        for options in [Options::DOCUMENT, Options::OBJECTS, Options::CONTROL] {
            let read = parse_one("x", &text, &options).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            let read = read.root.to_json(NumberStyle::Typed);
            prop_assert_eq!(normal(&read), normal(&value), "{}", text);
            prop_assert_eq!(to_yaml(&read), text.clone());
        }
    }

    #[test]
    fn an_edit_changes_what_it_names(before in value(), after in value(), pick in any::<prop::sample::Index>(), what in 0..3) {
        let mut editor = Editor::new("x", to_yaml(&before), &Options::OBJECTS).unwrap();
        let old = typed(&editor);
        let mut all = Vec::new();
        paths(&old, &Path::default(), &mut all);
        let path = pick.get(&all).clone();
        let before = editor.text().to_owned();
        let done = match what {
            0 => editor.set(0, &path, &after),
            1 => editor.remove(0, &path),
            _ => editor.insert(0, &path, &after),
        };
        let new = typed(&editor);
        match done {
            // Everything else is as it was: the editor promises it, this looks at it from outside.
            Ok(()) => {
                let at = editor.documents()[0].root.at(&path).map(|node| node.to_json(NumberStyle::Typed));
                if what != 1 {
                    prop_assert_eq!(at.as_ref().map(normal), Some(normal(&after)));
                }
                let (mut count_old, mut count_new) = (Vec::new(), Vec::new());
                paths(&old, &Path::default(), &mut count_old);
                paths(&new, &Path::default(), &mut count_new);
                for other in count_old.iter().filter(|p| !related(p, &path)) {
                    prop_assert!(count_new.contains(other), "{other} is gone after {path}");
                }
            }
            Err(_) => prop_assert_eq!(editor.text(), before),
        }
    }

    #[test]
    fn plain_documents_can_always_be_edited(
        fields in prop::collection::btree_map("[a-z]{1,6}", "[a-zA-Z0-9 ]{0,12}", 1..8),
        comments in prop::collection::vec(any::<bool>(), 8),
        pick in any::<prop::sample::Index>(),
        after in value(),
    ) {
        let mut text = String::from("# head\nroot:\n");
        for ((key, value), comment) in fields.iter().zip(&comments) {
            let value = to_yaml(&json!(value));
            text.push_str(&format!("  # about {key}\n  {key}: {}{}\n", value.trim_end(), if *comment { " # note" } else { "" }));
        }
        let keys: Vec<&String> = fields.keys().collect();
        let path = Path::default().key("root").key(pick.get::<&String>(&keys));
        let mut editor = Editor::new("x", text.clone(), &Options::OBJECTS).unwrap();
        editor.set(0, &path, &after).map_err(|e| TestCaseError::fail(format!("{e}\n{text}\n{after}")))?;
        let comments = |text: &str| text.matches("# about").count() + text.matches("# note").count();
        prop_assert!(comments(editor.text()) >= comments(&text), "{}", editor.text());
        editor.set(0, &Path::default().key("root").key("ADDED"), &after).unwrap();
        editor.remove(0, &path).unwrap();
        editor.insert(0, &Path::default().key("list").index(0), &after).unwrap_err();
    }

    #[test]
    fn odd_texts_are_edited_or_left_alone(text in soup(), pick in any::<prop::sample::Index>()) {
        let Ok(editor) = Editor::new("x", text.clone(), &Options::DOCUMENT) else { return Ok(()) };
        let Some(document) = editor.documents().first() else { return Ok(()) };
        let mut all = Vec::new();
        document.root.walk(&mut |path, _| {
            all.push(path.clone());
            true
        });
        let path = pick.get(&all);
        for value in [json!("x"), json!("x\ny\n"), json!({"k": [1, {"l": "m"}]})] {
            let edits: [Edit; 5] = [
                &|e| e.set(0, path, &value),
                &|e| e.set(0, &path.clone().key("new"), &value),
                &|e| e.insert(0, path, &value),
                &|e| e.insert(0, &path.clone().index(0), &value),
                &|e| e.remove(0, path),
            ];
            for edit in edits {
                let mut editor = editor.clone();
                if edit(&mut editor).is_err() {
                    prop_assert_eq!(editor.text(), &text);
                }
            }
        }
    }

    #[test]
    fn paths_are_read_as_they_are_written(segments in prop::collection::vec(prop_oneof![
        text().prop_map(|key| Segment::Key(key.into())),
        (0..1000_usize).prop_map(Segment::Index),
    ], 0..6)) {
        let path = Path(segments);
        prop_assert_eq!(Path::parse(&path.to_string()), Some(path));
    }
}

/// Whether a place may be another after an edit at `path`: above it, below it, or beside it in its list.
fn related(other: &Path, path: &Path) -> bool {
    let shared = other.0.iter().zip(&path.0).take_while(|(a, b)| a == b).count();
    let beside = |p: &Path| matches!(p.0.get(shared), Some(Segment::Index(_)) | None);
    shared == path.0.len() || (beside(other) && beside(path))
}

/// Real documents with a few bytes changed.
#[test]
fn mutated_documents_are_judged_in_bounded_time() {
    let originals = [include_str!("../data/pipeline.yaml"), include_str!("../data/objects.yaml")];
    let bits = [
        "\n", "  ", "\t", ": ", "- ", "'", "\"", "[", "}", "&a ", "*a", "|", "#", "\u{0}", "<<: *a\n", "---\n", "{{A}}",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below.max(1)).unwrap()).unwrap()
    };
    let (mut good, mut bad) = (0, 0);
    for round in 0..600 {
        let mut text: Vec<char> = originals[round % 2].chars().collect();
        for _ in 0..=random(4) {
            let at = random(text.len());
            match random(3) {
                0 => drop(text.drain(at..(at + random(5)).min(text.len()))),
                1 => drop(text.splice(at..at, bits[random(bits.len())].chars())),
                _ => text.truncate(text.len() - random(text.len() / 4)),
            }
        }
        let text: String = text.into_iter().collect();
        let options = if round % 2 == 0 { Options::DOCUMENT } else { Options::OBJECTS };
        match parse("m.yaml", &text, &options) {
            Ok(documents) => {
                good += 1;
                for document in documents {
                    let json = document.root.to_json(NumberStyle::Typed);
                    let again = parse_one("", &to_yaml(&json), &Options::OBJECTS).unwrap().root;
                    assert_eq!(normal(&again.to_json(NumberStyle::Typed)), normal(&json), "{text}");
                }
            }
            Err(problems) => {
                bad += 1;
                assert!(problems.iter().all(|d| d.place.as_ref().is_some_and(|p| p.line >= 1)), "{problems}");
            }
        }
    }
    assert!(good > 100 && bad > 100, "{good} {bad}");
}
