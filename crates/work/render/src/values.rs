//! Values files: expressions resolved, then merged (kubernetes-deploy §1.4).

use crate::context::Context;
use crate::store::Raw;
use serde_json::{Map, Value as Json};
use windlass_diagnostic::{Diagnostic, Diagnostics};
use windlass_yaml::Options;

/// Merges files from the weakest to the strongest.
pub(crate) fn merge(files: &[Raw], context: &Context) -> Result<Json, Diagnostics> {
    let mut values = Map::new();
    let mut problems = Diagnostics::new();
    for file in files {
        match read(file, context) {
            Ok(documents) => documents.into_iter().for_each(|document| deep_merge(&mut values, document)),
            Err(found) => problems.append(found),
        }
    }
    if problems.has_errors() { Err(problems) } else { Ok(Json::Object(values)) }
}

/// Files with their expressions resolved, as texts: for charts, which merge them by their own rules, and for patches.
pub(crate) fn texts(files: &[Raw], context: &Context) -> Result<Vec<(String, String)>, Diagnostics> {
    let mut texts = Vec::with_capacity(files.len());
    let mut problems = Diagnostics::new();
    for file in files {
        match resolved(file, context) {
            Ok(text) => texts.push((file.path.clone(), text)),
            Err(found) => problems.append(found),
        }
    }
    if problems.has_errors() { Err(problems) } else { Ok(texts) }
}

fn resolved(file: &Raw, context: &Context) -> Result<String, Diagnostics> {
    if !file.text.contains("<+") {
        return Ok(file.text.clone());
    }
    let documents = windlass_yaml::parse(&*file.path, &file.text, &Options::CONTROL)?;
    let mut problems = Diagnostics::new();
    let values: Vec<Json> = documents.iter().map(|document| context.resolve(&document.root, &mut problems)).collect();
    if problems.has_errors() { Err(problems) } else { Ok(windlass_yaml::to_yaml_documents(&values)) }
}

/// The documents of a file. Their nulls stay: they remove what weaker files say.
fn read(file: &Raw, context: &Context) -> Result<Vec<Map<String, Json>>, Diagnostics> {
    let documents = windlass_yaml::parse(&*file.path, &file.text, &Options::CONTROL)?;
    let mut read = Vec::new();
    let mut problems = Diagnostics::new();
    for document in documents {
        match context.resolve(&document.root, &mut problems) {
            Json::Object(map) => read.push(map),
            Json::Null => {}
            _ => {
                let problem = Diagnostic::error("REN0002", "a values file holds a mapping");
                problems.push(problem.at(document.root.place));
            }
        }
    }
    if problems.has_errors() { Err(problems) } else { Ok(read) }
}

/// Maps are merged, everything else is replaced as a whole; null removes a key.
fn deep_merge(into: &mut Map<String, Json>, from: Map<String, Json>) {
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (_, Json::Null) => {
                into.remove(&name);
            }
            (Some(Json::Object(old)), Json::Object(new)) => deep_merge(old, new),
            (_, Json::Object(new)) => {
                let mut made = Map::new();
                deep_merge(&mut made, new);
                into.insert(name, Json::Object(made));
            }
            (_, value) => {
                into.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn stronger_values_win_key_by_key() {
        let merged = |all: &[Json]| {
            let mut out = Map::new();
            for one in all {
                deep_merge(&mut out, one.as_object().unwrap().clone());
            }
            Json::Object(out)
        };
        for (files, wanted) in [
            (
                vec![json!({"a": 1, "m": {"x": 1, "y": 2}}), json!({"m": {"y": 3}})],
                json!({"a": 1, "m": {"x": 1, "y": 3}}),
            ),
            (vec![json!({"l": [1, 2]}), json!({"l": [3]})], json!({"l": [3]})),
            (vec![json!({"a": 1, "b": 2}), json!({"a": null})], json!({"b": 2})),
            (vec![json!({"m": {"x": 1}}), json!({"m": {"x": null}})], json!({"m": {}})),
            (vec![json!({"m": 1}), json!({"m": {"x": null, "y": 1}})], json!({"m": {"y": 1}})),
            (vec![json!({"m": {"x": 1}}), json!({"m": 2})], json!({"m": 2})),
        ] {
            assert_eq!(merged(&files), wanted);
        }
    }
}
