//! Bringing an object into the form the API stores: its kind's types, defaults, Go's zero values.

use crate::cluster::State;
use crate::custom;
use crate::defaults;
use crate::error::ApiError;
use crate::json::Tree;
use crate::kind::SECRETS;
use crate::object::Object;
use crate::registry::Resource;
use crate::schema::decode::decode;
use crate::schema::encode::complete;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// An object that was read, with what strict decoding found.
#[derive(Debug)]
pub(crate) struct Read {
    pub object: Value,
    pub strict: Vec<String>,
}

impl State {
    /// Brings a value into the stored form. Unknown fields are dropped.
    pub(crate) fn prepare(&self, resource: &Resource, object: Value) -> Result<Value, ApiError> {
        read(resource, &Tree::from(&object)).map(|r| r.object).map_err(|why| cannot_handle(resource, &object, &why))
    }
}

impl State {
    /// Like [`State::prepare`], for the write of a part by somebody of the house. Of a status nothing else counts: what is around
    /// it came from the store, in the stored form.
    pub(crate) fn prepare_part(
        &self,
        resource: &Resource,
        subresource: &str,
        mut object: Value,
    ) -> Result<Value, ApiError> {
        let field = resource.ty.as_struct().and_then(|shape| shape.fields.get("status"));
        let (Some(field), "status", false) = (field, subresource, resource.is_custom()) else {
            return self.prepare(resource, object);
        };
        let Some(status) = object.get("status") else { return Ok(object) };
        let read = decode(&Tree::from(status), &field.ty).map_err(|why| cannot_handle(resource, &object, &why))?;
        let mut status = read.value;
        defaults::fill_in(&mut status, &field.ty);
        complete(&mut status, &field.ty);
        object.set("/status", status);
        Ok(object)
    }
}

/// Reads a document as an object of the resource. The error is that of the decoder.
pub(crate) fn read(resource: &Resource, tree: &Tree<'_>) -> Result<Read, String> {
    if let Some(version) = &resource.custom {
        return custom::read(resource, version, tree);
    }
    let decoded = decode(tree, &resource.ty)?;
    let mut object = decoded.value;
    object.set("/apiVersion", resource.api_version());
    object.set("/kind", resource.kind.as_str());
    object.make("/metadata");
    if resource.is(&SECRETS) {
        seal_texts(&mut object);
    }
    defaults::apply(resource, &mut object);
    complete(&mut object, &resource.ty);
    Ok(Read { object, strict: decoded.strict })
}

/// The object as it comes out of the store: what was added after its reading gets its defaults too.
pub(crate) fn restored(stored: &Resource, mut object: Value) -> Value {
    if !stored.is_custom() {
        defaults::apply(stored, &mut object);
        complete(&mut object, &stored.ty);
    }
    object
}

/// Texts of a secret become data; they are never read back.
fn seal_texts(secret: &mut Value) {
    if let Some(Value::Object(texts)) = secret.remove("/stringData") {
        let data = secret.make("/data");
        for (key, text) in texts {
            let sealed = BASE64.encode(text.as_str().unwrap_or_default());
            data.insert(key, sealed.into());
        }
    }
}

/// The object of this kind on which nothing is set, as Go makes it.
pub(crate) fn empty(resource: &Resource) -> Value {
    let mut object = json!({"apiVersion": resource.api_version(), "kind": resource.kind, "metadata": {}});
    if !resource.is_custom() {
        complete(&mut object, &resource.ty);
    }
    object
}

pub(crate) fn cannot_handle(resource: &Resource, object: &Value, why: &str) -> ApiError {
    let version = object.api_version().rsplit('/').next().unwrap_or_default();
    ApiError::bad_request(format!(
        "{} in version {version:?} cannot be handled as a {}: {why}",
        object.kind(),
        resource.kind
    ))
}

/// The object in another version of its kind; as it is when that is its version.
pub(crate) fn convert<'a>(object: Cow<'a, Value>, from: &Resource, to: &Resource) -> Cow<'a, Value> {
    if from.group == to.group && from.version == to.version {
        return object;
    }
    let mut out = object.into_owned();
    crate::versions::convert(&mut out, &from.api_version(), &to.api_version());
    out.set("/apiVersion", to.api_version());
    if !to.is_custom() {
        complete(&mut out, &to.ty);
    }
    Cow::Owned(out)
}

/// The same of what is stored: shared as long as it can be.
pub(crate) fn shown(object: &Arc<Value>, from: &Resource, to: &Resource) -> Arc<Value> {
    match convert(Cow::Borrowed(&**object), from, to) {
        Cow::Borrowed(_) => Arc::clone(object),
        Cow::Owned(object) => Arc::new(object),
    }
}

/// Sets a field, or takes it away when there is nothing to set.
pub(crate) fn put(object: &mut Value, pointer: &str, value: Option<Value>) {
    match value {
        Some(value) => object.set(pointer, value),
        None => {
            object.remove(pointer);
        }
    }
}

/// Copies a field from another object; absent there is absent here.
pub(crate) fn keep(object: &mut Value, from: &Value, pointer: &str) {
    put(object, pointer, from.at(pointer).cloned());
}

/// The object's own fields without `kind`, `apiVersion`, `metadata` and `status`.
pub(crate) fn own_fields(object: &Value) -> Map<String, Value> {
    let entries = object.as_object().into_iter().flatten();
    let own = entries.filter(|(k, _)| !matches!(k.as_str(), "kind" | "apiVersion" | "metadata" | "status"));
    own.map(|(k, v)| (k.clone(), v.clone())).collect()
}
