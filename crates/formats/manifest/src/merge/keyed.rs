//! Lists whose elements are matched: by a key when they are objects, by themselves when they are scalars.

use super::error::Problem;
use crate::Json;
use std::collections::{HashMap, HashSet};

/// What makes two elements of a list the same.
pub(super) fn identity<'j>(element: &'j Json, key: Option<&str>) -> Option<&'j Json> {
    match key {
        Some(key) => element.get(key),
        None => Some(element),
    }
}

/// The first place of every identity in a list.
pub(super) fn places<'j>(list: &'j [Json], key: Option<&str>) -> HashMap<&'j Json, usize> {
    let mut places = HashMap::with_capacity(list.len());
    for (index, element) in list.iter().enumerate() {
        if let Some(identity) = identity(element, key) {
            places.entry(identity).or_insert(index);
        }
    }
    places
}

/// Whether the elements are objects. They must be all of one type, and no lists.
pub(super) fn holds_objects<'j>(elements: impl Iterator<Item = &'j Json>) -> Result<bool, Problem> {
    let mut first: Option<&Json> = None;
    for element in elements {
        match (element, first) {
            (Json::Array(_), _) => return Err(Problem::ListOfLists),
            (element, None) => first = Some(element),
            (element, Some(first)) if std::mem::discriminant(element) == std::mem::discriminant(first) => {}
            _ => return Err(Problem::MixedList),
        }
    }
    Ok(first.is_some_and(Json::is_object))
}

/// The live list as the API server looks at it when it puts elements in order.
///
/// It deletes and appends in the memory of the live list itself: a new element takes the place that a deleted one left
/// at the end, and counts as having been there. Without deletions this is the live list.
pub(super) fn overwritten(live: &[Json], deleted: &HashSet<&Json>, new: &[Json], key: Option<&str>) -> Vec<Json> {
    let is_deleted = |element: &&Json| identity(element, key).is_some_and(|identity| deleted.contains(identity));
    let mut view: Vec<Json> = live.iter().filter(|element| !is_deleted(element)).cloned().collect();
    let stale = view.len();
    view.extend(new.iter().take(live.len() - stale).cloned());
    view.extend(live.iter().skip(view.len()).cloned());
    view
}

/// Brings a merged list into order: what `order` names in its order, the rest as it was in `live`, interleaved so that a
/// live element stays before the one that it was before.
pub(super) fn arrange(merged: Vec<Json>, order: &[Json], live: &[Json], key: Option<&str>) -> Vec<Json> {
    let wanted = places(order, key);
    let known = places(live, key);
    let place = |places: &HashMap<&Json, usize>, element: &Json| {
        identity(element, key).and_then(|identity| places.get(identity).copied())
    };
    let (mut named, mut rest): (Vec<Json>, Vec<Json>) =
        merged.into_iter().partition(|element| place(&wanted, element).is_some());
    named.sort_by_cached_key(|element| place(&wanted, element));
    rest.sort_by_cached_key(|element| place(&known, element).unwrap_or(usize::MAX));

    let mut out = Vec::with_capacity(named.len() + rest.len());
    let mut named = named.into_iter().peekable();
    let mut rest = rest.into_iter().peekable();
    while let (Some(left), Some(right)) = (rest.peek(), named.peek()) {
        let live_first = match (place(&known, left), place(&known, right)) {
            (Some(left), Some(right)) => left < right,
            _ => false,
        };
        out.extend(if live_first { rest.next() } else { named.next() });
    }
    out.extend(named);
    out.extend(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::arrange;
    use crate::Json;
    use serde_json::json;

    #[test]
    fn patch_order_wins_and_live_neighbours_stay() {
        let list = |text: &str| text.chars().map(|c| json!(c.to_string())).collect::<Vec<Json>>();
        for (merged, order, live, expected) in [
            ("abc", "", "abc", "abc"),
            ("abc", "cb", "abc", "acb"),
            ("abcx", "xc", "abc", "xabc"),
            ("abcx", "cx", "abc", "abcx"),
            ("sa", "a", "sa", "sa"),
            ("", "ab", "", ""),
        ] {
            assert_eq!(
                arrange(list(merged), &list(order), &list(live), None),
                list(expected),
                "{merged} {order} {live}"
            );
        }
    }
}
