//! Reading one object.

use super::handle::Call;
use super::negotiate::View;
use super::{reply, table};
use crate::error::ApiError;
use crate::object::Object;
use crate::ops::prepare::shown;
use axum::response::Response;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(super) fn serve(call: &Call) -> Result<Response, ApiError> {
    let version = call.query.get("resourceVersion");
    if !version.is_empty() && version.parse::<u64>().is_err() {
        return Err(super::collection::no_version(version));
    }
    let object = object(call)?;
    Ok(show(call, 200, &object))
}

/// The object that the path names, in the version of the path.
pub(super) fn object(call: &Call) -> Result<Arc<Value>, ApiError> {
    let (resource, request) = (&call.resource, &call.request);
    let namespace = namespace(call);
    call.server.cluster.step(|state| {
        let stored = state.stored_resource(&resource.stored)?;
        let found = state.store.get(&resource.stored.key(namespace, &request.name));
        let found = found.ok_or_else(|| ApiError::not_found(&resource.group_resource(), &request.name))?;
        Ok(shown(found, &stored, resource))
    })
}

/// The namespace in which the object is kept.
pub(super) fn namespace(call: &Call) -> &str {
    if call.resource.namespaced { &call.request.namespace } else { "" }
}

/// One object in the form that the client asked for.
pub(super) fn show(call: &Call, status: u16, object: &Value) -> Response {
    let body = match call.accepted.view {
        View::Whole => return reply::object(status, object, &call.accepted),
        View::Partial => partial(object),
        View::Table => {
            let include = table::Include::of(&call.query);
            let mut table = table::table(&call.resource, &[object], include, call.server.cluster.now());
            table.set("/metadata/resourceVersion", object.text("/metadata/resourceVersion"));
            table
        }
    };
    reply::object(status, &body, &call.accepted)
}

/// Metadata only.
pub(super) fn partial(object: &Value) -> Value {
    let metadata = crate::strategy::inner_metadata(object);
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
}

/// The metadata of a list.
pub(super) fn list_meta(revision: u64, token: &str, remaining: Option<usize>) -> Map<String, Value> {
    let mut meta = Map::new();
    meta.insert("resourceVersion".into(), revision.to_string().into());
    if !token.is_empty() {
        meta.insert("continue".into(), token.into());
    }
    if let Some(remaining) = remaining {
        meta.insert("remainingItemCount".into(), remaining.into());
    }
    meta
}
