use super::DEEPEST;
use crate::Json;

/// The API server refuses longer patches.
pub const MOST_OPERATIONS: usize = 10_000;

/// Why a JSON patch was not applied. The number is the operation's place in the patch, from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonPatchError {
    /// The API server answers 400.
    #[error("a JSON patch is a list of operations, each an object with `op` and `path`")]
    NotAPatch,
    /// The API server answers 413.
    #[error("the patch has {0} operations, at most {MOST_OPERATIONS} are allowed")]
    TooMany(usize),
    #[error("operation {index}: unknown operation `{op}`")]
    Unknown { index: usize, op: String },
    #[error("operation {index}: `{op}` needs `{field}`, a JSON pointer")]
    Missing { index: usize, op: &'static str, field: &'static str },
    #[error("operation {index}: `{op}` does not apply: there is no {path}")]
    NoSuchPath { index: usize, op: &'static str, path: String },
    #[error("operation {index}: {path}: `{key}` is not an index of this list")]
    BadIndex { index: usize, path: String, key: String },
    #[error("operation {index}: {path} does not have the value that the patch tests for")]
    TestFailed { index: usize, path: String },
    #[error("operation {index}: the copies of this patch are larger than {0} bytes together", MOST_COPIED)]
    CopiesTooLarge { index: usize },
    #[error("operation {index}: the object would be nested deeper than {DEEPEST} levels")]
    TooDeep { index: usize },
}

/// What `copy` may add, as in the API server (3 MiB).
const MOST_COPIED: usize = 3 << 20;

/// JSON patch (RFC 6902) as the API server applies it.
///
/// It differs from the RFC as the server does: negative indices count from the end, replacing a field that is not there
/// adds it, a value that is missing is null, what stands before the first `/` of a path is not looked at, and only
/// `replace` may have the whole document as its target, with an object or a list.
///
/// # Errors
/// At the first operation that does not apply; the document is untouched then.
pub fn json_patch(document: &Json, patch: &Json) -> Result<Json, JsonPatchError> {
    let operations = patch.as_array().ok_or(JsonPatchError::NotAPatch)?;
    if operations.iter().any(|o| !o.is_object()) {
        return Err(JsonPatchError::NotAPatch);
    }
    if operations.len() > MOST_OPERATIONS {
        return Err(JsonPatchError::TooMany(operations.len()));
    }
    let mut document = document.clone();
    let mut copied = 0;
    // Operations can nest values into each other. An upper bound is kept, and the depth is measured only when it is crossed.
    let mut depth = depth_of(&document);
    for (index, operation) in operations.iter().enumerate() {
        Operation { index, json: operation }.apply(&mut document, &mut copied)?;
        let steps = operation.get("path").and_then(Json::as_str).map_or(0, |path| path.matches('/').count());
        depth = steps + depth.max(operation.get("value").map_or(0, depth_of));
        if depth > DEEPEST {
            depth = depth_of(&document);
        }
        if depth > DEEPEST {
            return Err(JsonPatchError::TooDeep { index });
        }
    }
    Ok(document)
}

fn depth_of(value: &Json) -> usize {
    match value {
        Json::Array(list) => 1 + list.iter().map(depth_of).max().unwrap_or(0),
        Json::Object(map) => 1 + map.values().map(depth_of).max().unwrap_or(0),
        _ => 0,
    }
}

#[derive(Clone, Copy)]
struct Operation<'p> {
    index: usize,
    json: &'p Json,
}

impl Operation<'_> {
    fn apply(self, document: &mut Json, copied: &mut usize) -> Result<(), JsonPatchError> {
        match self.json.get("op").and_then(Json::as_str).unwrap_or_default() {
            "add" => {
                let path = self.pointer("add", "path")?;
                self.add("add", document, &path, self.value())
            }
            "remove" => {
                let path = self.pointer("remove", "path")?;
                self.remove("remove", document, &path).map(drop)
            }
            "replace" => self.replace(document),
            "move" => {
                let from = self.pointer("move", "from")?;
                let path = self.pointer("move", "path")?;
                let value = self.remove("move", document, &from)?;
                self.add("move", document, &path, value)
            }
            "copy" => {
                let from = self.pointer("copy", "from")?;
                let path = self.pointer("copy", "path")?;
                let value = self.get("copy", document, &from)?.cloned().unwrap_or_default();
                *copied = copied.saturating_add(size(&value));
                if *copied > MOST_COPIED {
                    return Err(JsonPatchError::CopiesTooLarge { index: self.index });
                }
                self.add("copy", document, &path, value)
            }
            "test" => {
                let path = self.pointer("test", "path")?;
                let found = self.get("test", document, &path)?.unwrap_or(&Json::Null);
                if found == self.json.get("value").unwrap_or(&Json::Null) {
                    return Ok(());
                }
                Err(JsonPatchError::TestFailed { index: self.index, path: show(&path) })
            }
            op => Err(JsonPatchError::Unknown { index: self.index, op: op.to_owned() }),
        }
    }

    fn replace(self, document: &mut Json) -> Result<(), JsonPatchError> {
        let path = self.pointer("replace", "path")?;
        let value = self.value();
        let Some((key, parent)) = path.split_last() else {
            if value.is_object() || value.is_array() {
                *document = value;
            }
            return Ok(());
        };
        match self.parent("replace", document, parent, &path)? {
            Json::Object(map) => {
                map.insert(key.clone(), value);
            }
            Json::Array(list) => {
                let at = self.index_in(list.len(), key, &path)?;
                if let Some(slot) = list.get_mut(at) {
                    *slot = value;
                }
            }
            _ => return Err(self.missing("replace", &path)),
        }
        Ok(())
    }

    fn add(self, op: &'static str, document: &mut Json, path: &[String], value: Json) -> Result<(), JsonPatchError> {
        let Some((key, parent)) = path.split_last() else { return Err(self.missing(op, path)) };
        match self.parent(op, document, parent, path)? {
            Json::Object(map) => {
                map.insert(key.clone(), value);
            }
            Json::Array(list) if key == "-" => list.push(value),
            Json::Array(list) => {
                // One place more than there are elements: behind the last one.
                let at = self.index_in(list.len() + 1, key, path)?;
                list.insert(at, value);
            }
            _ => return Err(self.missing(op, path)),
        }
        Ok(())
    }

    fn remove(self, op: &'static str, document: &mut Json, path: &[String]) -> Result<Json, JsonPatchError> {
        let Some((key, parent)) = path.split_last() else { return Err(self.missing(op, path)) };
        match self.parent(op, document, parent, path)? {
            Json::Object(map) => map.remove(key).ok_or_else(|| self.missing(op, path)),
            Json::Array(list) => {
                let at = self.index_in(list.len(), key, path)?;
                Ok(list.remove(at))
            }
            _ => Err(self.missing(op, path)),
        }
    }

    /// The value at a path; nothing when only its last step leads nowhere.
    fn get<'d>(self, op: &'static str, at: &'d Json, path: &[String]) -> Result<Option<&'d Json>, JsonPatchError> {
        let Some((key, parent)) = path.split_last() else {
            return if op == "test" { Ok(Some(at)) } else { Err(self.missing(op, path)) };
        };
        let mut at = at;
        for step in parent {
            at = self.step(at, step, path)?.ok_or_else(|| self.missing(op, path))?;
        }
        match at {
            Json::Object(_) | Json::Array(_) => self.step(at, key, path),
            _ => Err(self.missing(op, path)),
        }
    }

    fn step<'d>(self, at: &'d Json, key: &str, path: &[String]) -> Result<Option<&'d Json>, JsonPatchError> {
        match at {
            Json::Object(map) => Ok(map.get(key)),
            Json::Array(list) => Ok(list.get(self.index_in(list.len(), key, path)?)),
            _ => Ok(None),
        }
    }

    fn parent<'d>(
        self,
        op: &'static str,
        mut at: &'d mut Json,
        parent: &[String],
        path: &[String],
    ) -> Result<&'d mut Json, JsonPatchError> {
        for step in parent {
            at = match at {
                Json::Object(map) => map.get_mut(step),
                Json::Array(list) => {
                    let index = self.index_in(list.len(), step, path)?;
                    list.get_mut(index)
                }
                _ => None,
            }
            .ok_or_else(|| self.missing(op, path))?;
        }
        Ok(at)
    }

    fn index_in(self, len: usize, key: &str, path: &[String]) -> Result<usize, JsonPatchError> {
        let index = key.parse::<i64>().ok().and_then(|index| {
            let from_end = i64::try_from(len).ok()?;
            let index = if index < 0 { index + from_end } else { index };
            usize::try_from(index).ok().filter(|i| *i < len)
        });
        let bad = || JsonPatchError::BadIndex { index: self.index, path: show(path), key: key.to_owned() };
        index.ok_or_else(bad)
    }

    fn value(self) -> Json {
        self.json.get("value").cloned().unwrap_or_default()
    }

    fn pointer(self, op: &'static str, field: &'static str) -> Result<Vec<String>, JsonPatchError> {
        let missing = JsonPatchError::Missing { index: self.index, op, field };
        let text = self.json.get(field).and_then(Json::as_str).ok_or(missing)?;
        match text.split_once('/') {
            Some((_, steps)) => Ok(steps.split('/').map(|s| s.replace("~1", "/").replace("~0", "~")).collect()),
            None if text.is_empty() => Ok(Vec::new()),
            None => Err(JsonPatchError::NoSuchPath { index: self.index, op, path: text.to_owned() }),
        }
    }

    fn missing(self, op: &'static str, path: &[String]) -> JsonPatchError {
        JsonPatchError::NoSuchPath { index: self.index, op, path: show(path) }
    }
}

fn show(path: &[String]) -> String {
    path.iter().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect()
}

/// The length of a value's text.
fn size(value: &Json) -> usize {
    match value {
        Json::String(text) => text.len() + 2,
        Json::Array(list) => list.iter().map(|v| size(v) + 1).sum::<usize>() + 2,
        Json::Object(map) => map.iter().map(|(k, v)| k.len() + size(v) + 4).sum::<usize>() + 2,
        _ => 8,
    }
}
