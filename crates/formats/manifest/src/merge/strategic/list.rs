//! Lists that are merged element by element.

use super::{DIRECTIVE, as_list, merge_map, strip, unknown_directive};
use crate::Json;
use crate::merge::error::{MergeError, Problem};
use crate::merge::keyed::{arrange, holds_objects, identity, overwritten, places};
use crate::schema::TypeRef;
use std::collections::{HashMap, HashSet};

pub(super) fn merge_list(
    original: Vec<Json>,
    patch: &[Json],
    order: Option<&Json>,
    of_type: Option<TypeRef<'_>>,
    depth: usize,
) -> Result<Vec<Json>, MergeError> {
    let objects = holds_objects(original.iter().chain(patch)).map_err(Problem::here)?;
    if !objects {
        let live = original.clone();
        let mut seen = HashSet::new();
        let merged: Vec<Json> =
            original.into_iter().chain(patch.iter().cloned()).filter(|element| seen.insert(element.clone())).collect();
        let order = match order {
            Some(order) => {
                check_order(&patch.iter().collect::<Vec<_>>(), as_list(order)?, None)?;
                as_list(order)?
            }
            None => patch,
        };
        return Ok(arrange(merged, order, &live, None));
    }
    let key = of_type.and_then(TypeRef::patch_merge_key).ok_or_else(|| Problem::NoKeyKnown.here())?;
    let items = of_type.and_then(TypeRef::items);
    if let Some(order) = order {
        let ordinary: Vec<&Json> = patch.iter().filter(|element| element.get(DIRECTIVE).is_none()).collect();
        check_order(&ordinary, as_list(order)?, Some(key))?;
    }
    let Obeyed { live, patch, deleted } = obey_directives(&original, patch, key)?;
    let mut merged = live.clone();
    let mut where_is: HashMap<&Json, usize> = places(&live, Some(key));
    for element in patch.iter().copied() {
        let (Json::Object(fields), Some(value)) = (element, identity(element, Some(key))) else {
            return Err(Problem::NoMergeKey(key.to_owned()).here());
        };
        match where_is.get(value).and_then(|at| merged.get_mut(*at)) {
            Some(slot) => {
                if let Json::Object(old) = slot.take() {
                    let element = merge_map(old, fields, items, depth + 1).map_err(|e| e.within(&show(key, value)))?;
                    *slot = Json::Object(element);
                }
            }
            None => {
                where_is.insert(value, merged.len());
                merged.push(strip(element));
            }
        }
    }
    if merged.iter().any(|element| element.get(key).is_none()) {
        return Err(Problem::NoMergeKey(key.to_owned()).here());
    }
    let Some(order) = order else {
        let order: Vec<Json> = patch.into_iter().cloned().collect();
        return Ok(arrange(merged, &order, &live, Some(key)));
    };
    let new = merged.get(live.len()..).unwrap_or_default();
    let live = overwritten(&original, &deleted, new, Some(key));
    Ok(arrange(merged, as_list(order)?, &live, Some(key)))
}

/// A list patch whose deletions and replacements were performed.
struct Obeyed<'p> {
    /// The live elements that are left.
    live: Vec<Json>,
    /// The ordinary elements of the patch.
    patch: Vec<&'p Json>,
    /// The keys of what was deleted.
    deleted: HashSet<&'p Json>,
}

fn obey_directives<'p>(live: &[Json], patch: &'p [Json], key: &str) -> Result<Obeyed<'p>, MergeError> {
    let mut ordinary = Vec::with_capacity(patch.len());
    let mut deleted = HashSet::new();
    let mut replace = false;
    for element in patch {
        match element.get(DIRECTIVE) {
            None => ordinary.push(element),
            Some(Json::String(directive)) if directive == "delete" => {
                deleted.insert(element.get(key).ok_or_else(|| Problem::NoMergeKey(key.to_owned()).here())?);
            }
            Some(Json::String(directive)) if directive == "replace" => replace = true,
            Some(Json::String(directive)) if directive == "merge" => return Err(Problem::MergeDirective.here()),
            Some(other) => return Err(unknown_directive(other)),
        }
    }
    if replace {
        return Ok(Obeyed { live: ordinary.into_iter().map(strip).collect(), patch: Vec::new(), deleted });
    }
    let is_deleted = |element: &&Json| element.get(key).is_some_and(|name| deleted.contains(name));
    let live = live.iter().filter(|element| !is_deleted(element)).cloned().collect();
    Ok(Obeyed { live, patch: ordinary, deleted })
}

/// The patch must name its elements in the order in which it wants them.
pub(super) fn check_order(patch: &[&Json], order: &[Json], key: Option<&str>) -> Result<(), MergeError> {
    if order.is_empty() {
        return Ok(());
    }
    let places = places(order, key);
    let mut last = None;
    for element in patch {
        let place = identity(element, key).and_then(|identity| places.get(identity).copied());
        if place.is_none() || place < last {
            return Err(Problem::ElementOrder.here());
        }
        last = place;
    }
    Ok(())
}

fn show(key: &str, value: &Json) -> String {
    format!("[{key}={}]", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}
