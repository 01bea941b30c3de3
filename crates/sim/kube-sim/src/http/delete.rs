//! Deleting objects.

use super::collection::{self, List};
use super::handle::Call;
use super::{body, options, read, reply};
use crate::error::{ApiError, Details};
use crate::kind::JOBS;
use crate::object::Object;
use crate::ops::delete::DeleteOptions;
use crate::strategy;
use axum::body::Body;
use axum::response::Response;
use serde_json::{Value, json};

const ORPHANS: &str = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

async fn read_options(call: &Call, body: Body) -> Result<DeleteOptions, ApiError> {
    let bytes = body::collect(body, call.server.body_limit).await?;
    if bytes.is_empty() {
        return options::delete(&call.query, None);
    }
    let media_type = body::media_type(&call.headers);
    body::check_media_type(&media_type, call.resource.is_custom())?;
    let document = body::parse(&media_type, &bytes)
        .map_err(|why| ApiError::internal(format!("couldn't get version/kind; {why}")))?;
    options::delete(&call.query, Some(&document.tree.to_value()))
}

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    let options = read_options(&call, body).await?;
    let now = call.server.cluster.now();
    let namespace = read::namespace(&call);
    let deleted =
        call.server.cluster.step(|state| state.delete(&call.resource, namespace, &call.request.name, &options, now));
    let warnings = warnings(&call, &options);
    let deleted = match deleted {
        Ok(deleted) => deleted,
        Err(error) => return Ok(reply::error_with(&error, &warnings)),
    };
    let mut response = if deleted.gone && !strategy::shows_deleted(&call.resource) {
        reply::object(200, &success(&call, &deleted.object), &call.accepted)
    } else {
        // Who asked in the old way for the owned objects to go too is told that it takes its time.
        let status = if !deleted.gone && options.cascades { 202 } else { 200 };
        reply::object(status, &deleted.object, &call.accepted)
    };
    reply::warn(&mut response, &warnings);
    Ok(response)
}

fn warnings(call: &Call, options: &DeleteOptions) -> Vec<String> {
    let orphans = call.resource.is(&JOBS) && options.propagation.is_none();
    orphans.then(|| ORPHANS.to_owned()).into_iter().collect()
}

fn success(call: &Call, object: &Value) -> Value {
    let details = Details {
        name: object.name().to_owned(),
        group: call.resource.group.clone(),
        kind: call.resource.plural.clone(),
        uid: object.uid().to_owned(),
        ..Details::default()
    };
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details.to_json()})
}

/// Deletes every object that the selectors choose.
pub(super) async fn collection(call: Call, body: Body) -> Result<Response, ApiError> {
    let options = read_options(&call, body).await?;
    let query = collection::list_query(&call)?;
    let now = call.server.cluster.now();
    let (items, revision) = call.server.cluster.step(|state| {
        let page = state.list(&call.resource, &query)?;
        let mut items = Vec::new();
        for object in page.items {
            let (namespace, name) = (object.namespace().to_owned(), object.name().to_owned());
            match state.delete(&call.resource, &namespace, &name, &options, now) {
                // They are told as they were found.
                Ok(_) => items.push(object),
                Err(error) if error.is_not_found() => {}
                Err(error) => return Err(error),
            }
        }
        Ok((items, page.revision))
    })?;
    let list = List::of(&call.resource, read::list_meta(revision, "", None), &items);
    let mut response = reply::object(200, &list, &call.accepted);
    reply::warn(&mut response, &warnings(&call, &options));
    Ok(response)
}
