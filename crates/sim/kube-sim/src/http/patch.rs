//! Patching objects.

use super::handle::Call;
use super::{body, options, read, reply};
use crate::error::{ApiError, Details};
use crate::json::Tree;
use crate::object::Object;
use crate::ops::FieldValidation;
use crate::ops::patch::Patch;
use crate::warnings;
use axum::body::Body;
use axum::response::Response;

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    let (patch, write) = read_patch(&call, body).await?;
    let write = write.on(&call.request.subresource);
    let namespace = read::namespace(&call);
    let (patched, before) = call.server.cluster.step(|state| {
        let before = state.store.get(&call.resource.stored.key(namespace, &call.request.name)).map(|o| o.generation());
        state.patch(&call.resource, namespace, &call.request.name, &patch, &write).map(|p| (p, before))
    })?;
    let mut response = read::show(&call, if patched.created { 201 } else { 200 }, &patched.object);
    if write.validation == FieldValidation::Warn {
        reply::warn(&mut response, &patched.strict);
    }
    reply::warn(&mut response, &warnings::of(&call.resource, &patched.object, before));
    Ok(response)
}

/// The patch of the body and how to write it.
pub(super) async fn read_patch(call: &Call, body: Body) -> Result<(Patch, crate::ops::Write), ApiError> {
    let media_type = body::media_type(&call.headers);
    check_media_type(call, &media_type)?;
    let write = options::write("PatchOptions", &call.query, &call.headers, call.server.cluster.now())?;
    let bytes = body::collect(body, call.server.body_limit).await?;
    let patch = match media_type.as_str() {
        "application/apply-patch+yaml" => {
            let tree =
                body::yaml(&bytes).map_err(|why| ApiError::bad_request(format!("error decoding YAML: {why}")))?;
            Patch::Apply { config: tree.to_value(), force: call.query.flag("force") }
        }
        "application/json-patch+json" => {
            let tree = Tree::parse(&bytes).map_err(|e| undecodable(&e))?;
            if !matches!(tree, Tree::List(_)) {
                return Err(undecodable(&wrong_shape(&tree, "[]handlers.jsonPatchOp")));
            }
            Patch::Json(tree.to_value())
        }
        "application/strategic-merge-patch+json" => {
            let tree = Tree::parse(&bytes).map_err(ApiError::bad_request)?;
            if !matches!(tree, Tree::Object(_)) {
                return Err(ApiError::bad_request(wrong_shape(&tree, "map[string]interface {}")));
            }
            Patch::Strategic(tree.to_value())
        }
        _ => {
            let tree = Tree::parse(&bytes).map_err(|e| undecodable(&e))?;
            if !matches!(tree, Tree::Object(_)) {
                return Err(undecodable(&wrong_shape(&tree, "map[string]interface {}")));
            }
            Patch::Merge(tree.to_value())
        }
    };
    Ok((patch, write))
}

fn undecodable(why: &str) -> ApiError {
    ApiError::bad_request(format!("error decoding patch: {why}"))
}

fn wrong_shape(tree: &Tree, wanted: &str) -> String {
    format!("json: cannot unmarshal {} into Go value of type {wanted}", tree.word())
}

fn check_media_type(call: &Call, media_type: &str) -> Result<(), ApiError> {
    let custom = call.resource.is_custom();
    match media_type {
        "application/json-patch+json" | "application/merge-patch+json" | "application/apply-patch+yaml" => Ok(()),
        "application/strategic-merge-patch+json" if !custom => Ok(()),
        _ if custom => Err(body::unsupported(
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
        )),
        _ => {
            let mut error = ApiError::new(415, "UnsupportedMediaType", "415: Unsupported Media Type");
            error.details = Some(Details::default());
            Err(error)
        }
    }
}
