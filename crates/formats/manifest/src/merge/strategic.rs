//! The strategic merge of the API server.
//!
//! Lists whose schema says so are merged element by element; everything without a schema merges like JSON merge patch.
//! Directives never reach the result, not even from parts that are copied whole: a server forgets them when it decodes
//! the object, and so do we.

mod list;

use super::DEEPEST;
use super::error::{MergeError, Problem, type_name};
use super::keyed::arrange;
use crate::schema::TypeRef;
use crate::{Json, JsonMap};
use list::{check_order, merge_list};
use std::collections::{BTreeSet, HashSet};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const ELEMENT_ORDER: &str = "$setElementOrder";
const DELETE_FROM: &str = "$deleteFromPrimitiveList";

/// Applies a strategic merge patch to an object of a type.
///
/// # Errors
/// When the patch does not fit: wrong directives, elements without their key, lists of mixed types.
pub fn strategic(original: &Json, patch: &Json, of_type: Option<TypeRef<'_>>) -> Result<Json, MergeError> {
    let object = |json| match json {
        Json::Object(map) => Ok(map),
        other => Err(Problem::NotAnObject(type_name(&other)).here()),
    };
    merge_map(object(original.clone())?, &object(patch.clone())?, of_type, 0).map(Json::Object)
}

fn merge_map(
    mut out: JsonMap,
    patch: &JsonMap,
    of_type: Option<TypeRef<'_>>,
    depth: usize,
) -> Result<JsonMap, MergeError> {
    if depth > DEEPEST {
        return Err(Problem::TooDeep.here());
    }
    match patch.get(DIRECTIVE) {
        None => {}
        Some(Json::String(directive)) if directive == "replace" => return Ok(take_map(patch)),
        Some(Json::String(directive)) if directive == "delete" => return Ok(JsonMap::new()),
        Some(other) => return Err(unknown_directive(other)),
    }
    retain_keys(&mut out, patch)?;

    // A list may be spoken of under three names: its own, its order and its deletions.
    let mut names = BTreeSet::new();
    for key in patch.keys().filter(|key| *key != RETAIN_KEYS) {
        names.insert(field_of(key)?);
    }
    for name in names {
        let said = Said {
            value: patch.get(name),
            order: patch.get(&format!("{ELEMENT_ORDER}/{name}")),
            delete: patch.get(&format!("{DELETE_FROM}/{name}")),
        };
        let merged = said
            .merge(out.remove(name), of_type.and_then(|t| t.field(name)), depth)
            .map_err(|error| error.within(name))?;
        if let Some(merged) = merged {
            out.insert(name.to_owned(), merged);
        }
    }
    Ok(out)
}

fn field_of(key: &str) -> Result<&str, MergeError> {
    for prefix in [ELEMENT_ORDER, DELETE_FROM] {
        if let Some(rest) = key.strip_prefix(prefix) {
            return rest.strip_prefix('/').ok_or_else(|| Problem::ParallelList(key.to_owned()).here());
        }
    }
    Ok(key)
}

fn retain_keys(out: &mut JsonMap, patch: &JsonMap) -> Result<(), MergeError> {
    let Some(list) = patch.get(RETAIN_KEYS) else { return Ok(()) };
    let bad = || Problem::RetainKeys.here();
    let kept: HashSet<&str> = list.as_array().ok_or_else(bad)?.iter().filter_map(Json::as_str).collect();
    let is_field = |key: &str| ![DIRECTIVE, RETAIN_KEYS].contains(&key) && field_of(key) == Ok(key);
    if patch.iter().any(|(key, value)| !value.is_null() && is_field(key) && !kept.contains(&**key)) {
        return Err(bad());
    }
    out.retain(|key, _| kept.contains(&**key));
    Ok(())
}

/// What a patch says about one field.
struct Said<'p> {
    value: Option<&'p Json>,
    order: Option<&'p Json>,
    delete: Option<&'p Json>,
}

impl Said<'_> {
    fn merge(
        &self,
        original: Option<Json>,
        of_type: Option<TypeRef<'_>>,
        depth: usize,
    ) -> Result<Option<Json>, MergeError> {
        let merged = match (original, self.value) {
            (original, None) => original,
            (_, Some(Json::Null)) => None,
            (Some(Json::Object(original)), Some(Json::Object(patch))) => {
                Some(Json::Object(merge_map(original, patch, of_type, depth + 1)?))
            }
            (Some(Json::Array(original)), Some(Json::Array(patch))) if of_type.is_some_and(TypeRef::patch_merge) => {
                Some(Json::Array(merge_list(original, patch, self.order, of_type, depth)?))
            }
            (Some(Json::Array(_)), Some(Json::Array(patch))) => Some(patch.iter().map(strip).collect()),
            (None, Some(Json::Array(patch))) => Some(Json::Array(self.take_list(patch, of_type)?)),
            (_, Some(value)) => take(value),
        };
        match merged {
            Some(Json::Array(list)) => {
                let list = delete_from(list, self.delete)?;
                Ok(Some(Json::Array(self.put_in_order(list, of_type)?)))
            }
            other => Ok(other),
        }
    }

    /// A list that was not there before.
    fn take_list(&self, patch: &[Json], of_type: Option<TypeRef<'_>>) -> Result<Vec<Json>, MergeError> {
        let taken: Vec<Json> = patch.iter().filter_map(take).collect();
        let Some(order) = self.order else { return Ok(taken) };
        let (order, key) = (as_list(order)?, of_type.and_then(TypeRef::patch_merge_key));
        check_order(&taken.iter().collect::<Vec<_>>(), order, key)?;
        Ok(arrange(taken, order, &[], key))
    }

    /// A list of which the patch says no more than its order.
    fn put_in_order(&self, list: Vec<Json>, of_type: Option<TypeRef<'_>>) -> Result<Vec<Json>, MergeError> {
        let (Some(order), None) = (self.order, self.value) else { return Ok(list) };
        let key = of_type.and_then(TypeRef::patch_merge_key);
        let live = list.clone();
        Ok(arrange(list, as_list(order)?, &live, key))
    }
}

fn as_list(value: &Json) -> Result<&[Json], MergeError> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| Problem::NotAList(type_name(value)).here())
}

fn delete_from(mut list: Vec<Json>, delete: Option<&Json>) -> Result<Vec<Json>, MergeError> {
    if let Some(delete) = delete {
        let delete: HashSet<&Json> = as_list(delete)?.iter().collect();
        list.retain(|element| !delete.contains(element));
    }
    Ok(list)
}

fn unknown_directive(found: &Json) -> MergeError {
    Problem::Directive(found.as_str().map_or_else(|| found.to_string(), str::to_owned)).here()
}

/// A value of the patch for which there is nothing to merge with. Nothing at all, when it is a directive.
fn take(value: &Json) -> Option<Json> {
    match value {
        Json::Object(map) if map.contains_key(DIRECTIVE) => None,
        Json::Object(map) => Some(Json::Object(take_map(map))),
        Json::Array(list) => Some(Json::Array(list.iter().filter_map(take).collect())),
        scalar => Some(scalar.clone()),
    }
}

fn take_map(map: &JsonMap) -> JsonMap {
    let plain = map.iter().filter(|(key, value)| !value.is_null() && !is_directive(key));
    plain.filter_map(|(key, value)| Some((key.clone(), take(value)?))).collect()
}

/// An element of a list, without the nulls and directives in it. Elements stay even if a directive told to delete them:
/// that is how the server, which forgets what it cannot decode, sees them.
fn strip(value: &Json) -> Json {
    match value {
        Json::Object(map) => {
            let plain = map.iter().filter(|(key, value)| !value.is_null() && !is_directive(key));
            Json::Object(plain.map(|(key, value)| (key.clone(), strip(value))).collect())
        }
        Json::Array(list) => Json::Array(list.iter().map(strip).collect()),
        scalar => scalar.clone(),
    }
}

fn is_directive(key: &str) -> bool {
    key == DIRECTIVE || key == RETAIN_KEYS || key.starts_with(ELEMENT_ORDER) || key.starts_with(DELETE_FROM)
}
