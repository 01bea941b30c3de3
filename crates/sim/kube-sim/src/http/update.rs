//! Replacing objects.

use super::handle::Call;
use super::{create, options, read, reply};
use crate::error::ApiError;
use crate::object::Object;
use crate::ops::Write;
use crate::ops::update::wrong_uid;
use crate::strategy;
use crate::warnings;
use axum::body::Body;
use axum::response::Response;

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    let write = options::write("UpdateOptions", &call.query, &call.headers, call.server.cluster.now())?;
    let write = write.on(&call.request.subresource);
    let (object, warnings) = create::object(&call, body, write.validation).await?;
    let name = call.request.name.as_str();
    let elsewhere = call.resource.namespaced
        && !matches!(object.namespace(), "" | "*")
        && object.namespace() != call.request.namespace;
    if !elsewhere && !object.name().is_empty() && object.name() != name {
        let error = ApiError::bad_request(format!(
            "the name of the object ({}) does not match the name on the URL ({name})",
            object.name()
        ));
        return Ok(reply::error_with(&error, &warnings));
    }
    let namespace = read::namespace(&call);
    let updated = call.server.cluster.step(|state| {
        let key = call.resource.stored.key(namespace, name);
        let before = state.store.get(&key).cloned();
        let creates = strategy::creates_by_update(&call.resource) && call.request.subresource.is_empty();
        if creates && state.store.get(&key).is_none() {
            if !object.uid().is_empty() {
                return Err(wrong_uid(&call.resource, namespace, name, (object.uid(), ""), &write));
            }
            let write = Write { creates: true, ..write };
            return state.create(&call.resource, namespace, object, &write).map(|o| (o, before));
        }
        state.update(&call.resource, namespace, name, &write, |_, _| Ok(object)).map(|o| (o, before))
    });
    let (object, before) = match updated {
        Ok(updated) => updated,
        Err(error) => return Ok(reply::error_with(&error, &warnings)),
    };
    let mut response = read::show(&call, if before.is_none() { 201 } else { 200 }, &object);
    reply::warn(&mut response, &warnings);
    if call.request.subresource.is_empty() {
        reply::warn(&mut response, &warnings::of(&call.resource, &object, before.as_deref()));
    }
    Ok(response)
}
