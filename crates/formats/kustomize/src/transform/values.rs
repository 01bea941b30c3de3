//! Values of charts, which are merged without a schema: mappings by key, everything else as a whole, null deletes.

use serde_json::Value as Json;

/// What is left of `into` once `over` is laid over it.
pub(crate) fn merge_values(into: Json, over: &Json) -> Json {
    match (into, over) {
        (Json::Object(mut into), Json::Object(over)) => {
            for (key, value) in over {
                if value.is_null() {
                    into.remove(key);
                    continue;
                }
                let merged = merge_values(into.remove(key).unwrap_or_default(), value);
                into.insert(key.clone(), merged);
            }
            Json::Object(into)
        }
        (Json::Null, Json::Object(over)) => {
            merge_values(Json::Object(serde_json::Map::new()), &Json::Object(over.clone()))
        }
        (_, over) => over.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::merge_values;
    use serde_json::json;

    #[test]
    fn the_upper_layer_wins() {
        let merged =
            merge_values(json!({"a": {"x": 1, "y": 2}, "l": [1]}), &json!({"a": {"y": null, "z": 3}, "l": [2]}));
        assert_eq!(merged, json!({"a": {"x": 1, "z": 3}, "l": [2]}));
    }
}
