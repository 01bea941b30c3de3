//! What a cluster holds before anybody writes to it: namespaces, nodes, and the roles that every cluster has.

use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::kind::{GroupResource, NAMESPACES, NODES};
use crate::object::{Object, time_text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

const CLUSTER_ROLES: GroupResource = GroupResource::new("rbac.authorization.k8s.io", "clusterroles");
const CLUSTER_ROLE_BINDINGS: GroupResource = GroupResource::new("rbac.authorization.k8s.io", "clusterrolebindings");
const SERVER: &str = "kube-apiserver";

/// The same for every cluster of this size, apart from uids and times. Simulations begin thousands of clusters: what they hold goes
/// through the rules of the API once, and is copied from then on.
pub(crate) fn furnish(cluster: &Cluster, nodes: u32) -> Result<(), ApiError> {
    type Furniture = Arc<Vec<(GroupResource, Arc<Value>)>>;
    static MADE: Mutex<BTreeMap<(u32, bool), Furniture>> = Mutex::new(BTreeMap::new());
    let is_measured = cluster.workloads().is_measured(cluster.now());
    let size = (nodes, is_measured);
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner).get(&size).cloned();
    if let Some(made) = made {
        copy(cluster, &made);
        return Ok(());
    }
    make(cluster, nodes, is_measured)?;
    let mut made = cluster.everything();
    made.sort_by_key(|(_, object)| object.revision());
    MADE.lock().unwrap_or_else(PoisonError::into_inner).insert(size, Arc::new(made));
    Ok(())
}

fn copy(cluster: &Cluster, made: &[(GroupResource, Arc<Value>)]) {
    let now = time_text(cluster.now());
    cluster.step(|state| {
        for (kind, object) in made {
            let mut object = Value::clone(object);
            object.set("/metadata/uid", state.ids.uid());
            object.set("/metadata/creationTimestamp", now.as_str());
            let owners = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut);
            for owner in owners.into_iter().flatten() {
                owner["time"] = now.as_str().into();
            }
            state.store.put(kind.key(object.namespace(), object.name()), object);
        }
    });
}

fn make(cluster: &Cluster, nodes: u32, is_measured: bool) -> Result<(), ApiError> {
    for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        cluster.create(&NAMESPACES, json!({"metadata": {"name": name}}), SERVER)?;
    }
    for (name, rules) in roles(is_measured) {
        cluster.create(&CLUSTER_ROLES, with_labels(name, json!({"rules": rules})), SERVER)?;
    }
    for (name, groups) in [
        ("cluster-admin", &["system:masters"][..]),
        ("system:basic-user", &["system:authenticated"]),
        ("system:discovery", &["system:authenticated"]),
        ("system:public-info-viewer", &["system:authenticated", "system:unauthenticated"]),
    ] {
        let group = |g: &&str| json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": g});
        let binding = json!({
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
            "subjects": groups.iter().map(group).collect::<Vec<_>>(),
        });
        cluster.create(&CLUSTER_ROLE_BINDINGS, with_labels(name, binding), SERVER)?;
    }
    for n in 1..=nodes {
        cluster.create(&NODES, node(&format!("node-{n}")), "kubelet")?;
    }
    Ok(())
}

fn with_labels(name: &str, mut object: Value) -> Value {
    object["metadata"] = json!({"name": name,
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"}});
    object
}

fn node(name: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {
            "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}},
        "status": {"capacity": {"cpu": "32", "memory": "128Gi", "pods": "1000"}, "nodeInfo": {
            "machineID": "", "systemUUID": "", "bootID": "", "kernelVersion": "kube-sim", "osImage": "kube-sim",
            "containerRuntimeVersion": "kube-sim://1", "kubeletVersion": "v1.34.4", "kubeProxyVersion": "v1.34.4",
            "operatingSystem": "linux", "architecture": "amd64"}},
    })
}

const READ: &[&str] = &["get", "list", "watch"];
const WRITE: &[&str] = &["create", "delete", "deletecollection", "patch", "update"];
const ALL: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// Groups and resources of the workloads that people of a namespace deal with.
const WORKLOADS: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "configmaps",
            "endpoints",
            "events",
            "persistentvolumeclaims",
            "pods",
            "pods/log",
            "pods/status",
            "replicationcontrollers",
            "replicationcontrollers/scale",
            "serviceaccounts",
            "services",
        ],
    ),
    (
        "apps",
        &[
            "controllerrevisions",
            "daemonsets",
            "daemonsets/status",
            "deployments",
            "deployments/scale",
            "deployments/status",
            "replicasets",
            "replicasets/scale",
            "replicasets/status",
            "statefulsets",
            "statefulsets/scale",
            "statefulsets/status",
        ],
    ),
    ("autoscaling", &["horizontalpodautoscalers", "horizontalpodautoscalers/status"]),
    ("batch", &["cronjobs", "cronjobs/status", "jobs", "jobs/status"]),
    ("networking.k8s.io", &["ingresses", "ingresses/status", "networkpolicies"]),
    ("policy", &["poddisruptionbudgets", "poddisruptionbudgets/status"]),
    ("discovery.k8s.io", &["endpointslices"]),
];

fn workloads(verbs: &[&str]) -> Vec<Value> {
    let rule =
        |(group, resources): &(&str, &[&str])| json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
    WORKLOADS.iter().map(rule).collect()
}

fn roles(is_measured: bool) -> Vec<(&'static str, Vec<Value>)> {
    let namespace =
        json!({"apiGroups": [""], "resources": ["namespaces", "limitranges", "resourcequotas"], "verbs": READ});
    let inner = ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "services/proxy"];
    let inner = [&inner[..], &["secrets", "pods/eviction", "serviceaccounts/token"]].concat();
    let secrets = json!({"apiGroups": [""], "resources": inner, "verbs": ALL});
    let leases = json!({"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ALL});
    let rights =
        json!({"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ALL});
    let metrics = json!({"apiGroups": [crate::metrics::GROUP], "resources": ["pods", "nodes"], "verbs": READ});
    let metrics: Vec<Value> = is_measured.then_some(metrics).into_iter().collect();
    let view = [workloads(READ), vec![namespace.clone()], metrics].concat();
    let edit = [view.clone(), workloads(WRITE), vec![secrets, leases]].concat();
    let admin = [edit.clone(), vec![rights]].concat();
    vec![
        (
            "cluster-admin",
            vec![
                json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}),
                json!({"nonResourceURLs": ["*"], "verbs": ["*"]}),
            ],
        ),
        (
            "system:basic-user",
            vec![
                json!({"apiGroups": ["authorization.k8s.io"], "verbs": ["create"],
                    "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"]}),
                json!({"apiGroups": ["authentication.k8s.io"], "verbs": ["create"], "resources": ["selfsubjectreviews"]}),
            ],
        ),
        (
            "system:discovery",
            vec![
                json!({"verbs": ["get"], "nonResourceURLs": ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez",
                "/openapi", "/openapi/*", "/readyz", "/version", "/version/"]}),
            ],
        ),
        (
            "system:public-info-viewer",
            vec![
                json!({"verbs": ["get"], "nonResourceURLs": ["/healthz", "/livez", "/readyz", "/version", "/version/"]}),
            ],
        ),
        ("view", view),
        ("edit", edit),
        ("admin", admin),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::faults::Faults;
    use windlass_clock::Clock;
    use windlass_model::Timestamp;

    #[test]
    fn a_copy_is_what_would_have_been_made() {
        windlass_clock::virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::parse("2026-03-02T10:00:00Z").unwrap());
            let empty = || {
                let config = Config::new(clock);
                let faults = Faults::new(config.faults, 7, clock.now());
                Cluster::new(clock, 7, config.limits, config.workloads, faults)
            };
            let (made, first, copied) = (empty(), empty(), empty());
            make(&made, 2, made.workloads().is_measured(clock.now())).unwrap();
            furnish(&first, 2).unwrap();
            furnish(&copied, 2).unwrap();
            assert_eq!(first.everything(), made.everything());
            assert_eq!(copied.everything(), made.everything());
            assert_eq!(copied.revision(), made.revision());
        });
    }
}
