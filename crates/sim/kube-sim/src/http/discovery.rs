//! What is served: groups, versions, resources; health and version.

use super::handle::Server;
use super::negotiate::{Accepted, Known, accepted};
use super::{openapi, reply};
use crate::error::ApiError;
use crate::registry::{Resource, api_version};
use crate::schema::builtin;
use axum::body::Body;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::{HeaderMap, Method};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// The version that the simulation speaks for.
pub(super) fn version() -> Value {
    json!({"major": "1", "minor": "34", "emulationMajor": "1", "emulationMinor": "34", "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "33", "gitVersion": "v1.34.4", "gitCommit": "", "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z", "goVersion": "", "compiler": "kube-sim", "platform": "linux/amd64"})
}

pub(super) fn serve(server: &Server, method: &Method, path: &str, headers: &HeaderMap) -> Result<Response, ApiError> {
    if *method != Method::GET && *method != Method::HEAD {
        return Ok(reply::page_not_found());
    }
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    match parts.as_slice() {
        ["healthz" | "livez" | "readyz", ..] => return Ok(reply::text(200, "ok")),
        ["version"] => return Ok(reply::json(200, &version())),
        ["openapi", rest @ ..] => return openapi::serve(server, rest, headers),
        [] => {
            return Ok(reply::json(
                200,
                &json!({"paths": ["/api", "/api/v1", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]}),
            ));
        }
        _ => {}
    }
    let resources: Vec<Arc<Resource>> = server.cluster.step(|state| state.registry.all().cloned().collect());
    let accepted = accepted(headers, Known::Objects)?;
    let body = match parts.as_slice() {
        ["api"] | ["apis"] if accepted.aggregated.is_some() => return Ok(aggregated(parts[0], &resources, accepted)),
        ["api"] => json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs":
            [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}]}),
        ["apis"] => {
            let groups: Vec<Value> = groups(&resources).iter().map(|(g, v)| group(g, v)).collect();
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
        }
        ["apis", wanted] => {
            let Some((name, versions)) = groups(&resources).into_iter().find(|(g, _)| g == wanted) else {
                return Ok(reply::page_not_found());
            };
            let mut body = group(&name, &versions);
            if let Value::Object(map) = &mut body {
                map.insert("kind".into(), "APIGroup".into());
                map.insert("apiVersion".into(), "v1".into());
            }
            body
        }
        ["api", version] => resource_list(&resources, "", version).ok_or_else(ApiError::no_such_resource)?,
        ["apis", group, version] => match resource_list(&resources, group, version) {
            Some(body) => body,
            None if server.cluster.step(|state| state.registry.owns_group(group)) => {
                return Err(ApiError::no_such_resource());
            }
            None => return Ok(reply::page_not_found()),
        },
        _ => return Ok(reply::page_not_found()),
    };
    Ok(reply::object(200, &body, &accepted))
}

/// Named groups in the order of their importance, each with its versions, the preferred one first.
fn groups(resources: &[Arc<Resource>]) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    for document in builtin::discovery().iter().skip(1) {
        for group in document.get("items").and_then(Value::as_array).into_iter().flatten() {
            let name = group.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            let versions = group.get("versions").and_then(Value::as_array).into_iter().flatten();
            let versions = versions.filter_map(|v| v.get("version")?.as_str().map(str::to_owned)).collect();
            out.push((name.to_owned(), versions));
        }
    }
    for resource in resources.iter().filter(|r| r.is_added()) {
        let at = out.iter().position(|(g, _)| *g == resource.group).unwrap_or_else(|| {
            out.push((resource.group.clone(), Vec::new()));
            out.len() - 1
        });
        if !out[at].1.contains(&resource.version) {
            out[at].1.push(resource.version.clone());
            out[at].1.sort_by_key(|version| std::cmp::Reverse(rank(version)));
        }
    }
    out
}

/// Stable versions before beta before alpha, higher numbers first.
fn rank(version: &str) -> (u8, u32, u32, std::cmp::Reverse<String>) {
    let plain = (0, 0, 0, std::cmp::Reverse(version.to_owned()));
    let Some(rest) = version.strip_prefix('v') else { return plain };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Ok(major) = rest[..digits].parse() else { return plain };
    let (stage, minor) = match &rest[digits..] {
        "" => (3, 0),
        tail => match (tail.strip_prefix("beta"), tail.strip_prefix("alpha")) {
            (Some(n), _) => (2, n.parse().unwrap_or(0)),
            (_, Some(n)) => (1, n.parse().unwrap_or(0)),
            _ => return plain,
        },
    };
    (stage, major, minor, std::cmp::Reverse(String::new()))
}

fn group(name: &str, versions: &[String]) -> Value {
    let version = |v: &String| json!({"groupVersion": api_version(name, v), "version": v});
    let all: Vec<Value> = versions.iter().map(version).collect();
    json!({"name": name, "versions": all, "preferredVersion": all.first()})
}

/// By which clients see that objects are stored in another version than before.
fn stored_as(resource: &Resource) -> String {
    let kind = format!("{}/{}/{}", resource.stored.group, resource.stored_version, resource.kind);
    BASE64.encode(&Sha256::digest(kind)[..8])
}

fn resource_list(resources: &[Arc<Resource>], group: &str, version: &str) -> Option<Value> {
    let mut entries = Vec::new();
    for resource in resources.iter().filter(|r| r.group == group && r.version == version) {
        let mut entry = Map::new();
        entry.insert("name".into(), resource.plural.as_str().into());
        entry.insert("singularName".into(), resource.singular.as_str().into());
        entry.insert("namespaced".into(), resource.namespaced.into());
        entry.insert("kind".into(), resource.kind.as_str().into());
        entry.insert("verbs".into(), resource.verbs.clone().into());
        for (key, list) in [("shortNames", &resource.short_names), ("categories", &resource.categories)] {
            if !list.is_empty() {
                entry.insert(key.into(), list.clone().into());
            }
        }
        // Whoever stores objects says as what.
        if resource.allows("watch") && (resource.is_custom() || !resource.is_added()) {
            entry.insert("storageVersionHash".into(), stored_as(resource).into());
        }
        entries.push(Value::Object(entry));
        for subresource in &resource.subresources {
            let mut entry = Map::new();
            entry.insert("name".into(), format!("{}/{}", resource.plural, subresource.name).into());
            entry.insert("singularName".into(), "".into());
            entry.insert("namespaced".into(), resource.namespaced.into());
            let own = subresource.group == resource.group
                && (subresource.version.is_empty() || subresource.version == resource.version);
            if !(own || subresource.group.is_empty() && subresource.version.is_empty()) {
                entry.insert("group".into(), subresource.group.as_str().into());
                entry.insert("version".into(), subresource.version.as_str().into());
            }
            entry.insert("kind".into(), subresource.kind.as_str().into());
            entry.insert("verbs".into(), subresource.verbs.clone().into());
            entries.push(Value::Object(entry));
        }
    }
    if entries.is_empty() {
        return None;
    }
    let mut body =
        json!({"kind": "APIResourceList", "groupVersion": api_version(group, version), "resources": entries});
    // The core group alone does not say its version here.
    if let (false, Value::Object(map)) = (group.is_empty(), &mut body) {
        map.insert("apiVersion".into(), "v1".into());
    }
    Some(body)
}

/// All groups in one document.
fn aggregated(root: &str, resources: &[Arc<Resource>], accepted: Accepted) -> Response {
    let version = accepted.aggregated.unwrap_or("v2");
    let mut document = builtin::discovery().get(usize::from(root == "apis")).cloned().unwrap_or_default();
    if let Value::Object(map) = &mut document {
        map.insert("kind".into(), "APIGroupDiscoveryList".into());
        map.insert("apiVersion".into(), format!("apidiscovery.k8s.io/{version}").into());
        map.entry("metadata").or_insert_with(|| json!({}));
        if let (Some(Value::Array(items)), "apis") = (map.get_mut("items"), root) {
            let custom: Vec<(String, Vec<String>)> = groups(resources)
                .into_iter()
                .filter(|(g, _)| resources.iter().any(|r| r.is_added() && r.group == *g))
                .collect();
            items.extend(custom.iter().map(|(group, versions)| custom_group(group, versions, resources)));
        }
    }
    let content_type = format!("application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList");
    reply::build(200, &content_type, Body::from(reply::line(&document)))
}

fn custom_group(group: &str, versions: &[String], resources: &[Arc<Resource>]) -> Value {
    let entry = |r: &Arc<Resource>| {
        let mut entry = json!({
            "resource": r.plural, "responseKind": {"group": r.group, "version": r.version, "kind": r.kind},
            "scope": if r.namespaced { "Namespaced" } else { "Cluster" }, "singularResource": r.singular, "verbs": r.verbs,
        });
        if let Value::Object(map) = &mut entry {
            for (key, list) in [("shortNames", &r.short_names), ("categories", &r.categories)] {
                if !list.is_empty() {
                    map.insert(key.into(), list.clone().into());
                }
            }
            let subresources: Vec<Value> = r.subresources.iter().map(|s| {
                let (group, version) = if s.version.is_empty() { (&r.group, &r.version) } else { (&s.group, &s.version) };
                json!({"subresource": s.name, "responseKind": {"group": group, "version": version, "kind": s.kind}, "verbs": s.verbs})
            }).collect();
            if !subresources.is_empty() {
                map.insert("subresources".into(), subresources.into());
            }
        }
        entry
    };
    let versions: Vec<Value> = versions
        .iter()
        .map(|v| {
            let entries: Vec<Value> =
                resources.iter().filter(|r| r.group == group && r.version == *v).map(entry).collect();
            json!({"version": v, "freshness": "Current", "resources": entries})
        })
        .collect();
    json!({"metadata": {"name": group}, "versions": versions})
}
