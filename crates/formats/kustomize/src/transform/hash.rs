//! Hashes behind the names of generated objects (rendering §1.5).

use crate::error::{Problem, Result};
use crate::object::Object;
use crate::set::Set;
use crate::tree::{Data, Id, Scalar, Tree};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use std::fmt::Write;

pub(crate) fn hash_names(set: &mut Set) -> Result<()> {
    for object in set.objects_mut().iter_mut().filter(|object| object.history.needs_hash) {
        let name = name_with_hash(object)?;
        object.remember_id();
        object.set_name(&name)?;
        if let Some(id) = object.tree.find(&["metadata", "name"]) {
            object.tree.changed(id, "hash", None);
        }
    }
    Ok(())
}

/// The name of an object with the hash of its content.
fn name_with_hash(object: &Object) -> Result<String> {
    let mut json = String::new();
    let tree = &object.tree;
    match object.kind() {
        "ConfigMap" => {
            json.push('{');
            if let Some(binary) = map(tree, "binaryData") {
                field(&mut json, tree, "binaryData", Some(binary))?;
                json.push(',');
            }
            field(&mut json, tree, "data", tree.find(&["data"]))?;
            json.push_str(",\"kind\":\"ConfigMap\",\"name\":\"\"}");
        }
        "Secret" => {
            json.push('{');
            field(&mut json, tree, "data", tree.find(&["data"]))?;
            json.push_str(",\"kind\":\"Secret\",\"name\":\"\"");
            if let Some(strings) = map(tree, "stringData") {
                json.push(',');
                field(&mut json, tree, "stringData", Some(strings))?;
            }
            json.push_str(",\"type\":");
            string(&mut json, tree.find(&["type"]).map_or("", |id| tree.text(id)));
            json.push('}');
        }
        kind => {
            let what = format!("a hash can be made of ConfigMaps and Secrets only, and this is a {kind}");
            return Err(Problem::Generator.says(what).at(object.place()));
        }
    }
    Ok(format!("{}-{}", object.name(), encoded(&json)))
}

fn map(tree: &Tree, name: &str) -> Option<Id> {
    tree.find(&[name]).filter(|id| tree.fields(*id).is_some())
}

fn field(json: &mut String, tree: &Tree, name: &str, value: Option<Id>) -> Result<()> {
    string(json, name);
    json.push(':');
    match value.map(|id| (id, tree.data(id))) {
        None => json.push_str("\"\""),
        Some((_, Data::Scalar(Scalar { text, .. }))) => string(json, text),
        Some((id, _)) => value_text(json, &tree.to_json(id)?),
    }
    Ok(())
}

/// JSON as Go writes it: keys by their bytes, `<`, `>` and `&` escaped.
fn value_text(out: &mut String, value: &Json) {
    match value {
        Json::String(text) => string(out, text),
        Json::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                value_text(out, item);
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (number, key) in keys.into_iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                string(out, key);
                out.push(':');
                value_text(out, &map[key]);
            }
            out.push('}');
        }
        Json::Number(_) => {
            let text = windlass_yaml::to_yaml(value);
            out.push_str(text.trim_end());
        }
        other => out.push_str(&other.to_string()),
    }
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Ten characters of the hash, without those that could spell words.
fn encoded(json: &str) -> String {
    let digest = Sha256::digest(json.as_bytes());
    let hex: String = digest.iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    let replaced = hex.chars().map(|c| match c {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        other => other,
    });
    replaced.collect()
}
