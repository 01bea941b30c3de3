//! OpenAPI documents: version 3 by group, version 2 in one piece as JSON and as protobuf.

mod custom;
mod proto;
mod v2;

use super::handle::Server;
use super::reply;
use crate::error::ApiError;
use crate::registry::{Resource, api_version};
use crate::schema::builtin;
use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, header};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Clients ask for it with an `@` in the place of the second dot, which no parser of media types takes: the answer is named so.
const V2_PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

pub(super) fn serve(server: &Server, path: &[&str], headers: &HeaderMap) -> Result<Response, ApiError> {
    let custom: Vec<Arc<Resource>> = server.cluster.step(|state| state.registry.custom().cloned().collect());
    match path {
        ["v2"] => {
            let document = v2::document(&custom);
            let accept = headers.get(header::ACCEPT).and_then(|v| v.to_str().ok()).unwrap_or_default();
            // Old clients ask for protobuf first; `+json` names and `*/*` get JSON.
            let first = accept.split(',').next().unwrap_or_default();
            if first.contains("proto-openapi.spec.v2") {
                return Ok(reply::build(200, V2_PROTOBUF, Body::from(proto::document(&document))));
            }
            Ok(reply::json(200, &document))
        }
        ["v3"] => Ok(reply::json(200, &index(&custom))),
        ["v3", rest @ ..] => match document(&rest.join("/"), &custom) {
            Some(document) => Ok(reply::json(200, &document)),
            None => Ok(reply::page_not_found()),
        },
        _ => Ok(reply::page_not_found()),
    }
}

/// The documents of custom groups, by path.
fn custom_paths(custom: &[Arc<Resource>]) -> BTreeSet<(String, String)> {
    custom.iter().map(|r| (r.group.clone(), r.version.clone())).collect()
}

fn index(custom: &[Arc<Resource>]) -> Value {
    let mut paths = Map::new();
    let mut add = |path: String, hash: &str| {
        let url = format!("/openapi/v3/{path}?hash={hash}");
        paths.insert(path, json!({"serverRelativeURL": url}));
    };
    for path in builtin::openapi().keys() {
        // The documents are part of the program: its version is their hash.
        add(path.clone(), "1344");
    }
    for (group, version) in custom_paths(custom) {
        let schemas: Vec<String> = custom
            .iter()
            .filter(|r| r.group == group && r.version == version)
            .map(|r| format!("{:?}", r.custom))
            .collect();
        let hash = Sha256::digest(schemas.join("").as_bytes());
        let hash: String = hash[..8].iter().map(|b| format!("{b:02X}")).collect();
        add(format!("apis/{}", api_version(&group, &version)), &hash);
    }
    json!({"paths": paths})
}

fn document(path: &str, custom: &[Arc<Resource>]) -> Option<Value> {
    if let Some(document) = builtin::openapi().get(path) {
        return Some(document.clone());
    }
    let (group, version) = path.strip_prefix("apis/")?.split_once('/')?;
    let own: Vec<&Arc<Resource>> = custom.iter().filter(|r| r.group == group && r.version == version).collect();
    (!own.is_empty()).then(|| custom::document(group, version, &own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protobuf_document_has_a_name_that_clients_can_parse() {
        // Of the characters that names may have by RFC 2045, `@` is none.
        assert!(V2_PROTOBUF.bytes().all(|b| b.is_ascii_alphanumeric() || b"/.+-".contains(&b)), "{V2_PROTOBUF}");
    }
}
