//! What differs from run to run is given a name before answers are compared.

use fancy_regex::{Captures, Regex};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Names for the changing parts of one server's answers to one sequence.
#[derive(Debug)]
pub struct Normal {
    uid: Regex,
    time: Regex,
    generated: Regex,
    hashed: Regex,
    too_old: Regex,
    current: Regex,
    version: Regex,
    address: Regex,
    node_port: Regex,
    scheme: Regex,
    problems: Regex,
    age: Regex,
    namespace: String,
    names: HashMap<String, String>,
}

impl Normal {
    pub fn new(namespace: &str) -> Self {
        // These are constants: a mistake in one shows in the first test.
        #[allow(clippy::expect_used, reason = "constants")]
        let regex = |text: &str| Regex::new(text).expect("an expression");
        Self {
            uid: regex(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
            time: regex(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"),
            generated: regex(r"\bgen-[bcdf-hj-np-tv-z2456789]{5}\b"),
            hashed: regex(r"\b([a-z][a-z0-9-]*)-[bcdf-hj-np-tv-z2456789]{6,10}(-[bcdf-hj-np-tv-z2456789]{5})?\b"),
            too_old: regex(r"too old resource version: \d+ \(\d+\)"),
            current: regex(r"current: \d+"),
            version: regex(
                r"(?<=ResourceVersion in the precondition \()\d+(?=\))|(?<=ResourceVersion in record \()\d+(?=\))",
            ),
            address: regex(r"\b10\.(9[6-9]|10\d|11[01])\.\d+\.\d+\b"),
            node_port: regex(r":3\d{4}/"),
            scheme: regex(r#"in scheme "[^"]+""#),
            problems: regex(r"(?s)(?<= is invalid: \[).*(?=\]$)"),
            age: regex(r"^(\d+[smhdy])+$"),
            namespace: namespace.to_owned(),
            names: HashMap::new(),
        }
    }

    /// An answer with names in the place of what changes.
    pub fn answer(&mut self, value: &Value) -> Value {
        self.value(value, "")
    }

    /// The name of a changing text: the same text always gets the same.
    fn name(&mut self, kind: &str, text: &str) -> String {
        let next = self.names.len();
        let key = format!("{kind} {text}");
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let count = self.names.keys().filter(|key| key.split(' ').next() == Some(kind)).count();
        debug_assert!(count <= next);
        let name = format!("<{kind} {}>", count + 1);
        self.names.insert(key, name.clone());
        name
    }

    fn named(&mut self, kind: &str, regex: &Regex, text: &str) -> String {
        let regex = regex.clone();
        regex.replace_all(text, |found: &Captures<'_, str>| self.name(kind, &found[0])).into_owned()
    }

    pub fn text(&mut self, text: &str) -> String {
        let text = text.replace(&self.namespace, "<ns>");
        let text = self.named("uid", &self.uid.clone(), &text);
        let text = self.named("generated", &self.generated.clone(), &text);
        let text = self.time.replace_all(&text, "<time>");
        let text = self.current.replace_all(&text, "current: <n>");
        let text = self.too_old.replace_all(&text, "too old resource version: <n> (<n>)");
        // Where the scheme was made: depends on how the server was built.
        let text = self.scheme.replace_all(&text, "in scheme <scheme>");
        // Problems of a map's entries come in any order.
        let text = self.problems.replace_all(&text, |found: &Captures<'_, str>| sorted(&found[0]));
        let text = self.node_port.replace_all(&text, ":<nodePort>/");
        let text = self.address.replace_all(&text, "<clusterIP>").into_owned();
        self.named("version", &self.version.clone(), &text)
    }

    fn value(&mut self, value: &Value, key: &str) -> Value {
        match value {
            Value::Object(map) => {
                let mut out = Map::new();
                let is_list =
                    ["items", "rows"].iter().any(|key| map.get(*key).is_some_and(|v| v.is_array() || v.is_null()));
                for (key, inner) in map {
                    // Documents of the API: kube-sim has no descriptions.
                    if key == "description" && inner.is_string() {
                        continue;
                    }
                    let value = match key.as_str() {
                        // Of the whole store: how far it is depends on others.
                        "metadata" if is_list => self.list_meta(inner),
                        _ => self.entry(key, inner),
                    };
                    out.insert(self.text(key), value);
                }
                Value::Object(out)
            }
            Value::Array(items) => {
                let mut items: Vec<Value> = items.iter().map(|item| self.value(item, key)).collect();
                if matches!(key, "items" | "rows") {
                    by_making(&mut items);
                }
                if matches!(key, "causes" | "managedFields" | "conditions") {
                    items.sort_by_cached_key(Value::to_string);
                    // What several checks find is told by each of them.
                    items.dedup();
                }
                Value::Array(items)
            }
            Value::String(text) if key == "cells" && self.age.is_match(text).unwrap_or(false) => "<age>".into(),
            Value::String(text) => self.text(text).into(),
            other => other.clone(),
        }
    }

    fn list_meta(&mut self, meta: &Value) -> Value {
        let mut meta = meta.clone();
        for key in ["resourceVersion", "continue"] {
            if let Some(value) = meta.get_mut(key).filter(|value| *value != "") {
                *value = format!("<{key}>").into();
            }
        }
        meta
    }

    fn entry(&mut self, key: &str, value: &Value) -> Value {
        let text = value.as_str().unwrap_or_default();
        match key {
            "resourceVersion" if !text.is_empty() => self.name("version", text).into(),
            "clusterIP" | "podIP" | "hostIP" if !text.is_empty() && text != "None" => format!("<{key}>").into(),
            "clusterIPs" if value.as_array().is_some_and(|a| !a.is_empty() && *a != ["None"]) => "<clusterIPs>".into(),
            "podIPs" | "hostIPs" if value.is_array() => format!("<{key}>").into(),
            "nodePort" | "healthCheckNodePort" if value.as_u64().is_some_and(|n| n > 0) => format!("<{key}>").into(),
            // Of a list that expired: it can go on with this.
            "continue" if !text.is_empty() => "<continue>".into(),
            "serverAddress" => "<serverAddress>".into(),
            "nodeName" if !text.is_empty() => "<nodeName>".into(),
            "pod-template-hash" | "controller-revision-hash" => "<hash>".into(),
            _ => self.value(value, key),
        }
    }

    /// The same for objects that controllers made: their names end in hashes.
    pub fn hashes(&self, text: &str) -> String {
        self.hashed.replace_all(text, "$1-<hash>").into_owned()
    }
}

/// Lists are sorted by name, and chance decides which of two generated names comes first: such objects follow in the order in
/// which they were made.
fn by_making(items: &mut [Value]) {
    let name = |item: &Value| {
        let name = item.pointer("/metadata/name").or_else(|| item.pointer("/object/metadata/name"));
        name.and_then(Value::as_str).filter(|name| name.starts_with("<generated ")).map(str::to_owned)
    };
    // They share their prefix, and so stand together.
    for group in items.chunk_by_mut(|a, b| name(a).is_some() == name(b).is_some()) {
        if group.iter().all(|item| name(item).is_some()) {
            group.sort_by_cached_key(|item| name(item).map(|name| (name.len(), name)));
        }
    }
}

fn sorted(list: &str) -> String {
    let mut parts: Vec<&str> = list.split(", ").collect();
    parts.sort_unstable();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_show_generated_names_as_they_were_made() {
        let list = |names: &[&str]| {
            let items: Vec<Value> = names.iter().map(|name| json!({"metadata": {"name": name}})).collect();
            json!({"kind": "PodList", "metadata": {}, "items": items})
        };
        let answers = |later: &str, first: &str| {
            let mut normal = Normal::new("d-0-1");
            normal.answer(&json!({"metadata": {"name": first}}));
            normal.answer(&json!({"metadata": {"name": later}}));
            let mut names = ["a", later, first, "z"];
            names.sort_unstable();
            normal.answer(&list(&names))
        };
        let wanted = list(&["a", "<generated 1>", "<generated 2>", "z"]);
        assert_eq!(answers("gen-bbbbb", "gen-ccccc"), wanted);
        assert_eq!(answers("gen-ccccc", "gen-bbbbb"), wanted);
    }
}
