//! Reading and writing the common parts of objects.

use serde_json::{Map, Value};
use windlass_model::Timestamp;

/// Accessors of what every Kubernetes object has. Absent reads as empty.
pub trait Object {
    /// The value at a pointer. As [`Value::pointer`], but without an allocation for each step: every rule of the cluster reads
    /// through here.
    fn at(&self, pointer: &str) -> Option<&Value>;
    fn text(&self, pointer: &str) -> &str;
    fn int(&self, pointer: &str) -> Option<i64>;
    fn list(&self, pointer: &str) -> &[Value];
    fn name(&self) -> &str;
    fn namespace(&self) -> &str;
    fn uid(&self) -> &str;
    fn kind(&self) -> &str;
    fn api_version(&self) -> &str;
    /// The version of the store at which this object was written; 0 when it was not.
    fn revision(&self) -> u64;
    fn generation(&self) -> i64;
    fn label(&self, key: &str) -> Option<&str>;
    fn annotation(&self, key: &str) -> Option<&str>;
    fn finalizers(&self) -> impl Iterator<Item = &str>;
    fn has_finalizer(&self, name: &str) -> bool;
    fn owner_references(&self) -> &[Value];
    /// The owner with `controller: true`.
    fn controller(&self) -> Option<&Value>;
    fn is_deleting(&self) -> bool;
    fn created_at(&self) -> Option<Timestamp>;
    /// The object at `pointer`, made with everything above it when it is not there or not an object.
    fn make(&mut self, pointer: &str) -> &mut Map<String, Value>;
    /// Sets the value at `pointer`; the objects above it are made.
    fn set(&mut self, pointer: &str, value: impl Into<Value>);
    /// Takes the value at `pointer` away.
    fn remove(&mut self, pointer: &str) -> Option<Value>;
}

impl Object for Value {
    fn at(&self, pointer: &str) -> Option<&Value> {
        let Some(mut rest) = pointer.strip_prefix('/') else { return self.pointer(pointer) };
        let mut here = self;
        loop {
            // Parts are short: a search that is made for long texts takes longer than they are.
            let end = rest.bytes().position(|byte| byte == b'/' || byte == b'~').unwrap_or(rest.len());
            let (part, more) = rest.split_at(end);
            if more.starts_with('~') {
                return self.pointer(pointer);
            }
            here = match here {
                Value::Object(map) => map.get(part)?,
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
            match more.strip_prefix('/') {
                Some(more) => rest = more,
                None => return Some(here),
            }
        }
    }

    fn text(&self, pointer: &str) -> &str {
        self.at(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    fn int(&self, pointer: &str) -> Option<i64> {
        self.at(pointer).and_then(Value::as_i64)
    }

    fn list(&self, pointer: &str) -> &[Value] {
        self.at(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn name(&self) -> &str {
        self.text("/metadata/name")
    }

    fn namespace(&self) -> &str {
        self.text("/metadata/namespace")
    }

    fn uid(&self) -> &str {
        self.text("/metadata/uid")
    }

    fn kind(&self) -> &str {
        self.text("/kind")
    }

    fn api_version(&self) -> &str {
        self.text("/apiVersion")
    }

    fn revision(&self) -> u64 {
        self.text("/metadata/resourceVersion").parse().unwrap_or(0)
    }

    fn generation(&self) -> i64 {
        self.int("/metadata/generation").unwrap_or(0)
    }

    fn label(&self, key: &str) -> Option<&str> {
        self.pointer("/metadata/labels")?.get(key)?.as_str()
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        self.pointer("/metadata/annotations")?.get(key)?.as_str()
    }

    fn finalizers(&self) -> impl Iterator<Item = &str> {
        self.list("/metadata/finalizers").iter().filter_map(Value::as_str)
    }

    fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers().any(|f| f == name)
    }

    fn owner_references(&self) -> &[Value] {
        self.list("/metadata/ownerReferences")
    }

    fn controller(&self) -> Option<&Value> {
        self.owner_references().iter().find(|o| o.get("controller").and_then(Value::as_bool) == Some(true))
    }

    fn is_deleting(&self) -> bool {
        !self.text("/metadata/deletionTimestamp").is_empty()
    }

    fn created_at(&self) -> Option<Timestamp> {
        Timestamp::parse(self.text("/metadata/creationTimestamp"))
    }

    fn make(&mut self, pointer: &str) -> &mut Map<String, Value> {
        let mut here = self;
        for part in pointer.split('/').skip(1) {
            here = as_map(here).entry(key(part)).or_insert(Value::Null);
        }
        as_map(here)
    }

    fn set(&mut self, pointer: &str, value: impl Into<Value>) {
        let (above, last) = pointer.rsplit_once('/').unwrap_or(("", pointer));
        self.make(above).insert(key(last), value.into());
    }

    fn remove(&mut self, pointer: &str) -> Option<Value> {
        let (above, last) = pointer.rsplit_once('/')?;
        self.pointer_mut(above)?.as_object_mut()?.remove(&key(last))
    }
}

/// One step of a pointer as the key that it stands for.
fn key(step: &str) -> String {
    if step.contains('~') { step.replace("~1", "/").replace("~0", "~") } else { step.to_owned() }
}

/// The value as an object; anything else becomes an empty one first.
pub(crate) fn as_map(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("made an object above"),
    }
}

/// A moment as `metav1.Time` prints it: RFC 3339 in whole seconds.
pub fn time_text(at: Timestamp) -> String {
    format!("{:.0}", Timestamp::from_secs(at.secs()).to_jiff())
}

/// A moment as `metav1.MicroTime` prints it.
pub fn micro_time_text(at: Timestamp) -> String {
    format!("{:.6}", at.to_jiff())
}
