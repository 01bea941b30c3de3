//! Objects as the real server holds them inside, with Go's names: some of its messages show them so.

use crate::object::Object;
use flate2::read::GzDecoder;
use serde_json::Value;
use similar::TextDiff;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read;
use std::sync::LazyLock;

static TABLE: &[u8] = include_bytes!("../data/internal.json.gz");

/// The fields of metadata in the order of Go.
const METADATA: &[&str] =
    &["name", "generateName", "namespace", "uid", "labels", "annotations", "ownerReferences", "finalizers"];

/// Go name, name in the API, type.
type Field = [String; 3];

static TYPES: LazyLock<HashMap<String, Vec<Field>>> = LazyLock::new(|| {
    let mut text = Vec::new();
    // The table is part of the program: what does not unpack fails the tests, not a request.
    let _ = GzDecoder::new(TABLE).read_to_end(&mut text);
    serde_json::from_slice(&text).unwrap_or_default()
});

/// What differs between two pod specs, as the server shows it.
pub(crate) fn difference(old: &Value, new: &Value) -> String {
    difference_of("PodSpec", &host_fields(old), &host_fields(new))
}

/// What differs between two values of an internal type, as a unified diff.
pub(crate) fn difference_of(kind: &str, old: &Value, new: &Value) -> String {
    let (old, new) = (pretty(kind, old), pretty(kind, new));
    let diff = TextDiff::from_lines(&old, &new);
    diff.unified_diff().context_radius(3).to_string().trim_end_matches("\\ No newline at end of file\n").to_owned()
}

/// A value in one line, as messages show it.
pub(crate) fn show(kind: &str, value: &Value) -> String {
    let mut out = String::new();
    write(&format!("@{kind}"), Some(value), None, &mut out);
    out
}

fn pretty(kind: &str, value: &Value) -> String {
    let mut out = String::new();
    write(&format!("@{kind}"), Some(value), Some(0), &mut out);
    out
}

/// Inside, the namespaces of the host are part of the security context.
fn host_fields(spec: &Value) -> Value {
    let mut out = spec.clone();
    for field in ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"] {
        if let Some(value) = spec.get(field) {
            out.set(&format!("/securityContext/{field}"), value.clone());
        }
    }
    out
}

/// Go's JSON of a value: every field is there. `depth` is the indentation; nothing for one line.
fn write(kind: &str, value: Option<&Value>, depth: Option<usize>, out: &mut String) {
    let value = value.filter(|v| !v.is_null());
    let inner = depth.map(|d| d + 1);
    if let Some(target) = kind.strip_prefix('?') {
        return match value {
            Some(value) => write(target, Some(value), depth, out),
            None => out.push_str("null"),
        };
    }
    if let Some(item) = kind.strip_prefix("[]") {
        let items = value.and_then(Value::as_array).filter(|a| !a.is_empty());
        let Some(items) = items else { return out.push_str("null") };
        return block('[', ']', depth, items, out, |v, out| write(item, Some(v), inner, out));
    }
    if let Some(of) = kind.strip_prefix("{}") {
        let entries = value.and_then(Value::as_object).filter(|m| !m.is_empty());
        let Some(map) = entries else { return out.push_str("null") };
        let mut entries: Vec<_> = map.iter().collect();
        entries.sort_by_key(|(k, _)| k.as_str());
        return block('{', '}', depth, &entries, out, |(key, value), out| {
            name(key, depth, out);
            write(of, Some(value), inner, out);
        });
    }
    if let Some(fields) = kind.strip_prefix('@').and_then(|name| TYPES.get(name)) {
        // Metadata has names for JSON even inside, and stands among the fields of its owner.
        let (metadata, own): (Vec<&Field>, Vec<&Field>) = fields.iter().partition(|[go, ..]| go.is_empty());
        let metadata = metadata.first().and_then(|[_, api, _]| value?.get(api));
        let said = |key: &&&str| metadata.and_then(|m| m.get(**key)).is_some_and(|v| !v.is_null());
        let mut entries: Vec<(&str, &str, &str)> = METADATA.iter().filter(said).map(|key| (*key, *key, "=")).collect();
        let above = entries.len();
        entries.extend(own.iter().map(|[go, api, kind]| (go.as_str(), api.as_str(), kind.as_str())));
        let entries: Vec<(usize, (&str, &str, &str))> = entries.into_iter().enumerate().collect();
        return block('{', '}', depth, &entries, out, |(i, (go, api, kind)), out| {
            name(go, depth, out);
            let api = if api.is_empty() { lower(go) } else { (*api).to_owned() };
            let holder = if *i < above { metadata } else { value };
            write(kind, holder.and_then(|v| v.get(&api)), inner, out);
        });
    }
    match (kind, value) {
        (_, Some(value)) => plain(value, depth, out),
        ("string" | "=Quantity", None) => out.push_str("\"\""),
        ("bool", None) => out.push_str("false"),
        (kind, None) if kind.starts_with("int") || kind.starts_with("uint") || kind == "=IntOrString" => out.push('0'),
        _ => out.push_str("null"),
    }
}

/// The name that a field without one has in the API.
fn lower(go: &str) -> String {
    let capitals = go.chars().take_while(char::is_ascii_uppercase).count();
    let keep = if capitals > 1 && capitals < go.len() { capitals - 1 } else { 1 };
    let (head, tail) = go.split_at(keep);
    format!("{}{tail}", head.to_lowercase())
}

fn name(name: &str, depth: Option<usize>, out: &mut String) {
    let gap = if depth.is_some() { " " } else { "" };
    // Writing to a string cannot fail.
    let _ = write!(out, "{}:{gap}", Value::from(name));
}

fn line(depth: Option<usize>, out: &mut String) {
    if let Some(depth) = depth {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth));
    }
}

fn block<T>(
    open: char,
    close: char,
    depth: Option<usize>,
    items: &[T],
    out: &mut String,
    mut each: impl FnMut(&T, &mut String),
) {
    out.push(open);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        line(depth.map(|d| d + 1), out);
        each(item, out);
    }
    line(depth, out);
    out.push(close);
}

/// A value that prints as it is.
fn plain(value: &Value, depth: Option<usize>, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            let entries: Vec<_> = map.iter().collect();
            block('{', '}', depth, &entries, out, |(key, value), out| {
                name(key, depth, out);
                plain(value, depth.map(|d| d + 1), out);
            });
        }
        Value::Array(items) if !items.is_empty() => {
            block('[', ']', depth, items, out, |v, out| plain(v, depth.map(|d| d + 1), out));
        }
        other => {
            // Go escapes what could end a script.
            out.push_str(&other.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_change_of_a_pod_is_shown_with_its_surroundings() {
        let spec = |node: &str| json!({"containers": [{"name": "c", "image": "nginx:1"}], "nodeName": node, "hostNetwork": true});
        let diff = difference(&spec("none-such"), &spec("other"));
        assert!(diff.contains("- \"NodeName\": \"none-such\",\n+ \"NodeName\": \"other\",\n"), "{diff}");
        assert!(diff.contains("\"SecurityContext\": {\n   \"HostNetwork\": true,\n"), "{diff}");
        assert!(diff.starts_with("@@ -"), "{diff}");
    }

    #[test]
    fn values_show_every_field() {
        let strategy = json!({"type": "Odd"});
        assert_eq!(show("DeploymentStrategy", &strategy), r#"{"Type":"Odd","RollingUpdate":null}"#);
        let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {}});
        assert!(show("PodTemplateSpec", &template).starts_with(r#"{"labels":{"a":"b"},"Spec":{"Volumes":null,"#));
    }
}
