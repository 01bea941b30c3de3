//! What was applied last, what is wanted now and what is live, brought together.

use super::DEEPEST;
use super::error::{MergeError, Problem, type_name};
use super::keyed::{arrange, holds_objects, identity, overwritten, places};
use crate::schema::TypeRef;
use crate::{Json, JsonMap};
use std::collections::HashSet;

/// The live object as it would be after an apply: what is wanted is there, what was applied last and is no longer wanted
/// is gone, everything else stays as others made it.
///
/// The result equals the live object exactly when there is nothing to do. It is what `kubectl apply` reaches with its
/// three-way strategic merge patch, with one difference: a union (`strategy`, a volume) loses its other fields only when
/// something in it changes, so that values the server filled in are not seen as a change.
///
/// # Errors
/// When a list that is merged by key holds elements without it.
pub fn three_way(last: &Json, wanted: &Json, live: &Json, of_type: Option<TypeRef<'_>>) -> Result<Json, MergeError> {
    let (Json::Object(wanted), Json::Object(live)) = (wanted, live) else {
        let wrong = if wanted.is_object() { live } else { wanted };
        return Err(Problem::NotAnObject(type_name(wrong)).here());
    };
    map(last.as_object(), wanted, live, of_type, false, 0).map(Json::Object)
}

fn map(
    last: Option<&JsonMap>,
    wanted: &JsonMap,
    live: &JsonMap,
    of_type: Option<TypeRef<'_>>,
    retain_keys: bool,
    depth: usize,
) -> Result<JsonMap, MergeError> {
    if depth > DEEPEST {
        return Err(Problem::TooDeep.here());
    }
    let mut out = live.clone();
    for name in last.into_iter().flat_map(JsonMap::keys).filter(|name| !wanted.contains_key(*name)) {
        out.remove(name);
    }
    for (name, value) in wanted {
        if value.is_null() {
            out.remove(name);
            continue;
        }
        let merged = match live.get(name) {
            None => super::json_merge::without_nulls(value),
            Some(live) => {
                let last = last.and_then(|last| last.get(name));
                field(last, value, live, of_type.and_then(|t| t.field(name)), depth).map_err(|e| e.within(name))?
            }
        };
        out.insert(name.clone(), merged);
    }
    if retain_keys && out != *live {
        out.retain(|name, _| wanted.contains_key(name));
    }
    Ok(out)
}

fn field(
    last: Option<&Json>,
    wanted: &Json,
    live: &Json,
    of_type: Option<TypeRef<'_>>,
    depth: usize,
) -> Result<Json, MergeError> {
    match (wanted, live) {
        (Json::Object(wanted), Json::Object(live)) => {
            let retain_keys = of_type.is_some_and(TypeRef::patch_retain_keys);
            map(last.and_then(Json::as_object), wanted, live, of_type, retain_keys, depth + 1).map(Json::Object)
        }
        (Json::Array(wanted), Json::Array(live)) if of_type.is_some_and(TypeRef::patch_merge) => {
            let last = last.and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
            list(last, wanted, live, of_type, depth).map(Json::Array)
        }
        _ => Ok(wanted.clone()),
    }
}

fn list(
    last: &[Json],
    wanted: &[Json],
    live: &[Json],
    of_type: Option<TypeRef<'_>>,
    depth: usize,
) -> Result<Vec<Json>, MergeError> {
    let objects = holds_objects(wanted.iter().chain(live)).map_err(Problem::here)?;
    let key = if objects { of_type.and_then(TypeRef::patch_merge_key) } else { None };
    if objects && wanted.iter().chain(live).any(|element| key.is_none_or(|key| element.get(key).is_none())) {
        return Err(key.map_or(Problem::NoKeyKnown, |key| Problem::NoMergeKey(key.to_owned())).here());
    }
    let items = of_type.and_then(TypeRef::items);
    let retain_keys = of_type.is_some_and(TypeRef::patch_retain_keys);
    let (wanted_at, last_at) = (places(wanted, key), places(last, key));
    let mut out = Vec::with_capacity(wanted.len().max(live.len()));
    let (mut seen, mut deleted) = (HashSet::new(), HashSet::new());
    for element in live {
        let Some(name) = identity(element, key) else { continue };
        seen.insert(name);
        let Some(new) = wanted_at.get(name).and_then(|at| wanted.get(*at)) else {
            // Others put it there, unless we did.
            if last_at.contains_key(name) {
                deleted.insert(name);
            } else {
                out.push(element.clone());
            }
            continue;
        };
        out.push(match (new, element) {
            (Json::Object(new), Json::Object(element)) => {
                let last = last_at.get(name).and_then(|at| last.get(*at)).and_then(Json::as_object);
                Json::Object(map(last, new, element, items, retain_keys, depth + 1)?)
            }
            _ => element.clone(),
        });
    }
    let new: Vec<Json> =
        wanted.iter().filter(|e| identity(e, key).is_some_and(|name| seen.insert(name))).cloned().collect();
    let live = overwritten(live, &deleted, &new, key);
    out.extend(new);
    Ok(arrange(out, wanted, &live, key))
}
