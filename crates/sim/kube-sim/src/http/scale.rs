//! The scale subresource.

use super::handle::Call;
use super::{body, create, options, patch, read, reply};
use crate::error::ApiError;
use crate::json::Tree;
use crate::ops::patch::Patch;
use crate::ops::scale::{patched, read_scale};
use crate::schema::builtin;
use crate::schema::decode::decode;
use axum::body::Body;
use axum::response::Response;

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    let (namespace, name) = (read::namespace(&call), call.request.name.as_str());
    let scale = match call.request.verb {
        "get" => read_scale(&call.resource, &*read::object(&call)?)?,
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
            let make = |_: &serde_json::Value| Ok(decoded.value);
            call.server.cluster.step(|state| state.set_scale(&call.resource, namespace, name, make, None, &write))?
        }
        _ => {
            let (patch, write) = patch::read_patch(&call, body).await?;
            let make = |scale: &serde_json::Value| patched(scale, &patch);
            let forced = if let Patch::Apply { force, .. } = &patch { Some(*force) } else { None };
            call.server.cluster.step(|state| state.set_scale(&call.resource, namespace, name, make, forced, &write))?
        }
    };
    Ok(reply::object(200, &scale, &call.accepted))
}
