//! Paths through documents: `stages.deploy.spec` finds the list item whose `identifier` is `deploy`.

use windlass_model::Json;

/// The value at a path. Items of lists are found by index, by `identifier` or by `name`, through the one key that wraps
/// them (`- stage: {…}`) and through `parallel`.
pub(crate) fn walk<'j>(json: &'j Json, path: &[&str]) -> Option<&'j Json> {
    path.iter().try_fold(json, |json, key| match json {
        Json::Object(entries) => entries.get(*key),
        Json::Array(items) => key.parse::<usize>().ok().and_then(|at| items.get(at)).or_else(|| named(items, key)),
        _ => None,
    })
}

fn named<'j>(items: &'j [Json], key: &str) -> Option<&'j Json> {
    items.iter().find_map(|item| {
        if let Some(Json::Array(together)) = item.get("parallel") {
            return named(together, key);
        }
        let item = unwrap(item);
        let is = |field: &str| item.get(field).and_then(Json::as_str) == Some(key);
        if is("identifier") {
            Some(item)
        } else if is("name") {
            // A variable stands for its value.
            Some(item.get("value").unwrap_or(item))
        } else {
            None
        }
    })
}

/// The inside of `{stage: {…}}`.
fn unwrap(item: &Json) -> &Json {
    const WRAPPERS: [&str; 7] = ["stage", "step", "stepGroup", "manifest", "sidecar", "variable", "configFile"];
    WRAPPERS.iter().find_map(|wrapper| item.get(wrapper)).unwrap_or(item)
}

#[cfg(test)]
mod tests {
    use super::walk;
    use serde_json::json;

    #[test]
    fn lists_are_walked_by_name() {
        let document = json!({"stages": [
            {"parallel": [{"stage": {"identifier": "a", "spec": {"x": 1}}}]},
            {"stage": {"identifier": "b", "variables": [{"name": "v", "value": "w"}]}},
        ]});
        assert_eq!(walk(&document, &["stages", "a", "spec", "x"]), Some(&json!(1)));
        assert_eq!(walk(&document, &["stages", "b", "variables", "v"]), Some(&json!("w")));
        assert_eq!(walk(&document, &["stages", "1", "stage", "identifier"]), Some(&json!("b")));
        assert_eq!(walk(&document, &["stages", "c"]), None);
    }
}
