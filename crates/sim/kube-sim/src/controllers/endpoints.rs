//! Where the pods of a service can be reached: EndpointSlices, and the old Endpoints beside them.

mod backend;

use super::MANAGER;
use super::pod::controller_reference;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{ENDPOINT_SLICES, ENDPOINTS, GroupResource, ObjectKey, PODS, SERVICES};
use crate::object::Object;
use crate::selectors::LabelSelector;
use crate::store::{Action, Change};
use backend::Backend;
use serde_json::{Value, json};
use std::sync::Arc;
use windlass_model::Millis;

const NAME: &str = "endpointslice-controller";
const MANAGED_BY: &str = "endpointslice-controller.k8s.io";
const SERVICE_LABEL: &str = "kubernetes.io/service-name";
/// Endpoints in one slice, and addresses in one Endpoints object, at most.
const SLICE: usize = 100;
const ADDRESSES: usize = 1_000;

#[derive(Debug)]
pub(super) struct Endpoints;

impl Controller for Endpoints {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![SERVICES, PODS]
    }

    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        if change.key.kind == SERVICES {
            return vec![change.key.clone()];
        }
        if change.action == Action::Modified
            && change.before.as_ref().is_some_and(|old| looks_same(old, &change.object))
        {
            return Vec::new();
        }
        let states = [Some(&change.object), change.before.as_ref()];
        let concerns = |service: &Arc<Value>| {
            let selector = selector(service);
            selector.is_some_and(|selector| states.into_iter().flatten().any(|pod| selector.matches(pod)))
        };
        let services = cluster.list(&SERVICES, Some(change.object.namespace()));
        services.iter().filter(|service| concerns(service)).map(|s| SERVICES.key(s.namespace(), s.name())).collect()
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(service) = cluster.get(&key.kind, &key.namespace, &key.name) else {
            // Slices go with their owner; the Endpoints object has none.
            let gone = cluster.delete(&ENDPOINTS, &key.namespace, &key.name, &Default::default());
            return match gone {
                Err(error) if !error.is_not_found() => Err(error),
                _ => Ok(None),
            };
        };
        if let Some(selector) = selector(&service).filter(|_| !service.is_deleting()) {
            let pods = cluster.select(&PODS, Some(&key.namespace), &selector);
            let backends: Vec<Backend> = pods.iter().filter_map(|pod| Backend::of(pod, &service)).collect();
            write_slices(cluster, &service, &backends)?;
            write_endpoints(cluster, &service, &backends)?;
        }
        Ok(None)
    }
}

/// Services without a selector, and those that are only a name, have no endpoints of their own.
fn selector(service: &Value) -> Option<LabelSelector> {
    let labels = service.at("/spec/selector").filter(|labels| labels.as_object().is_some_and(|map| !map.is_empty()));
    labels.filter(|_| service.text("/spec/type") != "ExternalName").map(|labels| LabelSelector::of_map(Some(labels)))
}

/// Whether a change of a pod does not show in endpoints.
fn looks_same(old: &Value, new: &Value) -> bool {
    let shown = ["/metadata/labels", "/metadata/deletionTimestamp", "/status/podIP", "/status/phase", "/spec/nodeName"];
    shown.iter().all(|pointer| old.at(pointer) == new.at(pointer))
        && super::pod::is_ready(old) == super::pod::is_ready(new)
}

fn write_slices(cluster: &Cluster, service: &Value, backends: &[Backend]) -> Result<(), ApiError> {
    let mut old = cluster.list(&ENDPOINT_SLICES, Some(service.namespace()));
    old.retain(|slice| {
        slice.label(SERVICE_LABEL) == Some(service.name())
            && slice.label("endpointslice.kubernetes.io/managed-by") == Some(MANAGED_BY)
            && slice.owner_references().iter().any(|owner| owner.text("/uid") == service.uid())
    });
    let mut wanted: Vec<(Vec<Value>, &Value)> = Vec::new();
    for (ports, group) in backend::by_ports(backends) {
        for part in group.chunks(SLICE) {
            wanted.push((part.iter().map(|backend| backend.endpoint()).collect(), ports));
        }
    }
    let nothing = json!([]);
    if wanted.is_empty() {
        wanted.push((Vec::new(), &nothing));
    }
    // A slice that has these ports already is written over, so that names stay.
    for (endpoints, ports) in wanted {
        let reused = old
            .iter()
            .position(|slice| slice.get("ports").unwrap_or(&nothing) == ports)
            .or(if old.is_empty() { None } else { Some(0) });
        match reused.map(|at| old.remove(at)) {
            Some(slice) => {
                cluster.modify(&ENDPOINT_SLICES, slice.namespace(), slice.name(), "", MANAGER, |slice| {
                    slice.set("/endpoints", endpoints);
                    slice.set("/ports", ports.clone());
                })?;
            }
            None => {
                let mut slice = json!({
                    "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
                    "metadata": {
                        "generateName": format!("{}-", service.name()), "namespace": service.namespace(),
                        "labels": service.at("/metadata/labels").filter(|labels| labels.is_object()).cloned().unwrap_or_else(|| json!({})),
                        "ownerReferences": [controller_reference(service)],
                    },
                    "addressType": "IPv4", "endpoints": endpoints, "ports": ports,
                });
                slice.set("/metadata/labels/kubernetes.io~1service-name", service.name());
                slice.set("/metadata/labels/endpointslice.kubernetes.io~1managed-by", MANAGED_BY);
                if service.text("/spec/clusterIP") == "None" {
                    slice.set("/metadata/labels/service.kubernetes.io~1headless", "");
                }
                cluster.create(&ENDPOINT_SLICES, slice, MANAGER)?;
            }
        }
    }
    for slice in old {
        cluster.delete(&ENDPOINT_SLICES, slice.namespace(), slice.name(), &Default::default())?;
    }
    Ok(())
}

fn write_endpoints(cluster: &Cluster, service: &Value, backends: &[Backend]) -> Result<(), ApiError> {
    let publishes_all = service.at("/spec/publishNotReadyAddresses") == Some(&Value::Bool(true));
    let mut subsets = Vec::new();
    for (ports, group) in backend::by_ports(backends) {
        let staying = group.iter().copied().filter(|backend| !backend.terminating).take(ADDRESSES);
        let (ready, unready): (Vec<&Backend>, Vec<&Backend>) =
            staying.partition(|backend| backend.serving || publishes_all);
        let mut subset = json!({});
        for (field, part) in [("/addresses", ready), ("/notReadyAddresses", unready)] {
            if !part.is_empty() {
                subset.set(field, part.into_iter().map(Backend::address).collect::<Vec<_>>());
            }
        }
        if subset.as_object().is_some_and(|map| !map.is_empty()) {
            if !ports.as_array().is_some_and(Vec::is_empty) {
                subset.set("/ports", ports.clone());
            }
            subsets.push(subset);
        }
    }
    let (namespace, name) = (service.namespace(), service.name());
    if cluster.get(&ENDPOINTS, namespace, name).is_some() {
        let written =
            cluster.modify(&ENDPOINTS, namespace, name, "", MANAGER, |endpoints| endpoints.set("/subsets", subsets));
        return written.map(drop);
    }
    let mut endpoints = json!({
        "apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": name, "namespace": namespace}, "subsets": subsets,
    });
    if let Some(labels) = service.at("/metadata/labels").filter(|labels| labels.is_object()) {
        endpoints.set("/metadata/labels", labels.clone());
    }
    endpoints.set("/metadata/labels/endpoints.kubernetes.io~1managed-by", "endpoint-controller");
    cluster.create(&ENDPOINTS, endpoints, MANAGER).map(drop)
}
