//! Custom objects against their schema.

use super::field::Problems;
use crate::apply::compare::same;
use crate::apply::fieldset::sorted_text;
use fancy_regex::Regex;
use serde_json::Value;

pub(super) fn check(schema: &Value, object: &Value, problems: &mut Problems) {
    walk(schema, object, "", true, problems);
    let mut lists = Problems::default();
    unique(schema, object, "", &mut lists);
    problems.append(lists);
}

fn number(schema: &Value, key: &str) -> Option<f64> {
    schema.get(key).and_then(Value::as_f64)
}

fn count(schema: &Value, key: &str) -> Option<usize> {
    schema.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok())
}

fn flag(schema: &Value, key: &str) -> bool {
    schema.get(key) == Some(&Value::Bool(true))
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A number as Go prints a float: without a fraction when it has none.
fn plain(n: f64) -> String {
    if n.fract() == 0.0 && n.abs() < 1e15 { format!("{n:.0}") } else { n.to_string() }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_i64() || n.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn has_type(schema: &Value, value: &Value) -> bool {
    if flag(schema, "x-kubernetes-int-or-string") {
        return matches!(type_of(value), "integer" | "string");
    }
    match (schema.get("type").and_then(Value::as_str), type_of(value)) {
        (None, _) => true,
        (Some(_), "null") => flag(schema, "nullable"),
        (Some("number"), "integer") => true,
        (Some(wanted), found) => wanted == found,
    }
}

/// Whether the value is one of those that the schema lists.
fn among(schema: &Value, value: &Value, here: &str, problems: &mut Problems) {
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.iter().any(|a| same(a, value))
    {
        let shown: Vec<String> =
            allowed.iter().map(|a| a.as_str().map_or_else(|| a.to_string(), str::to_owned)).collect();
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        problems.unsupported(here, value, &shown);
    }
}

fn walk(schema: &Value, value: &Value, path: &str, root: bool, problems: &mut Problems) {
    let here = if path.is_empty() { "<nil>" } else { path };
    if !has_type(schema, value) {
        let wanted = match schema.get("type").and_then(Value::as_str) {
            Some(wanted) if !flag(schema, "x-kubernetes-int-or-string") => wanted,
            _ => "integer,string",
        };
        let found = type_of(value);
        let why = format!("{here} in body must be of type {wanted}: {found:?}");
        problems.wrong_type(here, &Value::from(found), &why);
        if value.is_null() {
            among(schema, value, here, problems);
        }
        return;
    }
    let mut say = |why: String| problems.invalid(here, value, &format!("{here} in body {why}"));
    match value {
        Value::Number(n) => {
            let n = n.as_f64().unwrap_or(0.0);
            if let Some(max) = number(schema, "maximum") {
                match flag(schema, "exclusiveMaximum") {
                    true if n >= max => say(format!("should be less than {}", plain(max))),
                    false if n > max => say(format!("should be less than or equal to {}", plain(max))),
                    _ => {}
                }
            }
            if let Some(min) = number(schema, "minimum") {
                match flag(schema, "exclusiveMinimum") {
                    true if n <= min => say(format!("should be greater than {}", plain(min))),
                    false if n < min => say(format!("should be greater than or equal to {}", plain(min))),
                    _ => {}
                }
            }
            if let Some(factor) = number(schema, "multipleOf").filter(|f| *f > 0.0)
                && (n / factor).fract() != 0.0
            {
                say(format!("should be a multiple of {}", plain(factor)));
            }
        }
        Value::String(text) => string(schema, text, here, problems),
        _ => {}
    }
    among(schema, value, here, problems);
    match value {
        Value::Array(items) => array(schema, items, path, here, problems),
        Value::Object(_) => object(schema, value, path, here, root, problems),
        _ => {}
    }
    combined(schema, value, here, problems);
}

fn string(schema: &Value, text: &str, here: &str, problems: &mut Problems) {
    let length = text.chars().count();
    if let Some(max) = count(schema, "maxLength").filter(|max| length > *max) {
        problems.too_long(here, max);
    }
    let mut say = |why: String| problems.invalid(here, &text.into(), &format!("{here} in body {why}"));
    if let Some(min) = count(schema, "minLength").filter(|min| length < *min) {
        say(format!("should be at least {min} chars long"));
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        let fits = Regex::new(pattern).is_ok_and(|r| r.is_match(text).unwrap_or(false));
        if !fits {
            say(format!("should match '{pattern}'"));
        }
    }
    if let Some(format) = schema.get("format").and_then(Value::as_str)
        && !is_format(format, text)
    {
        say(format!("must be of type {format}: {text:?}"));
    }
}

/// Formats that are checked; others are taken as they come.
fn is_format(format: &str, text: &str) -> bool {
    match format {
        "date-time" => windlass_model::Timestamp::parse(text).is_some(),
        "ipv4" => text.parse::<std::net::Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<std::net::Ipv6Addr>().is_ok(),
        "uuid" => {
            let bare: String = text.chars().filter(|c| *c != '-').collect();
            bare.len() == 32 && bare.chars().all(|c| c.is_ascii_hexdigit())
        }
        _ => true,
    }
}

fn array(schema: &Value, items: &[Value], path: &str, here: &str, problems: &mut Problems) {
    if let Some(max) = count(schema, "maxItems").filter(|max| items.len() > *max) {
        problems.too_many(here, items.len(), max);
    }
    if let Some(min) = count(schema, "minItems").filter(|min| items.len() < *min) {
        let why = format!("{here} in body should have at least {min} items");
        problems.invalid(here, &items.len().into(), &why);
    }
    if flag(schema, "uniqueItems") && items.iter().enumerate().any(|(i, a)| items[..i].iter().any(|b| same(a, b))) {
        problems.invalid(here, &"".into(), &format!("{here} in body shouldn't contain duplicates"));
    }
    if let Some(schema) = schema.get("items") {
        for (i, item) in items.iter().enumerate() {
            walk(schema, item, &format!("{path}[{i}]"), false, problems);
        }
    }
}

fn object(schema: &Value, value: &Value, path: &str, here: &str, root: bool, problems: &mut Problems) {
    let Value::Object(map) = value else { return };
    let said = |key: &&str| map.get(*key).is_some();
    if let Some(max) = count(schema, "maxProperties").filter(|max| map.len() > *max) {
        problems.too_many(here, map.len(), max);
    }
    if let Some(min) = count(schema, "minProperties").filter(|min| map.len() < *min) {
        problems.invalid(here, value, &format!("{here} in body should have at least {min} properties"));
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for key in required.filter(|k| !said(k)) {
        problems.required(join(path, key), "");
    }
    let properties = schema.get("properties");
    let mut keys: Vec<&String> = map.keys().collect();
    keys.sort();
    for key in keys {
        let own = root && matches!(key.as_str(), "metadata" | "apiVersion" | "kind");
        let inner = properties.and_then(|p| p.get(key)).or_else(|| {
            schema
                .get("additionalProperties")
                .filter(|s| s.is_object() && properties.and_then(|p| p.get(key)).is_none())
        });
        if let (Some(inner), Some(value), false) = (inner, map.get(key), own) {
            walk(inner, value, &join(path, key), false, problems);
        }
    }
}

/// `allOf`, `anyOf`, `oneOf` and `not`.
fn combined(schema: &Value, value: &Value, here: &str, problems: &mut Problems) {
    let list = |key: &str| schema.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let fits = |schema: &Value| {
        let mut inner = Problems::default();
        walk(schema, value, if here == "<nil>" { "" } else { here }, false, &mut inner);
        inner.is_empty()
    };
    for schema in list("allOf") {
        walk(schema, value, if here == "<nil>" { "" } else { here }, false, problems);
    }
    let mut say = |why: &str| problems.invalid(here, &"".into(), &format!("{here:?} {why}").replace('"', "\""));
    if !list("anyOf").is_empty() && !list("anyOf").iter().any(fits) {
        say("must validate at least one schema (anyOf)");
    }
    if !list("oneOf").is_empty() {
        match list("oneOf").iter().filter(|s| fits(s)).count() {
            1 => {}
            0 => say("must validate one and only one schema (oneOf). Found none valid"),
            n => say(&format!("must validate one and only one schema (oneOf). Found {n} valid alternatives")),
        }
    }
    if schema.get("not").is_some_and(fits) {
        say("must not validate the schema (not)");
    }
}

/// Items of sets and keyed lists may not appear twice.
fn unique(schema: &Value, value: &Value, path: &str, problems: &mut Problems) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            for key in keys {
                let inner = schema.get("properties").and_then(|p| p.get(key));
                let inner = inner.or_else(|| schema.get("additionalProperties").filter(|s| s.is_object()));
                if let (Some(inner), Some(value)) = (inner, map.get(key)) {
                    unique(inner, value, &join(path, key), problems);
                }
            }
        }
        Value::Array(items) => {
            let keys: Option<Vec<&str>> = match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
                Some("set") => Some(Vec::new()),
                Some("map") => schema
                    .get("x-kubernetes-list-map-keys")
                    .and_then(Value::as_array)
                    .map(|keys| keys.iter().filter_map(Value::as_str).collect()),
                _ => None,
            };
            let mut seen: Vec<String> = Vec::new();
            for (i, item) in items.iter().enumerate() {
                let here = format!("{path}[{i}]");
                if let Some(keys) = &keys {
                    let shown = if keys.is_empty() {
                        item.clone()
                    } else {
                        let of = |k: &&str| item.get(*k).map(|v| ((*k).to_owned(), v.clone()));
                        Value::Object(keys.iter().filter_map(of).collect())
                    };
                    let text = sorted_text(&shown);
                    if seen.contains(&text) {
                        problems.duplicate(&here, &shown);
                    }
                    seen.push(text);
                }
                if let Some(schema) = schema.get("items") {
                    unique(schema, item, &here, problems);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(schema: &Value, spec: Value) -> Vec<String> {
        let schema = json!({"type": "object", "properties": {"spec": schema}});
        let mut problems = Problems::default();
        check(&schema, &json!({"kind": "W", "spec": spec}), &mut problems);
        problems.causes().into_iter().map(|c| format!("{}: {}", c.field, c.message)).collect()
    }

    #[test]
    fn problems_read_as_the_server_says_them() {
        for (schema, value, problem) in [
            (
                json!({"type": "integer", "maximum": 10}),
                json!(30),
                "spec: Invalid value: 30: spec in body should be less than or equal to 10",
            ),
            (
                json!({"type": "integer"}),
                json!("x"),
                "spec: Invalid value: \"string\": spec in body must be of type integer: \"string\"",
            ),
            (
                json!({"type": "string", "enum": ["b", "a"]}),
                json!("z"),
                "spec: Unsupported value: \"z\": supported values: \"b\", \"a\"",
            ),
            (
                json!({"type": "string", "pattern": "^a$"}),
                json!("b"),
                "spec: Invalid value: \"b\": spec in body should match '^a$'",
            ),
            (json!({"type": "object", "required": ["x"]}), json!({}), "spec.x: Required value"),
            (json!({"type": "array", "maxItems": 1}), json!([1, 2]), "spec: Too many: 2: must have at most 1 items"),
            (
                json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "items": {"type": "object"}}),
                json!([{"k": "a"}, {"k": "a", "v": 1}]),
                "spec[1]: Duplicate value: {\"k\":\"a\"}",
            ),
        ] {
            assert_eq!(told(&schema, value), [problem]);
        }
        assert!(told(&json!({"type": "string", "nullable": true}), json!(null)).is_empty());
        assert!(told(&json!({"x-kubernetes-int-or-string": true}), json!("5%")).is_empty());
    }
}
