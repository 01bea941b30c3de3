//! Patching objects.

use super::handle::Call;
use super::{body, options, read, reply};
use crate::error::{ApiError, Details};
use crate::json::Tree;
use crate::ops::FieldValidation;
use crate::ops::patch::Patch;
use crate::warnings;
use axum::body::Body;
use axum::response::Response;

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    let (patch, write) = read_patch(&call, body).await?;
    let write = write.on(&call.request.subresource);
    let namespace = read::namespace(&call);
    let mut strict = Vec::new();
    let patched = call.server.cluster.step(|state| {
        let before = state.store.get(&call.resource.stored.key(namespace, &call.request.name)).cloned();
        let patched = state.patch(&call.resource, namespace, &call.request.name, &patch, &write, &mut strict);
        patched.map(|p| (p, before))
    });
    if write.validation != FieldValidation::Warn {
        strict.clear();
    }
    let (patched, before) = match patched {
        Ok(patched) => patched,
        Err(error) => return Ok(reply::error_with(&error, &strict)),
    };
    let mut response = read::show(&call, if patched.created { 201 } else { 200 }, &patched.object);
    reply::warn(&mut response, &strict);
    if call.request.subresource.is_empty() {
        reply::warn(&mut response, &warnings::of(&call.resource, &patched.object, before.as_deref()));
    }
    Ok(response)
}

/// The patch of the body and how to write it.
pub(super) async fn read_patch(call: &Call, body: Body) -> Result<(Patch, crate::ops::Write), ApiError> {
    let media_type = body::media_type(&call.headers);
    check_media_type(call, &media_type)?;
    let write = options::write("PatchOptions", &call.query, &call.headers, call.server.cluster.now())?;
    let bytes = body::collect(body, call.server.body_limit).await?;
    let patch = parse(&media_type, &bytes, call.query.flag("force"));
    if patch.is_err() && media_type != "application/apply-patch+yaml" {
        // Whether there is something to patch is found out first.
        read::object(call)?;
    }
    Ok((patch?, write))
}

fn parse(media_type: &str, bytes: &[u8], force: bool) -> Result<Patch, ApiError> {
    Ok(match media_type {
        "application/apply-patch+yaml" => {
            let decoding = |why| ApiError::bad_request(format!("error decoding YAML: {why}"));
            let tree = body::plain(bytes).map_or_else(|| body::yaml(bytes).map_err(decoding), Ok)?;
            Patch::Apply { config: tree.to_value(), force }
        }
        "application/json-patch+json" => {
            let tree = Tree::parse(bytes).map_err(|e| undecodable(&e))?;
            if !matches!(tree, Tree::List(_)) {
                return Err(undecodable(&wrong_shape(&tree, "[]handlers.jsonPatchOp")));
            }
            Patch::Json(tree.to_value())
        }
        "application/strategic-merge-patch+json" => {
            let tree = Tree::parse(bytes).map_err(ApiError::bad_request)?;
            if !matches!(tree, Tree::Object(_)) {
                return Err(ApiError::bad_request(wrong_shape(&tree, "map[string]interface {}")));
            }
            Patch::Strategic(tree.to_value())
        }
        _ => {
            let tree = Tree::parse(bytes).map_err(|e| undecodable(&e))?;
            if !matches!(tree, Tree::Object(_)) {
                return Err(undecodable(&wrong_shape(&tree, "map[string]interface {}")));
            }
            Patch::Merge(tree.to_value())
        }
    })
}

fn undecodable(why: &str) -> ApiError {
    ApiError::bad_request(format!("error decoding patch: {why}"))
}

fn wrong_shape(tree: &Tree<'_>, wanted: &str) -> String {
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
