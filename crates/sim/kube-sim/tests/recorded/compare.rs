//! Differences between two values, with their places.

use serde_json::Value;

pub(crate) fn differences(expected: &Value, got: &Value, path: &str) -> Vec<String> {
    match (expected, got) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k))).collect();
            keys.sort();
            keys.into_iter()
                .flat_map(|key| {
                    let here = format!("{path}/{key}");
                    match (a.get(key), b.get(key)) {
                        (Some(x), Some(y)) => differences(x, y, &here),
                        (Some(x), None) => vec![format!("{here}: expected {}, missing", short(x))],
                        (_, Some(y)) => vec![format!("{here}: not expected, got {}", short(y))],
                        (None, None) => Vec::new(),
                    }
                })
                .collect()
        }
        (Value::Array(a), Value::Array(b)) if a.len() != b.len() => {
            let only = |a: &[Value], b: &[Value]| {
                a.iter().filter(|v| !b.contains(v)).map(short).collect::<Vec<_>>().join("; ")
            };
            let (missing, extra) = (only(a, b), only(b, a));
            vec![format!(
                "{path}: expected {} items, got {}: missing [{missing}], not expected [{extra}]",
                a.len(),
                b.len()
            )]
        }
        (Value::Array(a), Value::Array(b)) => {
            a.iter().zip(b).enumerate().flat_map(|(i, (x, y))| differences(x, y, &format!("{path}/{i}"))).collect()
        }
        _ if expected == got => Vec::new(),
        _ => vec![format!("{path}: expected {}, got {}", short(expected), short(got))],
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= 2_000 { text } else { text.chars().take(2_000).chain("…".chars()).collect() }
}
