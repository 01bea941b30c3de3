//! Stored entities meet what a stage says about them (pipelines §11.4).

use serde_json::Map;
use windlass_model::{InputSpec, Json};

/// A stored document with its runtime inputs filled.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filled {
    pub json: Json,
    /// Runtime inputs for which nobody gave a value and which have no default, as paths.
    pub open: Vec<String>,
    /// Fixed values that the stage wanted to be different, as paths: the stored ones stand (SEED-31, SEED-35).
    pub differing: Vec<String>,
}

/// Puts the values of `given` into the runtime inputs of `stored`, at the same path. Fixed values are never changed.
pub(crate) fn fill(stored: &Json, given: Option<&Json>) -> Filled {
    let mut filled = Filled::default();
    filled.json = walk(stored, given, &mut String::new(), &mut filled);
    filled
}

fn walk(stored: &Json, given: Option<&Json>, path: &mut String, filled: &mut Filled) -> Json {
    match stored {
        Json::String(text) if InputSpec::is_input(text) => leaf(text, given, path, filled),
        Json::Object(entries) => {
            let inside = |key: &str| given.and_then(|given| given.get(key));
            let walked = entries.iter().map(|(key, value)| {
                let value = at(path, key, |path| walk(value, inside(key), path, filled));
                (key.clone(), value)
            });
            Json::Object(walked.collect())
        }
        Json::Array(items) => {
            let walked = items.iter().enumerate().map(|(index, item)| {
                let name = name_of(item);
                let inside = given.and_then(Json::as_array).and_then(|given| match &name {
                    Some(name) => given.iter().find(|other| name_of(other).as_ref() == Some(name)),
                    None => given.get(index),
                });
                let key = name.unwrap_or_else(|| index.to_string());
                at(path, &key, |path| walk(item, inside, path, filled))
            });
            Json::Array(walked.collect())
        }
        fixed => {
            // Only what the stage wrote out can differ; an expression may well come to the same.
            if let Some(given) = given
                && given != fixed
                && !given.as_str().is_some_and(InputSpec::is_input)
            {
                filled.differing.push(path.clone());
            }
            fixed.clone()
        }
    }
}

fn leaf(text: &str, given: Option<&Json>, path: &str, filled: &mut Filled) -> Json {
    let supplied = given.filter(|given| !given.is_null() && !given.as_str().is_some_and(InputSpec::is_input));
    if let Some(value) = supplied {
        return value.clone();
    }
    match InputSpec::parse(text).and_then(Result::ok).and_then(|spec| spec.default) {
        Some(default) => Json::String(default),
        None => {
            filled.open.push(path.to_owned());
            Json::String(text.to_owned())
        }
    }
}

fn at<T>(path: &mut String, key: &str, inside: impl FnOnce(&mut String) -> T) -> T {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(key);
    let result = inside(path);
    path.truncate(length);
    result
}

/// The name by which list items are matched: `identifier`, else `name`, inside the one key that wraps them.
pub(crate) fn name_of(item: &Json) -> Option<String> {
    let inside = match item.as_object() {
        Some(entries) if entries.len() == 1 => {
            entries.values().next().filter(|value| value.is_object()).unwrap_or(item)
        }
        _ => item,
    };
    let text = |key: &str| inside.get(key).and_then(Json::as_str).map(str::to_owned);
    text("identifier").or_else(|| text("name"))
}

/// The definition in a stage over the stored one (SEED-30): maps are merged, variables by name, manifests and other
/// lists of named things by identifier; everything else is replaced.
pub(crate) fn over(stored: &Json, own: &Json) -> Json {
    match (stored, own) {
        (Json::Object(stored), Json::Object(own)) => {
            let mut merged: Map<String, Json> = stored.clone();
            for (key, value) in own {
                let value = stored.get(key).map_or_else(|| value.clone(), |stored| over(stored, value));
                merged.insert(key.clone(), value);
            }
            Json::Object(merged)
        }
        (Json::Array(stored), Json::Array(own)) if own.iter().chain(stored).all(|item| name_of(item).is_some()) => {
            let mut merged = stored.clone();
            for item in own {
                match merged.iter_mut().find(|other| name_of(other) == name_of(item)) {
                    Some(other) => *other = item.clone(),
                    None => merged.push(item.clone()),
                }
            }
            Json::Array(merged)
        }
        (_, own) => own.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{fill, over};
    use serde_json::json;

    #[test]
    fn inputs_fill_runtime_inputs_only() {
        let stored = json!({
            "spec": {"connectorRef": "k8s", "namespace": "<+input>", "releaseName": "<+input>.default(shop)"},
            "variables": [{"name": "a", "value": "<+input>"}, {"name": "b", "value": "2"}],
        });
        let given = json!({
            "spec": {"connectorRef": "other", "namespace": "shop-int", "releaseName": "<+input>"},
            "variables": [{"name": "b", "value": "2"}],
        });
        let filled = fill(&stored, Some(&given));
        assert_eq!(filled.json["spec"], json!({"connectorRef": "k8s", "namespace": "shop-int", "releaseName": "shop"}));
        assert_eq!(filled.open, ["variables.a.value"]);
        assert_eq!(filled.differing, ["spec.connectorRef"]);
    }

    #[test]
    fn a_stage_s_definition_lies_over_the_stored_one() {
        let stored = json!({
            "variables": [{"name": "tag", "value": "old"}, {"name": "keep", "value": "1"}],
            "manifests": [{"manifest": {"identifier": "main", "type": "K8sManifest"}}],
            "artifacts": {"primary": {"sources": [{"identifier": "img"}]}},
        });
        let own = json!({
            "variables": [{"name": "tag", "value": "new"}],
            "manifests": [{"manifest": {"identifier": "main", "type": "Kustomize"}}, {"manifest": {"identifier": "more"}}],
        });
        assert_eq!(
            over(&stored, &own),
            json!({
                "variables": [{"name": "tag", "value": "new"}, {"name": "keep", "value": "1"}],
                "manifests": [{"manifest": {"identifier": "main", "type": "Kustomize"}}, {"manifest": {"identifier": "more"}}],
                "artifacts": {"primary": {"sources": [{"identifier": "img"}]}},
            })
        );
    }
}
