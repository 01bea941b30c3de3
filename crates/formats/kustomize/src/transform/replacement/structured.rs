//! Replacement inside a text that holds YAML or JSON (5.8).

use super::super::replacement_path::{find, lookup};
use crate::tree::{Data, Id, Kind, Tree, documents};
use serde_json::Value as Json;

/// Goes on inside the first text on the way that holds a document. Nothing when there is none, or the path leads nowhere
/// in it.
pub(super) fn set(tree: &mut Tree, steps: &[String], value: &Tree, create: Option<Kind>) -> Option<()> {
    if steps.len() < 2 {
        return None;
    }
    let (at, rest) = (1..steps.len()).find_map(|length| {
        let found = lookup(tree, &steps[..length]).ok().flatten()?;
        let holds = tree.kind(found) == Kind::Scalar && documents("", tree.text(found)).is_ok();
        holds.then(|| (found, &steps[length..]))
    })?;
    let text = tree.text(at).to_owned();
    let mut inner = documents("", &text).ok()?.into_iter().next()?;
    let root = inner.root;
    let fields = find(&mut inner, root, rest, create).ok()?;
    if fields.is_empty() {
        return None;
    }
    for field in fields {
        put(&mut inner, field, value);
    }
    let written = written(&inner, &text)?;
    super::set_text(tree, at, &written);
    Some(())
}

fn put(inner: &mut Tree, field: Id, value: &Tree) {
    if inner.kind(field) == Kind::Scalar {
        let text = value.text(value.root).to_owned();
        super::set_text(inner, field, &text);
    } else {
        let id = inner.import(value, value.root);
        inner.assign(field, id);
    }
}

/// As JSON when it was JSON, in one line or in many; as YAML in the order in which it stood otherwise.
fn written(inner: &Tree, before: &str) -> Option<String> {
    if before.trim_start().starts_with(['{', '[']) {
        let json = inner.to_json(inner.root).ok()?;
        let pretty = before.contains('\n') && before.contains("  ");
        return Some(if pretty { serde_json::to_string_pretty(&json).ok()? } else { json.to_string() });
    }
    let mut out = String::new();
    yaml(inner, inner.root, 0, &mut out)?;
    Some(out.trim().to_owned())
}

/// YAML that keeps the order of keys, as the reference prints nodes.
fn yaml(tree: &Tree, id: Id, indent: usize, out: &mut String) -> Option<()> {
    let pad = " ".repeat(indent);
    match tree.data(id) {
        Data::Map(fields) if !fields.is_empty() => {
            for (key, value) in fields {
                let key = windlass_yaml::to_yaml(&Json::String(key.to_string()));
                out.push_str(&format!("{pad}{}:", key.trim_end()));
                below(tree, *value, indent, out)?;
            }
        }
        Data::Seq(items) if !items.is_empty() => {
            for item in items {
                let mut text = String::new();
                yaml(tree, *item, indent + 2, &mut text)?;
                out.push_str(&format!("{pad}- {}", text.trim_start_matches(' ')));
            }
        }
        _ => {
            let text = windlass_yaml::to_yaml(&tree.to_json(id).ok()?);
            out.push_str(&format!("{pad}{text}"));
        }
    }
    Some(())
}

fn below(tree: &Tree, id: Id, indent: usize, out: &mut String) -> Option<()> {
    if tree.kind(id) == Kind::Scalar || tree.is_empty(id) {
        out.push(' ');
        return yaml(tree, id, 0, out);
    }
    out.push('\n');
    yaml(tree, id, if tree.kind(id) == Kind::Seq { indent } else { indent + 2 }, out)
}
