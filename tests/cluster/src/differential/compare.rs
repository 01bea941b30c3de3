use serde_json::Value;

/// Where two values differ: each place with what is wanted and what is there.
pub fn differences(wanted: &Value, got: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    walk(wanted, got, "", &mut found);
    found
}

fn walk(wanted: &Value, got: &Value, place: &str, found: &mut Vec<(String, String)>) {
    match (wanted, got) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))).collect();
            keys.sort();
            for key in keys {
                let place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                match (a.get(key), b.get(key)) {
                    (Some(x), Some(y)) => walk(x, y, &place, found),
                    (Some(x), None) => found.push((place, format!("wanted {}, missing", short(x)))),
                    (None, Some(y)) => found.push((place, format!("not wanted: {}", short(y)))),
                    (None, None) => {}
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (x, y)) in a.iter().zip(b).enumerate() {
                walk(x, y, &format!("{place}/{i}"), found);
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            let only = |a: &[Value], b: &[Value]| {
                a.iter().filter(|v| !b.contains(v)).map(short).collect::<Vec<_>>().join("; ")
            };
            let told = format!(
                "wanted {} items, {} there: missing [{}], not wanted [{}]",
                a.len(),
                b.len(),
                only(a, b),
                only(b, a)
            );
            found.push((place.to_owned(), told));
        }
        _ if wanted == got => {}
        _ => found.push((place.to_owned(), format!("wanted {}, got {}", short(wanted), short(got)))),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(600) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
