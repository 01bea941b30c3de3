//! `metrics.k8s.io`: what pods and nodes use. Nothing of it is stored.

use super::handle::Call;
use super::{collection, reply};
use crate::error::ApiError;
use crate::kind::{GroupResource, NODES, PODS};
use crate::metrics;
use axum::response::Response;
use serde_json::{Value, json};

pub(super) fn serve(call: &Call) -> Result<Response, ApiError> {
    let (cluster, request) = (&call.server.cluster, &call.request);
    let plural = call.resource.plural.as_str();
    if request.is_named() {
        let found = match plural {
            "nodes" => cluster.get(&NODES, "", &request.name).and_then(|node| metrics::node_metrics(cluster, &node)),
            _ => cluster
                .get(&PODS, &request.namespace, &request.name)
                .and_then(|pod| metrics::pod_metrics(cluster, &pod)),
        };
        let found = found.ok_or_else(|| missing(plural, &request.namespace, &request.name))?;
        return Ok(reply::object(200, &found, &call.accepted));
    }
    let (labels, fields) = collection::selectors(call)?;
    let mut items = metrics::list(cluster, plural, &request.namespace, &labels);
    items.retain(|item| fields.matches(item));
    let strip = |mut item: Value| {
        if let Value::Object(map) = &mut item {
            map.remove("kind");
            map.remove("apiVersion");
        }
        item
    };
    let items: Vec<Value> = items.into_iter().map(strip).collect();
    let list = json!({
        "kind": call.resource.list_kind, "apiVersion": call.resource.api_version(), "metadata": {}, "items": items,
    });
    Ok(reply::object(200, &list, &call.accepted))
}

/// A metrics server names pods with their namespaces.
fn missing(plural: &str, namespace: &str, name: &str) -> ApiError {
    let name = if plural == "nodes" { name.to_owned() } else { format!("{namespace}/{name}") };
    ApiError::not_found(
        &GroupResource::named(metrics::GROUP, &format!("{}metrics", &plural[..plural.len() - 1])),
        &name,
    )
}
