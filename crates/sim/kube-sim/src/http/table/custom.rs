//! Custom kinds as rows: the columns of their definitions.

use super::text::age;
use super::{columns, jsonpath, own_age};
use crate::custom::Version;
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn columns(version: &Version) -> Vec<Value> {
    let mut out = vec![columns::name()];
    if version.columns.is_empty() {
        let made = columns::default().pop().unwrap_or_default();
        out.push(columns::custom("Age", "date", "", made.text("/description"), 0));
    }
    for wanted in &version.columns {
        let priority = wanted.int("/priority").unwrap_or(0);
        let [name, kind, format, about] = ["/name", "/type", "/format", "/description"].map(|p| wanted.text(p));
        // Columns without a description are described by where they come from.
        let path = format!("Custom resource definition column (in JSONPath format): {}", wanted.text("/jsonPath"));
        let about = if about.is_empty() { path.as_str() } else { about };
        out.push(columns::custom(name, kind, format, about, priority));
    }
    out
}

pub(super) fn cells(version: &Version, object: &Value, now: Timestamp) -> Vec<Value> {
    let mut out = vec![object.name().into()];
    if version.columns.is_empty() {
        out.push(own_age(object, now));
    }
    out.extend(version.columns.iter().map(|wanted| cell(wanted, object, now)));
    out
}

/// The first value at the column's path; nothing when it is not of the column's type.
fn cell(wanted: &Value, object: &Value, now: Timestamp) -> Value {
    let found = jsonpath::find(object, wanted.text("/jsonPath"));
    let Some(first) = found.first() else { return Value::Null };
    let number = first.as_f64();
    match wanted.text("/type") {
        "string" => go_text(first).into(),
        "integer" => match (first.as_i64(), number) {
            (Some(whole), _) => whole.into(),
            #[expect(clippy::cast_possible_truncation, reason = "the real server cuts as well")]
            (None, Some(number)) => (number as i64).into(),
            (None, None) => Value::Null,
        },
        "number" if number.is_some() => (*first).clone(),
        "boolean" if first.is_boolean() => (*first).clone(),
        "date" => match first.as_str() {
            Some(moment) if Timestamp::parse(moment).is_none() => "<invalid>".into(),
            Some(moment) => age(moment, now).into(),
            None => Value::Null,
        },
        _ => Value::Null,
    }
}

/// A value as Go prints it.
fn go_text(value: &Value) -> String {
    match value {
        Value::Null => "<no value>".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_text).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let mut entries: Vec<String> = map.iter().map(|(k, v)| format!("{k}:{}", go_text(v))).collect();
            entries.sort();
            format!("map[{}]", entries.join(" "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells_are_of_their_columns_type() {
        let object = json!({"spec": {"a": ["x", 1], "n": 2.5, "b": true, "m": {"k": "v", "a": [null]}}});
        let shown =
            |kind: &str, path: &str| cell(&json!({"type": kind, "jsonPath": path}), &object, Timestamp::from_secs(0));
        assert_eq!(shown("string", ".spec.a"), "[x 1]");
        assert_eq!(shown("string", ".spec.m"), "map[a:[<no value>] k:v]");
        assert_eq!(shown("string", ".spec.a[*]"), "x");
        assert_eq!(shown("integer", ".spec.n"), 2);
        assert_eq!(shown("number", ".spec.n"), 2.5);
        assert_eq!(shown("integer", ".spec.b"), Value::Null);
        assert_eq!(shown("date", ".spec.a[0]"), "<invalid>");
        assert_eq!(shown("string", ".spec.absent"), Value::Null);
    }
}
