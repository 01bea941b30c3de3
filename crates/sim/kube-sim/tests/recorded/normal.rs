//! What differs from run to run is given a name before answers are compared.

use fancy_regex::Regex;
use serde_json::{Map, Value};

pub(crate) struct Normal {
    namespace: String,
    rules: Vec<(Regex, &'static str)>,
}

impl Normal {
    pub(crate) fn new(namespace: &str) -> Self {
        let rules = [
            (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
            (
                r"((?:[a-z0-9]+-)+)(?:[bcdf-hj-np-tv-z2456789]{8,10}-)([bcdf-hj-np-tv-z2456789]{5})\b",
                "${1}<hash>-<rand>",
            ),
            (r"\b(gen-)[bcdf-hj-np-tv-z2456789]{5}\b", "${1}<rand>"),
            (r"\b(rollout-|web-|api-)([bcdf-hj-np-tv-z2456789]{8,10})\b", "${1}<hash>"),
            (r"in record \(\d+\)", "in record (<n>)"),
            (r"current: \d+", "current: <n>"),
            (r"too old resource version: \d+ \(\d+\)", "too old resource version: <n> (<n>)"),
        ];
        let rules = rules.map(|(pattern, with)| (Regex::new(pattern).unwrap(), with));
        Self { namespace: namespace.to_owned(), rules: rules.into() }
    }

    pub(crate) fn text(&self, text: &str) -> String {
        let mut out = text.replace(&self.namespace, "<ns>");
        for (pattern, with) in &self.rules {
            out = pattern.replace_all(&out, *with).into_owned();
        }
        out
    }

    pub(crate) fn value(&self, value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut out = Map::new();
                for (key, inner) in map {
                    out.insert(self.text(key), self.entry(key, inner));
                }
                Value::Object(out)
            }
            Value::Array(items) => items.iter().map(|v| self.value(v)).collect(),
            Value::String(text) => self.text(text).into(),
            other => other.clone(),
        }
    }

    fn entry(&self, key: &str, value: &Value) -> Value {
        let said = !value.is_null() && value != "";
        match key {
            "resourceVersion" | "continue" | "remainingItemCount" if said => format!("<{key}>").into(),
            "clusterIP" | "podIP" | "hostIP" | "nodePort" | "healthCheckNodePort" | "nodeName" | "selfLink"
                if said && value != "None" =>
            {
                format!("<{key}>").into()
            }
            "clusterIPs" | "podIPs" | "hostIPs"
                if value.as_array().is_some_and(|a| !a.is_empty() && *a != ["None"]) =>
            {
                vec![format!("<{key}>")].into()
            }
            _ if key == "pod-template-hash" || key.ends_with("controller-revision-hash") => "<hash>".into(),
            "details" | "causes" | "managedFields" | "conditions" if value.is_array() => {
                let mut items: Vec<Value> = value.as_array().into_iter().flatten().map(|v| self.value(v)).collect();
                items.sort_by_cached_key(sorted);
                items.into()
            }
            _ => self.value(value),
        }
    }
}

/// JSON with sorted keys, as the order of unordered lists.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(k, _)| k.as_str());
            entries.iter().map(|(k, v)| format!("{k:?}: {}, ", sorted(v))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.to_string(),
    }
}
