//! Fields of JSON by path, tolerant of wrong types: what is not as expected is left alone.

use crate::{Json, JsonMap};

/// The value at a path of object fields.
pub(crate) fn get<'j>(json: &'j Json, path: &[&str]) -> Option<&'j Json> {
    path.iter().try_fold(json, |at, name| at.get(name))
}

/// The value at a path of object fields.
pub(crate) fn get_mut<'j>(json: &'j mut Json, path: &[&str]) -> Option<&'j mut Json> {
    path.iter().try_fold(json, |at, name| at.get_mut(name))
}

/// The object at a path. Missing objects on the way are made; something else on the way gives nothing.
pub(crate) fn map_mut<'j>(json: &'j mut Json, path: &[&str]) -> Option<&'j mut JsonMap> {
    let mut at = json;
    for name in path {
        let map = at.as_object_mut()?;
        let next = map.entry(*name).or_insert_with(|| Json::Object(JsonMap::new()));
        if next.is_null() {
            *next = Json::Object(JsonMap::new());
        }
        at = next;
    }
    at.as_object_mut()
}

/// Sets a field. Does nothing when something on the way is not an object.
pub(crate) fn set(json: &mut Json, path: &[&str], value: Json) {
    if let Some((name, parent)) = path.split_last()
        && let Some(map) = map_mut(json, parent)
    {
        map.insert((*name).to_owned(), value);
    }
}

/// Removes a field, and the object that held it when that is empty then.
pub(crate) fn remove(json: &mut Json, parent: &[&str], name: &str) {
    let Some(map) = get_mut(json, parent).and_then(Json::as_object_mut) else { return };
    let removed = map.remove(name).is_some();
    if let (true, true, Some((last, above))) = (removed, map.is_empty(), parent.split_last())
        && let Some(map) = get_mut(json, above).and_then(Json::as_object_mut)
    {
        map.remove(*last);
    }
}

/// The elements of a list at a path.
pub(crate) fn list<'j>(json: &'j Json, path: &[&str]) -> &'j [Json] {
    get(json, path).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

/// The string fields of an object at a path.
pub(crate) fn texts<'j>(json: &'j Json, path: &[&str]) -> impl Iterator<Item = (&'j str, &'j str)> {
    let map = get(json, path).and_then(Json::as_object);
    map.into_iter().flatten().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

/// A text at a path.
pub(crate) fn text<'j>(json: &'j Json, path: &[&str]) -> Option<&'j str> {
    get(json, path).and_then(Json::as_str)
}

/// A whole number at a path.
pub(crate) fn int(json: &Json, path: &[&str]) -> Option<i64> {
    get(json, path).and_then(Json::as_i64)
}
