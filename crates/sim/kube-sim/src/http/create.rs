//! Creating objects.

use super::handle::Call;
use super::{body, options, read, reply};
use crate::error::ApiError;
use crate::json::Tree;
use crate::object::Object;
use crate::ops::FieldValidation;
use crate::ops::prepare::{Read, read as read_object};
use crate::registry::Resource;
use crate::schema::builtin;
use crate::warnings;
use axum::body::Body;
use axum::response::Response;

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    let write = options::write("CreateOptions", &call.query, &call.headers, call.server.cluster.now())?;
    let (object, warnings) = object(&call, body, write.validation).await?;
    let namespace = if call.resource.namespaced { call.request.namespace.as_str() } else { "" };
    let given = object.clone();
    let created = call.server.cluster.step(|state| state.create(&call.resource, namespace, object, &write));
    Ok(match created {
        // That the name is taken is found out last.
        Err(error) if error.reason == "AlreadyExists" => {
            reply::error_with(&error, &[warnings, warnings::of(&call.resource, &given, None)].concat())
        }
        Ok(created) => {
            let mut response = read::show(&call, 201, &created);
            reply::warn(&mut response, &[warnings, warnings::of(&call.resource, &created, None)].concat());
            response
        }
        Err(error) => reply::error_with(&error, &warnings),
    })
}

/// Reads the body as an object of the resource. Answers with it and what to warn of.
pub(super) async fn object(
    call: &Call,
    body: Body,
    validation: FieldValidation,
) -> Result<(serde_json::Value, Vec<String>), ApiError> {
    let media_type = body::media_type(&call.headers);
    body::check_media_type(&media_type, call.resource.is_custom())?;
    let bytes = body::collect(body, call.server.body_limit).await?;
    let tree = parse(&call.resource, &media_type, &bytes)?;
    let read = as_kind(&call.resource, &tree)?;
    let warnings = judge(&call.resource, &tree, &read.strict, validation)?;
    Ok((read.object, warnings))
}

/// The body as a tree. Broken ones are refused with the beginning of what came.
pub(super) fn parse<'a>(resource: &Resource, media_type: &str, bytes: &'a [u8]) -> Result<Tree<'a>, ApiError> {
    let document = body::parse(media_type, bytes).map_err(|why| {
        ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): couldn't get version/kind; {why} ({})",
            resource.kind,
            summary(bytes)
        ))
    })?;
    Ok(document.tree)
}

/// The beginning of a body for people.
fn summary(bytes: &[u8]) -> String {
    const MOST: usize = 30;
    let shown = &bytes[..bytes.len().min(MOST)];
    let more = if bytes.len() > MOST { " ..." } else { "" };
    match bytes.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(shown)),
        Some(_) => format!("{}{more}", shown.iter().map(|b| format!("{b:02x}")).collect::<String>()),
    }
}

/// The tree as an object of the resource.
pub(super) fn as_kind(resource: &Resource, tree: &Tree<'_>) -> Result<Read, ApiError> {
    let text = |key: &str| tree.get(key).and_then(Tree::as_str).unwrap_or_default();
    let (given_version, given_kind) = (text("apiVersion"), text("kind"));
    let api_version = resource.api_version();
    let kind = if given_kind.is_empty() { &resource.kind } else { given_kind };
    let version = if given_version.is_empty() { api_version.as_str() } else { given_version };
    let short = version.rsplit('/').next().unwrap_or_default();
    let cannot = |why: String| {
        ApiError::bad_request(format!("{kind} in version {short:?} cannot be handled as a {}: {why}", resource.kind))
    };
    let inconvertible = || {
        if kind == "Status" && matches!(tree.get("status"), Some(Tree::Object(_))) {
            return "json: cannot unmarshal object into Go struct field Status.status of type string".to_owned();
        }
        let internal = resource.group.split('.').next().filter(|g| !g.is_empty()).unwrap_or("core");
        format!("converting ({short}.{kind}) to ({internal}.{}): unknown conversion", resource.kind)
    };
    let is_known = builtin::kind(&format!("{version}/{kind}")).is_some() || version == "v1" && kind == "Status";
    if !resource.is_custom() && !is_known {
        return Err(cannot(format!(
            "no kind {kind:?} is registered for version {version:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\""
        )));
    }
    if version != api_version {
        if resource.is_custom() || kind == resource.kind {
            return Err(ApiError::bad_request(format!(
                "the API version in the data ({version}) does not match the expected API version ({api_version})"
            )));
        }
        if version == "v1" && kind == "Status" {
            return Err(cannot(inconvertible()));
        }
        return Err(cannot(format!(
            "no kind {kind:?} is registered for version {version:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\""
        )));
    }
    if *kind != resource.kind {
        return Err(cannot(inconvertible()));
    }
    read_object(resource, tree).map_err(cannot)
}

/// Refuses unknown and doubled fields, or turns them into warnings.
pub(super) fn judge(
    resource: &Resource,
    tree: &Tree<'_>,
    strict: &[String],
    validation: FieldValidation,
) -> Result<Vec<String>, ApiError> {
    match validation {
        _ if strict.is_empty() => Ok(Vec::new()),
        FieldValidation::Ignore => Ok(Vec::new()),
        FieldValidation::Warn => Ok(strict.to_vec()),
        FieldValidation::Strict => {
            let why = format!("strict decoding error: {}", strict.join(", "));
            let mut object = tree.to_value();
            object.set("/kind", resource.kind.as_str());
            object.set("/apiVersion", resource.api_version());
            Err(crate::ops::prepare::cannot_handle(resource, &object, &why))
        }
    }
}
