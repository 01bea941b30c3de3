//! The scale subresource.

use super::handle::Call;
use super::{body, create, options, patch, read, reply};
use crate::error::ApiError;
use crate::json::Tree;
use crate::ops::Write;
use crate::ops::patch::Patch;
use crate::ops::scale::{patched, read_scale, scale_of};
use crate::schema::builtin;
use crate::schema::decode::decode;
use crate::warnings;
use axum::body::Body;
use axum::response::Response;
use serde_json::Value;

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    match call.request.verb {
        "get" => {
            let scale = read_scale(&call.resource, &*read::object(&call)?)?;
            Ok(reply::object(200, &scale, &call.accepted))
        }
        "update" => {
            let write = options::write("UpdateOptions", &call.query, &call.headers, call.server.cluster.now())?;
            let media_type = body::media_type(&call.headers);
            body::check_media_type(&media_type, call.resource.is_custom())?;
            let bytes = body::collect(body, call.server.body_limit).await?;
            let tree = create::parse(&call.resource, &media_type, &bytes)?;
            if tree.get("kind").and_then(Tree::as_str) == Some("Status") {
                let why = "converting (v1.Status) to (autoscaling.Scale): unknown conversion";
                return Err(ApiError::bad_request(format!(
                    "Status in version \"v1\" cannot be handled as a Scale: {why}"
                )));
            }
            let ty = builtin::kind("autoscaling/v1/Scale").unwrap_or(crate::schema::Type::Raw);
            let decoded = decode(&tree, &ty).map_err(|why| {
                ApiError::bad_request(format!("Scale in version \"v1\" cannot be handled as a Scale: {why}"))
            })?;
            set(&call, |_| Ok(decoded.value), None, &write)
        }
        _ => {
            let (patch, write) = patch::read_patch(&call, body).await?;
            let forced = if let Patch::Apply { force, .. } = &patch { Some(*force) } else { None };
            set(&call, |scale| patched(scale, &patch), forced, &write)
        }
    }
}

/// Sets it, and tells of the object behind it what is told of those that change.
fn set(
    call: &Call,
    make: impl FnOnce(&Value) -> Result<Value, ApiError>,
    forced: Option<bool>,
    write: &Write,
) -> Result<Response, ApiError> {
    let (resource, namespace, name) = (&call.resource, read::namespace(call), call.request.name.as_str());
    let (object, before) = call.server.cluster.step(|state| {
        let before = state.store.get(&resource.stored.key(namespace, name)).cloned();
        state.set_scale(resource, namespace, name, make, forced, write).map(|object| (object, before))
    })?;
    let mut response = reply::object(200, &scale_of(resource, &object), &call.accepted);
    reply::warn(&mut response, &warnings::of(resource, &object, before.as_deref()));
    Ok(response)
}
