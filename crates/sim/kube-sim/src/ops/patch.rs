//! Changing objects by patches.

mod directives;

use super::prepare::{empty, read};
use super::{FieldValidation, Write};
use crate::apply::{self, Apply, last_applied, manager::Writer};
use crate::cluster::State;
use crate::error::{ApiError, Cause};
use crate::json::Tree;
use crate::object::Object;
use crate::registry::Resource;
use crate::schema::builtin;
use crate::strategy;
use serde_json::Value;
use std::sync::Arc;
use windlass_manifest::{Gvk, merge, schema};

/// A patch of one of the four kinds.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// RFC 6902: a list of operations.
    Json(Value),
    /// RFC 7386: null deletes, lists are replaced.
    Merge(Value),
    /// Lists are merged by the keys that the schema names.
    Strategic(Value),
    /// Server-side apply: the fields that the manager wants, all of them.
    Apply { config: Value, force: bool },
}

/// What a patch came to.
#[derive(Debug)]
pub(crate) struct Patched {
    pub object: Arc<Value>,
    pub created: bool,
}

impl State {
    pub(crate) fn patch(
        &mut self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        patch: &Patch,
        write: &Write,
        strict: &mut Vec<String>,
    ) -> Result<Patched, ApiError> {
        if let Patch::Apply { config, force } = patch {
            return self.apply(resource, namespace, name, (config, *force), write, strict);
        }
        let write = &Write { is_patch: true, ..write.clone() };
        let make = |_: &State, live: &Value| {
            let changed = patched(resource, live, patch)?;
            let read = decode(resource, patch, &changed)?;
            *strict = read.strict;
            if write.validation == FieldValidation::Strict && !strict.is_empty() {
                return Err(invalid_patch(patch, &format!("strict decoding error: {}", strict.join(", "))));
            }
            Ok(read.object)
        };
        let object = self.update(resource, namespace, name, write, make)?;
        Ok(Patched { object, created: false })
    }

    fn apply(
        &mut self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        (config, force): (&Value, bool),
        write: &Write,
        strict: &mut Vec<String>,
    ) -> Result<Patched, ApiError> {
        check_config(resource, name, config)?;
        // What the schema does not know is refused, not warned of.
        strict.clear();
        let reset = strategy::reset_fields(resource, &write.subresource);
        let (api_version, now) = (resource.api_version(), write.time());
        let writer = Writer {
            manager: &write.manager,
            api_version: &api_version,
            subresource: &write.subresource,
            reset: &reset,
            now: &now,
            ty: &resource.ty,
        };
        let nothing = empty(resource);
        let applied = |live: &Value| {
            let apply = Apply { live, empty: &nothing, config, force };
            let mut object = apply::apply(&apply, writer)?;
            // Who moves from client-side apply keeps the annotation in step.
            if write.manager == "kubectl" && object.annotation(last_applied::ANNOTATION).is_some_and(|a| !a.is_empty())
            {
                let mut said = config.clone();
                said.remove("/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration");
                object.set(
                    "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration",
                    format!("{said}\n"),
                );
            }
            let owners = object.at("/metadata/managedFields").cloned();
            let mut object =
                read(resource, &Tree::from(&object)).map_err(|why| inconvertible(resource, config, &why))?.object;
            super::prepare::put(&mut object, "/metadata/managedFields", owners);
            Ok(object)
        };
        let mut write = write.clone();
        write.applied = true;
        write.is_patch = true;
        let key = resource.stored.key(namespace, name);
        if self.store.get(&key).is_some() {
            let object = self.update(resource, namespace, name, &write, |_, live| applied(live))?;
            return Ok(Patched { object, created: false });
        }
        if !write.subresource.is_empty() && !strategy::creates_by_update(resource) {
            return Err(ApiError::not_found(&resource.group_resource(), name));
        }
        let uid = config.uid();
        if !uid.is_empty() {
            let why =
                format!("uid mismatch: the provided object specified uid {uid}, and no existing object was found");
            return Err(ApiError::conflict(&resource.group_resource(), name, &why));
        }
        let object = applied(&nothing)?;
        if object.name().is_empty() {
            let why = format!("the name of the object ({name} based on URL) was undeterminable: name must be provided");
            return Err(ApiError::bad_request(why));
        }
        write.creates = true;
        let object = self.create(resource, namespace, object, &write)?;
        Ok(Patched { object, created: true })
    }
}

fn check_config(resource: &Resource, name: &str, config: &Value) -> Result<(), ApiError> {
    let (api_version, kind) = (config.api_version(), config.kind());
    if api_version != resource.api_version() || kind != resource.kind {
        let shown = if api_version.is_empty() && kind.is_empty() {
            "/, Kind=".to_owned()
        } else {
            let qualified = if api_version.contains('/') { api_version.to_owned() } else { format!("/{api_version}") };
            format!("{qualified}, Kind={kind}")
        };
        if api_version.is_empty() || kind.is_empty() {
            return Err(ApiError::bad_request(format!("invalid object type: {shown}")));
        }
        if kind == resource.kind {
            let wanted = resource.api_version();
            return Err(ApiError::bad_request(format!(
                "Incorrect version specified in apply patch. Specified patch version: {api_version}, expected: {wanted}"
            )));
        }
        return Err(ApiError::bad_request(format!("invalid object type: {shown}")));
    }
    if !config.name().is_empty() && config.name() != name {
        return Err(ApiError::bad_request(format!(
            "the name of the object ({}) does not match the name on the URL ({name})",
            config.name()
        )));
    }
    if config.at("/metadata/managedFields").is_some() {
        return Err(ApiError::bad_request("metadata.managedFields must be nil"));
    }
    Ok(())
}

fn decode(resource: &Resource, patch: &Patch, object: &Value) -> Result<super::prepare::Read, ApiError> {
    if let Some(why) = unregistered(resource, patch, object) {
        return Err(undecodable(patch, object, &why));
    }
    read(resource, &Tree::from(object)).map_err(|why| undecodable(patch, object, &why))
}

/// Why the kind that a patch made of the object is none. Strategic patches are never read as a document.
fn unregistered(resource: &Resource, patch: &Patch, object: &Value) -> Option<String> {
    if resource.is_custom() || matches!(patch, Patch::Strategic(_)) {
        return None;
    }
    let own = resource.api_version();
    let version = Some(object.api_version()).filter(|version| !version.is_empty()).unwrap_or(&own);
    let kind = Some(object.kind()).filter(|kind| !kind.is_empty()).unwrap_or(&resource.kind);
    let is_known = builtin::kind(&format!("{version}/{kind}")).is_some();
    let why = || {
        format!(
            "no kind {kind:?} is registered for version {version:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\""
        )
    };
    (!is_known).then(why)
}

/// What came out of the patch cannot be read.
pub(super) fn undecodable(patch: &Patch, object: &Value, why: &str) -> ApiError {
    // Strategic patches are told by themselves, the others by what came out.
    let shown = match patch {
        Patch::Strategic(body) => apply::typed::go_value(body),
        _ => object.to_string(),
    };
    let message = format!("Invalid value: {shown:?}: {why}");
    ApiError::invalid("", "", "", vec![Cause { reason: "FieldValueInvalid", message, field: "patch".into() }])
}

/// What was applied fits the schema and yet cannot be read; it is told by the names that were sent.
fn inconvertible(resource: &Resource, config: &Value, why: &str) -> ApiError {
    let group = if resource.group.is_empty() { "/v1".to_owned() } else { resource.api_version() };
    let kind = format!("{group}, Kind={}", resource.kind);
    let (namespace, name) = (config.namespace(), config.name());
    // Bytes alone are read as JSON inside of the conversion.
    let step = if why.starts_with("illegal base64") { "error decoding from json: " } else { "" };
    let mut error = ApiError::new(
        500,
        "",
        format!(
            "failed to convert new object ({namespace}/{name}; {kind}) to proper version: unable to convert unstructured object to {kind}: {step}{why}"
        ),
    );
    error.details = None;
    error
}

fn invalid_patch(patch: &Patch, why: &str) -> ApiError {
    let shown = match patch {
        Patch::Strategic(body) => apply::typed::go_value(body),
        Patch::Json(body) | Patch::Merge(body) | Patch::Apply { config: body, .. } => body.to_string(),
    };
    let cause = Cause {
        reason: "FieldValueInvalid",
        message: format!("Invalid value: {shown:?}: {why}"),
        field: "patch".into(),
    };
    ApiError::invalid("", "", "", vec![cause])
}

/// The live object with the patch laid over it; not yet read as its kind.
fn patched(resource: &Resource, live: &Value, patch: &Patch) -> Result<Value, ApiError> {
    match patch {
        Patch::Json(operations) => merge::json_patch(live, operations).map_err(|_| rejected()),
        Patch::Merge(body) => Ok(merge::merge_patch(live, body)),
        Patch::Strategic(body) => {
            let gvk =
                Gvk { group: resource.group.clone(), version: resource.version.clone(), kind: resource.kind.clone() };
            let mut merged = merge::strategic(live, body, schema::schema().type_of(&gvk))
                .map_err(|why| ApiError::bad_request(why.to_string()))?;
            directives::forget(&mut merged, live, body, &resource.ty);
            Ok(merged)
        }
        Patch::Apply { .. } => Ok(live.clone()),
    }
}

/// How the API server answers operations that cannot be performed.
pub(super) fn rejected() -> ApiError {
    let mut error = ApiError::new(422, "Invalid", "the server rejected our request due to an error in our request");
    error.details = Some(crate::error::Details::default());
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::{CONFIG_MAPS, JOBS};
    use crate::registry::Registry;
    use serde_json::json;

    #[test]
    fn kinds_that_are_none_are_refused_before_anything_else() {
        let resource = Registry::default().stored(&JOBS).unwrap();
        let object = |kind: &str| json!({"apiVersion": "batch/v1", "kind": kind});
        let why = |patch: &Patch, object: &Value| unregistered(&resource, patch, object);
        let told = why(&Patch::Merge(json!({})), &object("Potato")).unwrap();
        assert!(told.starts_with("no kind \"Potato\" is registered for version \"batch/v1\""), "{told}");
        assert_eq!(why(&Patch::Merge(json!({})), &object("Job")), None);
        assert_eq!(why(&Patch::Json(json!([])), &json!({})), None);
        assert_eq!(why(&Patch::Strategic(json!({})), &object("Potato")), None);
    }

    #[test]
    fn applied_objects_that_do_not_fit_are_told_by_what_was_sent() {
        let resource = Registry::default().stored(&CONFIG_MAPS).unwrap();
        let config = json!({"metadata": {"name": "two"}});
        assert_eq!(
            inconvertible(&resource, &config, "illegal base64 data at input byte 2").message,
            "failed to convert new object (/two; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured \
             object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 2"
        );
    }
}
