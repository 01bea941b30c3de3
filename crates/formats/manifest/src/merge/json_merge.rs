use crate::Json;

/// JSON merge patch (RFC 7386) with the API server's difference: nulls inside objects inside new lists are dropped too.
///
/// `null` removes a field, objects merge, everything else replaces.
pub fn merge_patch(document: &Json, patch: &Json) -> Json {
    match (document, patch) {
        (Json::Object(document), Json::Object(patch)) => {
            let mut out = document.clone();
            for (name, value) in patch {
                if value.is_null() {
                    out.remove(name);
                    continue;
                }
                let merged = match out.get(name) {
                    Some(old @ Json::Object(_)) if value.is_object() => merge_patch(old, value),
                    // A scalar or list in place of an object is taken as it stands.
                    Some(Json::Object(_)) => value.clone(),
                    _ => without_nulls(value),
                };
                out.insert(name.clone(), merged);
            }
            Json::Object(out)
        }
        _ => without_nulls(patch),
    }
}

/// The value without the fields that are null. Null elements of lists stay.
pub(super) fn without_nulls(value: &Json) -> Json {
    match value {
        Json::Object(map) => {
            let kept = map.iter().filter(|(_, v)| !v.is_null());
            Json::Object(kept.map(|(name, v)| (name.clone(), without_nulls(v))).collect())
        }
        Json::Array(list) => Json::Array(list.iter().map(without_nulls).collect()),
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::merge_patch;
    use serde_json::json;

    /// The examples of RFC 7386 and what the API server's library answers where it differs.
    #[test]
    fn as_the_api_server_merges() {
        for (document, patch, expected) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
            (json!({"e": null}), json!({"a": 1}), json!({"a": 1, "e": null})),
            (json!({"e": null}), json!({"e": {"x": null, "y": 1}}), json!({"e": {"y": 1}})),
            // Not as in the RFC: nulls inside a new list's objects are dropped.
            (json!({"a": [1]}), json!({"a": [{"x": null, "y": 1}, null]}), json!({"a": [{"y": 1}, null]})),
            (json!({"a": {"b": 1}}), json!({"a": [{"x": null}]}), json!({"a": [{"x": null}]})),
        ] {
            assert_eq!(merge_patch(&document, &patch), expected, "{document} + {patch}");
        }
    }
}
