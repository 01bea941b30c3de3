//! A set of fields of an object, in the form of `FieldsV1`.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One step of a path, written as in `FieldsV1`: `f:name`, `k:{"name":"c"}`, `v:"x"`.
pub(crate) type Element = String;

/// A tree of steps, sorted. A node may be a member itself, have members below it, or both.
///
/// Most nodes have a handful of steps below them, and every write of the cluster reads and writes such trees: a list, since the smallest
/// map takes room for eleven.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSet(Vec<(Element, Node)>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Node {
    member: bool,
    below: FieldSet,
}

impl Node {
    fn is_empty(&self) -> bool {
        !self.member && self.below.is_empty()
    }
}

pub(crate) fn field(name: &str) -> Element {
    ["f:", name].concat()
}

impl FieldSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the field at `path`; not the fields above it.
    pub(crate) fn insert(&mut self, path: &[Element]) {
        let Some((first, rest)) = path.split_first() else { return };
        let node = self.node(first);
        if rest.is_empty() { node.member = true } else { node.below.insert(rest) }
    }

    fn place(&self, element: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(element))
    }

    fn get(&self, element: &str) -> Option<&Node> {
        self.place(element).ok().map(|at| &self.0[at].1)
    }

    /// The node of a step, an empty one when there was none.
    fn node(&mut self, element: &Element) -> &mut Node {
        let at = self.place(element).unwrap_or_else(|at| {
            self.0.insert(at, (element.clone(), Node::default()));
            at
        });
        &mut self.0[at].1
    }

    /// A set of named fields: each path is separated by dots.
    pub(crate) fn of(paths: &[&str]) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert(&path.split('.').map(field).collect::<Vec<_>>());
        }
        set
    }

    pub(crate) fn has(&self, element: &str) -> bool {
        self.get(element).is_some_and(|n| n.member)
    }

    pub(crate) fn has_path(&self, path: &[Element]) -> bool {
        match path {
            [] => false,
            [one] => self.has(one),
            [first, rest @ ..] => self.below(first).is_some_and(|s| s.has_path(rest)),
        }
    }

    pub(crate) fn below(&self, element: &str) -> Option<&FieldSet> {
        self.get(element).map(|n| &n.below).filter(|s| !s.is_empty())
    }

    #[must_use]
    pub(crate) fn union(mut self, other: &Self) -> Self {
        self.add(other);
        self
    }

    fn add(&mut self, other: &Self) {
        for (element, theirs) in &other.0 {
            match self.place(element) {
                Ok(at) => {
                    let node = &mut self.0[at].1;
                    node.member |= theirs.member;
                    node.below.add(&theirs.below);
                }
                Err(at) => self.0.insert(at, (element.clone(), theirs.clone())),
            }
        }
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let both = self.0.iter().filter_map(|(element, node)| {
            let theirs = other.get(element)?;
            let member = node.member && theirs.member;
            let both = Node { member, below: node.below.intersection(&theirs.below) };
            (!both.is_empty()).then(|| (element.clone(), both))
        });
        Self(both.collect())
    }

    /// Whether the sets have a member in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.0.iter().any(|(element, node)| {
            let theirs = other.get(element);
            theirs.is_some_and(|theirs| node.member && theirs.member || node.below.meets(&theirs.below))
        })
    }

    /// What is in this set and not in the other; a member above does not stand for those below it.
    #[must_use]
    pub(crate) fn difference(mut self, other: &Self) -> Self {
        self.take_away(other, false);
        self
    }

    /// Like [`FieldSet::difference`], and a member of `other` takes everything below it along.
    #[must_use]
    pub(crate) fn without(mut self, other: &Self) -> Self {
        self.take_away(other, true);
        self
    }

    fn take_away(&mut self, other: &Self, with_below: bool) {
        for (element, theirs) in &other.0 {
            let Ok(at) = self.place(element) else { continue };
            let node = &mut self.0[at].1;
            if theirs.member && with_below {
                *node = Node::default();
            } else {
                node.member &= !theirs.member;
                node.below.take_away(&theirs.below, with_below);
            }
            if node.is_empty() {
                self.0.remove(at);
            }
        }
    }

    /// Every member with its path.
    pub(crate) fn paths(&self) -> Vec<Vec<Element>> {
        let mut out = Vec::new();
        self.collect(&mut Vec::new(), &mut out);
        out
    }

    fn collect(&self, prefix: &mut Vec<Element>, out: &mut Vec<Vec<Element>>) {
        // The members of a level come before what is below them.
        for (element, _) in self.0.iter().filter(|(_, node)| node.member) {
            prefix.push(element.clone());
            out.push(prefix.clone());
            prefix.pop();
        }
        for (element, node) in &self.0 {
            prefix.push(element.clone());
            node.below.collect(prefix, out);
            prefix.pop();
        }
    }

    /// Rebuilds the set node by node: `visit` says whether an inner node becomes a member, and what the set below it is.
    pub(crate) fn map_nodes(&self, visit: &dyn Fn(&str, bool, &FieldSet) -> (bool, FieldSet)) -> Self {
        let nodes = self.0.iter().map(|(element, node)| {
            let (member, below) = visit(element, node.member, &node.below);
            (element.clone(), Node { member, below })
        });
        Self(nodes.filter(|(_, n)| !n.is_empty()).collect())
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut map = Map::new();
        for (element, node) in &self.0 {
            let mut below = node.below.to_json();
            if let (true, Value::Object(inner), false) = (node.member, &mut below, node.below.is_empty()) {
                inner.insert(".".into(), Value::Object(Map::new()));
            }
            map.insert(element.clone(), below);
        }
        Value::Object(map)
    }

    /// Reads `FieldsV1`. Nothing when it is not of that form.
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        let mut out = Self::default();
        for (key, below) in value.as_object()? {
            if key == "." {
                continue;
            }
            let element = canonical(key)?;
            let inner = below.as_object()?;
            let member = inner.is_empty() || inner.contains_key(".");
            let node = Node { member, below: Self::from_json(below)? };
            match out.place(&element) {
                Ok(at) => out.0[at].1 = node,
                Err(at) => out.0.insert(at, (element, node)),
            }
        }
        Some(out)
    }
}

fn canonical(key: &str) -> Option<Element> {
    let (kind, rest) = key.split_once(':')?;
    match kind {
        "f" | "i" => Some(key.to_owned()),
        "k" | "v" if is_sorted(rest) => Some(key.to_owned()),
        "k" | "v" => Some(format!("{kind}:{}", sorted_text(&serde_json::from_str(rest).ok()?))),
        _ => None,
    }
}

/// Whether a text certainly is what [`sorted_text`] would make of it, as nearly all are: `{"port":80,"protocol":"TCP"}`, `"x"`.
fn is_sorted(text: &str) -> bool {
    let is_text = |text: &str| {
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        inner.is_some_and(|inner| inner.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\\')))
    };
    let is_number = |text: &str| text.parse::<i64>().is_ok_and(|number| number.to_string() == text);
    let Some(entries) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else { return is_text(text) };
    let mut last = "";
    entries.split(',').all(|entry| {
        let Some((key, value)) = entry.split_once(':') else { return false };
        let is_next = last < key;
        last = key;
        is_next && is_text(key) && (is_text(value) || is_number(value))
    })
}

/// Compact JSON with sorted keys, whatever the order of the map.
pub(crate) fn sorted_text(value: &Value) -> String {
    let mut out = String::new();
    write_sorted(value, &mut out);
    out
}

fn write_sorted(value: &Value, out: &mut String) {
    let Value::Object(map) = value else {
        // Writing to a text does not fail.
        let _ = write!(out, "{value}");
        return;
    };
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| key.as_str());
    let mut before = '{';
    for (key, value) in entries {
        out.push(before);
        before = ',';
        let _ = write!(out, "{}:", Value::from(key.as_str()));
        write_sorted(value, out);
    }
    if before == '{' {
        out.push(before);
    }
    out.push('}');
}

/// A path as messages show it: `.spec.containers[name="c"].image`.
pub(crate) fn show(path: &[Element]) -> String {
    path.iter().map(|e| show_element(e)).collect()
}

pub(crate) fn show_element(element: &str) -> String {
    match element.split_once(':') {
        Some(("f", name)) => format!(".{name}"),
        Some(("k", keys)) => {
            let parsed: BTreeMap<String, Value> = serde_json::from_str(keys).unwrap_or_default();
            let inner: Vec<_> = parsed.iter().map(|(k, v)| format!("{k}={v}")).collect();
            format!("[{}]", inner.join(","))
        }
        Some(("v", value)) => format!("[={value}]"),
        Some(("i", index)) => format!("[{index}]"),
        _ => element.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn set(value: &Value) -> FieldSet {
        FieldSet::from_json(value).unwrap()
    }

    #[test]
    fn the_wire_form_survives() {
        let form = json!({"f:data": {".": {}, "f:a": {}}, "f:spec": {"f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}}}});
        assert_eq!(set(&form).to_json(), form);
        let paths = set(&form).paths();
        assert_eq!(
            paths.iter().map(|p| show(p)).collect::<Vec<_>>(),
            [".data", ".data.a", ".spec.ports[port=80,protocol=\"TCP\"]", ".spec.ports[port=80,protocol=\"TCP\"].port"]
        );
    }

    #[test]
    fn keys_are_sorted_and_compact_whoever_wrote_them() {
        for (written, sorted) in [
            (r#"{"port":80,"protocol":"TCP"}"#, r#"{"port":80,"protocol":"TCP"}"#),
            (r#"{"protocol":"TCP","port":80}"#, r#"{"port":80,"protocol":"TCP"}"#),
            (r#"{"port": 80}"#, r#"{"port":80}"#),
            (r#"{"name":"a,b:c"}"#, r#"{"name":"a,b:c"}"#),
            (r#"{"name":"a\u0062"}"#, r#"{"name":"ab"}"#),
            (r#"{"a":{"z":1,"b":[]}}"#, r#"{"a":{"b":[],"z":1}}"#),
            (r#"{}"#, "{}"),
            (r#""x""#, r#""x""#),
            ("1", "1"),
        ] {
            assert_eq!(canonical(&format!("k:{written}")), Some(format!("k:{sorted}")));
        }
        assert_eq!(canonical("k:{"), None);
        assert!(is_sorted(r#"{"port":80,"protocol":"TCP"}"#) && is_sorted(r#""x""#));
        assert!(!is_sorted(r#"{"port":80,"port":80}"#) && !is_sorted(r#"{"port":080}"#) && !is_sorted("{}"));
    }

    fn any_set() -> impl Strategy<Value = FieldSet> {
        let path = proptest::collection::vec("[abc]", 1..4);
        proptest::collection::vec(path, 0..8).prop_map(|paths| {
            let mut out = FieldSet::default();
            for path in paths {
                out.insert(&path.iter().map(|s| field(s)).collect::<Vec<_>>());
            }
            out
        })
    }

    proptest! {
        #[test]
        fn sets_obey_the_laws_of_sets(a in any_set(), b in any_set()) {
            prop_assert_eq!(a.clone().union(&b), b.clone().union(&a));
            prop_assert_eq!(a.intersection(&b), b.intersection(&a));
            prop_assert_eq!(a.clone().difference(&b).union(&a.intersection(&b)), a.clone());
            prop_assert!(a.clone().difference(&a).is_empty());
            prop_assert!(a.clone().without(&b).intersection(&b).is_empty());
            prop_assert_eq!(FieldSet::from_json(&a.to_json()), Some(a));
        }
    }
}
