use super::mask::mask;
use super::normalised;
use crate::schema::{ListType, Shape, TypeRef};
use crate::{Json, JsonMap};
use std::collections::{BTreeSet, HashMap};

/// One field that differs. Values of Secrets are masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `spec.template.spec.containers[name=app].image`.
    pub path: String,
    /// Nothing when the field is new.
    pub before: Option<Json>,
    /// Nothing when the field goes.
    pub after: Option<Json>,
}

/// The fields in which two versions of an object differ, in the order of their names. Empty exactly when
/// [`is_same`](super::is_same). Elements of lists are matched by the keys that the schema names.
pub fn changes(before: &Json, after: &Json, of_type: Option<TypeRef<'_>>) -> Vec<Change> {
    let (mut before, mut after) = (Some(normalised(before)), Some(normalised(after)));
    mask(&mut before, &mut after);
    let mut out = Vec::new();
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    compare(&mut out, &mut String::new(), &before, &after, of_type, 0);
    out
}

const DEEPEST: usize = 100;

fn compare(
    out: &mut Vec<Change>,
    path: &mut String,
    before: &Json,
    after: &Json,
    of_type: Option<TypeRef<'_>>,
    depth: usize,
) {
    if before == after {
        return;
    }
    match (before, after) {
        (Json::Object(before), Json::Object(after)) if depth < DEEPEST => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                let of_type = of_type.and_then(|t| t.field(name));
                at(path, &step(name), |path| {
                    pair(out, path, before.get(name), after.get(name), of_type, depth + 1);
                });
            }
        }
        (Json::Array(old), Json::Array(new)) if depth < DEEPEST => {
            let items = of_type.and_then(TypeRef::items);
            match of_type.and_then(|t| keys_of(t, old, new)) {
                Some(keys) => by_key(out, path, old, new, &keys, items, depth),
                None => by_place(out, path, old, new, items, depth),
            }
        }
        _ => push(out, path, Some(before), Some(after)),
    }
}

fn pair(
    out: &mut Vec<Change>,
    path: &mut String,
    before: Option<&Json>,
    after: Option<&Json>,
    of_type: Option<TypeRef<'_>>,
    depth: usize,
) {
    match (before, after) {
        (Some(before), Some(after)) => compare(out, path, before, after, of_type, depth),
        (before, after) => push(out, path, before, after),
    }
}

fn push(out: &mut Vec<Change>, path: &str, before: Option<&Json>, after: Option<&Json>) {
    out.push(Change { path: path.to_owned(), before: before.cloned(), after: after.cloned() });
}

fn at(path: &mut String, step: &str, then: impl FnOnce(&mut String)) {
    let length = path.len();
    if !path.is_empty() && !step.starts_with('[') {
        path.push('.');
    }
    path.push_str(step);
    then(path);
    path.truncate(length);
}

/// A field name; one with dots or brackets stands in brackets.
fn step(name: &str) -> String {
    let plain = !name.is_empty() && !name.contains(['.', '[', ']']);
    if plain { name.to_owned() } else { format!("[{}]", Json::from(name)) }
}

fn by_place(
    out: &mut Vec<Change>,
    path: &mut String,
    before: &[Json],
    after: &[Json],
    items: Option<TypeRef<'_>>,
    depth: usize,
) {
    for index in 0..before.len().max(after.len()) {
        at(path, &format!("[{index}]"), |path| {
            pair(out, path, before.get(index), after.get(index), items, depth + 1);
        });
    }
}

/// The keys that tell elements apart, when every element has them and no two are alike.
fn keys_of(list: TypeRef<'_>, before: &[Json], after: &[Json]) -> Option<Vec<String>> {
    let keys: Vec<String> = match (list.shape(), list.list_type(), list.patch_merge_key()) {
        (Shape::List, ListType::Map(keys), _) => keys.iter().map(ToString::to_string).collect(),
        (Shape::List, _, Some(key)) => vec![key.to_owned()],
        _ => return None,
    };
    let are_unique = |list: &[Json]| {
        let mut seen = BTreeSet::new();
        list.iter().all(|element| {
            element
                .as_object()
                .is_some_and(|map| keys.iter().any(|key| map.contains_key(key)) && seen.insert(name_of(map, &keys)))
        })
    };
    (are_unique(before) && are_unique(after)).then_some(keys)
}

/// `[name=app]`, `[containerPort=80,protocol=TCP]`.
fn name_of(element: &JsonMap, keys: &[String]) -> String {
    let parts = keys.iter().filter_map(|key| {
        let value = element.get(key)?;
        Some(format!("{key}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
    });
    format!("[{}]", parts.collect::<Vec<_>>().join(","))
}

fn by_key(
    out: &mut Vec<Change>,
    path: &mut String,
    before: &[Json],
    after: &[Json],
    keys: &[String],
    items: Option<TypeRef<'_>>,
    depth: usize,
) {
    let named = |list: &[Json]| -> Vec<String> {
        list.iter().filter_map(Json::as_object).map(|element| name_of(element, keys)).collect()
    };
    let (old_names, new_names) = (named(before), named(after));
    let old: HashMap<&String, &Json> = old_names.iter().zip(before).collect();
    let new: HashMap<&String, &Json> = new_names.iter().zip(after).collect();
    for name in old_names.iter().chain(new_names.iter().filter(|name| !old.contains_key(name))) {
        at(path, name, |path| {
            pair(out, path, old.get(name).copied(), new.get(name).copied(), items, depth + 1);
        });
    }
    let kept_old: Vec<&String> = old_names.iter().filter(|name| new.contains_key(name)).collect();
    let kept_new: Vec<&String> = new_names.iter().filter(|name| old.contains_key(name)).collect();
    // Order has a meaning for init containers and environment variables.
    if kept_old != kept_new {
        let list = |names: Vec<&String>| Some(Json::from(names.into_iter().cloned().collect::<Vec<_>>()));
        at(path, "[order]", |path| {
            out.push(Change { path: path.clone(), before: list(kept_old), after: list(kept_new) });
        });
    }
}
