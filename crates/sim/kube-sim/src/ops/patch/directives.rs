//! Directives of strategic patches that the server forgets in what it makes.

use crate::schema::{ListKind, Type};
use serde_json::{Map, Value};

/// Takes the part that it stands in away.
const WHOLE: &str = "$patch";

/// Leaves directives in what a patch brings anew, where decoding finds unknown fields: parts, and items of lists, that are not
/// there to be merged with.
pub(super) fn forget(result: &mut Value, live: &Value, patch: &Value, ty: &Type) {
    match (ty, result, live, patch) {
        (_, Value::Object(result), Value::Object(live), Value::Object(patch)) => {
            for (key, patch) in patch {
                match (result.get_mut(key), live.get(key), ty.field(key)) {
                    (Some(result), Some(live), Some(ty)) => forget(result, live, patch, &ty),
                    (Some(result), None, _) => restore(result, patch),
                    _ => {}
                }
            }
        }
        (Type::List(list), Value::Array(result), Value::Array(live), Value::Array(patch)) => {
            let ListKind::Map(keys) = &list.kind else { return };
            let Some(key) = keys.first() else { return };
            for patch in patch {
                let is_it = |item: &Value| item.get(key).is_some_and(|value| patch.get(key) == Some(value));
                let Some(result) = result.iter_mut().find(|item| is_it(item)) else { continue };
                match live.iter().find(|item| is_it(item)) {
                    Some(live) => forget(result, live, patch, &list.item),
                    None => restore(result, patch),
                }
            }
        }
        _ => {}
    }
}

/// The directives of the patch, in what came of it.
fn restore(result: &mut Value, patch: &Value) {
    match (result, patch) {
        (Value::Object(result), Value::Object(patch)) => {
            // Go writes maps with their keys sorted, and these come first.
            let directives = patch.iter().filter(|(key, _)| key.starts_with('$') && *key != WHOLE);
            let mut sorted: Map<_, _> = directives.map(|(key, value)| (key.clone(), value.clone())).collect();
            for (key, mut value) in std::mem::take(result) {
                if let Some(patch) = patch.get(&key) {
                    restore(&mut value, patch);
                }
                sorted.insert(key, value);
            }
            *result = sorted;
        }
        (Value::Array(result), Value::Array(patch)) => {
            let items = patch.iter().filter(|item| item.get(WHOLE).is_none());
            result.iter_mut().zip(items).for_each(|(item, patch)| restore(item, patch));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::builtin;
    use serde_json::json;

    #[test]
    fn only_what_is_new_keeps_directives() {
        let ty = builtin::kind("v1/Pod").unwrap();
        let volume = |name: &str| json!({"name": name, "configMap": {"name": "c"}});
        let pod = |volumes: &[Value]| json!({"spec": {"volumes": volumes}});
        let patch = json!({"spec": {"volumes": [
            {"name": "gone", WHOLE: "delete"},
            {"$retainKeys": ["name", "configMap"], "name": "b", "configMap": {"name": "c"}}]}});
        for (live, left) in
            [(json!({"spec": {}}), true), (pod(&[volume("b"), volume("a")]), false), (pod(&[volume("a")]), true)]
        {
            let mut result = pod(&[volume("b"), volume("a")]);
            forget(&mut result, &live, &patch, &ty);
            assert_eq!(result.pointer("/spec/volumes/0/$retainKeys").is_some(), left, "{live}");
            assert_eq!(result.pointer("/spec/volumes/1"), Some(&volume("a")));
        }
    }
}
