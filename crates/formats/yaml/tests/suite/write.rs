//! The writer's bytes (rendering §0.3, corrections d and e).

use serde_json::{Value, json};
use windlass_yaml::{NumberStyle, Options, parse, to_yaml, to_yaml_documents};

#[test]
fn prints_what_the_reference_prints() {
    let mut cases: Vec<(&str, String)> = Vec::new();
    for line in include_str!("../data/writer.txt").lines().skip(2) {
        match (line.strip_prefix('|'), cases.last_mut()) {
            (Some(printed), Some((_, expected))) => {
                expected.push_str(printed.strip_prefix(' ').unwrap_or(printed));
                expected.push('\n');
            }
            _ => cases.push((line, String::new())),
        }
    }
    assert!(cases.len() > 180, "{}", cases.len());
    for (input, expected) in cases {
        let value: Value = serde_json::from_str(input).unwrap();
        assert_eq!(to_yaml(&value), expected, "{input}");
    }
}

/// Where the reference's output cannot be read back, ours can.
#[test]
fn differs_from_the_reference_where_that_loses_data() {
    let table = [
        (json!("\u{85}"), "\"\\N\"\n"),
        (json!("a\u{2028}b"), "\"a\\Lb\"\n"),
        (json!("\u{7f}"), "\"\\x7F\"\n"),
        (json!({"<<": 1}), "\"<<\": 1\n"),
    ];
    for (value, expected) in table {
        assert_eq!(to_yaml(&value), expected);
    }
}

#[test]
fn documents_are_joined() {
    assert_eq!(to_yaml_documents([&json!({"a": 1}), &json!([]), &json!("x")]), "a: 1\n---\n[]\n---\nx\n");
    assert_eq!(to_yaml_documents([]), "");
}

/// The order of keys is not transitive: `1a` < `2` < `10` < `1a`. Any order will do, but always the same and no panic.
#[test]
fn contradictory_keys_are_sorted_all_the_same() {
    let keys: Vec<String> = (0..300).map(|i| format!("{}{}", i % 30, ["", "a", "0", "b1"][i % 4])).collect();
    let forwards: Value = keys.iter().map(|k| (k.clone(), json!(1))).collect::<serde_json::Map<_, _>>().into();
    let backwards: Value = keys.iter().rev().map(|k| (k.clone(), json!(1))).collect::<serde_json::Map<_, _>>().into();
    assert_eq!(to_yaml(&forwards), to_yaml(&backwards));
}

/// What the reference printed is printed again, byte for byte.
#[test]
fn output_of_the_reference_is_a_fixed_point() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/cases/kustomize");
    let Ok(cases) = std::fs::read_dir(folder) else {
        println!("skipped: the cases of kustomize are not beside the checkout");
        return;
    };
    let (mut count, mut differ) = (0, Vec::new());
    for case in cases.flatten() {
        let Ok(text) = std::fs::read_to_string(case.path().join("expected.yaml")) else { continue };
        let documents = parse("expected.yaml", &text, &Options::OBJECTS).unwrap_or_else(|e| panic!("{case:?}: {e}"));
        let values: Vec<Value> = documents.iter().map(|d| d.root.to_json(NumberStyle::Typed)).collect();
        // Some cases were cut out of source code, with a line break in front.
        let printed = to_yaml_documents(&values);
        if printed.trim() == text.trim() {
            count += 1;
        } else {
            differ.push(format!("{case:?}\n{printed}\n{text}"));
        }
    }
    assert!(count > 100 && differ.is_empty(), "{count} {}", differ.join("\n"));
}
