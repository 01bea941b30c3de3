//! Small questions to objects.

use windlass_cluster::Json;
use windlass_manifest::{Object, ObjectKey};

/// The text at a JSON pointer, or nothing.
pub(crate) fn text<'j>(json: &'j Json, pointer: &str) -> Option<&'j str> {
    json.pointer(pointer)?.as_str().filter(|text| !text.is_empty())
}

pub(crate) fn uid(json: &Json) -> Option<&str> {
    text(json, "/metadata/uid")
}

/// A live object. Nothing when the server sent something else.
pub(crate) fn object(json: &Json) -> Option<Object> {
    Object::new(json.clone(), None).ok()
}

/// A selector of labels as the API takes it: `matchLabels` and `matchExpressions`, or plain labels.
pub(crate) fn selector(selector: &Json) -> Option<String> {
    let map = selector.as_object()?;
    let is_structured = map.contains_key("matchLabels") || map.contains_key("matchExpressions");
    let plain = if is_structured { map.get("matchLabels").and_then(Json::as_object) } else { Some(map) };
    let mut parts: Vec<String> =
        plain.into_iter().flatten().filter_map(|(name, value)| Some(format!("{name}={}", value.as_str()?))).collect();
    for expression in map.get("matchExpressions").and_then(Json::as_array).into_iter().flatten() {
        let key = text(expression, "/key")?;
        let values: Vec<&str> =
            expression.get("values").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
        parts.push(match text(expression, "/operator")? {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return None,
        });
    }
    (!parts.is_empty()).then(|| parts.join(","))
}

/// `shop/Deployment/web`
pub(crate) fn name(key: &ObjectKey) -> String {
    key.in_namespace().to_string()
}

#[cfg(test)]
mod tests {
    use super::selector;
    use serde_json::json;

    #[test]
    fn selectors_as_the_api_takes_them() {
        let structured = json!({"matchLabels": {"app": "web"}, "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["a", "b"]}, {"key": "old", "operator": "DoesNotExist"}]});
        assert_eq!(selector(&structured).unwrap(), "app=web,tier in (a,b),!old");
        assert_eq!(selector(&json!({"app": "web"})).unwrap(), "app=web");
        assert_eq!(selector(&json!({})), None);
        assert_eq!(selector(&json!(null)), None);
    }
}
