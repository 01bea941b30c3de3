//! The kinds that sequences use: how an object of each looks, and what can be changed in it.

use super::menu::{self, Menu};
use serde_json::{Value, json};

/// A kind with its way through the API.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// `/api/v1` or `/apis/GROUP/VERSION`.
    pub root: &'static str,
    pub plural: &'static str,
    pub name: &'static str,
    pub has_scale: bool,
    pub has_status: bool,
    /// An object that holds, without metadata.
    pub base: fn() -> Value,
    pub menu: fn() -> Menu,
}

impl Kind {
    pub(crate) fn api_version(&self) -> &'static str {
        self.root.trim_start_matches("/apis/").trim_start_matches("/api/")
    }

    pub(crate) fn collection(&self) -> String {
        format!("{}/namespaces/{{{{ns}}}}/{}", self.root, self.plural)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.collection())
    }

    /// An object of this kind.
    pub(crate) fn object(&self, name: &str) -> Value {
        let mut object = (self.base)();
        object["apiVersion"] = self.api_version().into();
        object["kind"] = self.name.into();
        object["metadata"] = json!({"name": name, "labels": {"app": "web"}});
        object
    }
}

const fn kind(
    root: &'static str,
    plural: &'static str,
    name: &'static str,
    base: fn() -> Value,
    menu: fn() -> Menu,
) -> Kind {
    Kind { root, plural, name, has_scale: false, has_status: false, base, menu }
}

const fn scaled(mut kind: Kind) -> Kind {
    kind.has_scale = true;
    kind.has_status = true;
    kind
}

const fn with_status(mut kind: Kind) -> Kind {
    kind.has_status = true;
    kind
}

const CORE: &str = "/api/v1";
const APPS: &str = "/apis/apps/v1";
const BATCH: &str = "/apis/batch/v1";
const NET: &str = "/apis/networking.k8s.io/v1";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

/// Those that stand more than once are used more often.
pub(crate) const KINDS: &[Kind] = &[
    kind(CORE, "configmaps", "ConfigMap", config_map, menu::config_map),
    kind(CORE, "configmaps", "ConfigMap", config_map, menu::config_map),
    kind(CORE, "secrets", "Secret", secret, menu::secret),
    with_status(kind(CORE, "services", "Service", service, menu::service)),
    with_status(kind(CORE, "services", "Service", service, menu::service)),
    kind(CORE, "serviceaccounts", "ServiceAccount", || json!({}), menu::service_account),
    with_status(kind(CORE, "pods", "Pod", pod, menu::pod)),
    with_status(kind(CORE, "pods", "Pod", pod, menu::pod)),
    with_status(kind(CORE, "persistentvolumeclaims", "PersistentVolumeClaim", claim, menu::claim)),
    with_status(kind(CORE, "resourcequotas", "ResourceQuota", quota, menu::quota)),
    scaled(kind(APPS, "deployments", "Deployment", deployment, menu::deployment)),
    scaled(kind(APPS, "deployments", "Deployment", deployment, menu::deployment)),
    scaled(kind(APPS, "deployments", "Deployment", deployment, menu::deployment)),
    scaled(kind(APPS, "replicasets", "ReplicaSet", replica_set, menu::replica_set)),
    scaled(kind(APPS, "statefulsets", "StatefulSet", stateful_set, menu::stateful_set)),
    with_status(kind(APPS, "daemonsets", "DaemonSet", daemon_set, menu::daemon_set)),
    with_status(kind(BATCH, "jobs", "Job", job, menu::job)),
    with_status(kind(BATCH, "cronjobs", "CronJob", cron_job, menu::cron_job)),
    with_status(kind(NET, "ingresses", "Ingress", ingress, menu::ingress)),
    kind(NET, "networkpolicies", "NetworkPolicy", policy, menu::policy),
    with_status(kind("/apis/policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", budget, menu::budget)),
    with_status(kind(
        "/apis/autoscaling/v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
        scaler,
        menu::scaler,
    )),
    kind(RBAC, "roles", "Role", role, menu::role),
    kind(RBAC, "rolebindings", "RoleBinding", binding, menu::binding),
    kind("/apis/coordination.k8s.io/v1", "leases", "Lease", lease, menu::lease),
    with_status(kind("/apis/example.test/v1", "widgets", "Widget", widget, menu::widget)),
];

/// A custom kind, so that sequences meet one: with a schema, defaults, a list with keys, status and scale.
pub(crate) fn custom_kind() -> Value {
    let part = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "weight": {"type": "integer", "default": 1, "minimum": 0}}});
    let spec = json!({"type": "object", "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 10, "default": 1},
        "mode": {"type": "string", "enum": ["fast", "slow"]},
        "pattern": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8},
        "parts": {"type": "array", "items": part, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "replicas": {"type": "integer"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "either": {"x-kubernetes-int-or-string": true},
    }});
    let schema = json!({"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
        "spec": spec,
        "status": {"type": "object", "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}}},
    }}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.test"},
        "spec": {
            "group": "example.test", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList", "shortNames": ["wd"]},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": schema,
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                "additionalPrinterColumns": [
                    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                    {"name": "Mode", "type": "string", "jsonPath": ".spec.mode"},
                ],
            }],
        },
    })
}

fn template() -> Value {
    let container = json!({"name": "app", "image": "registry.test/web:v1", "ports": [{"containerPort": 8080}]});
    json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}})
}

fn selector() -> Value {
    json!({"matchLabels": {"app": "web"}})
}

fn config_map() -> Value {
    json!({"data": {"a": "1", "b": "2"}})
}

fn secret() -> Value {
    json!({"data": {"password": "cGFzc3dvcmQ="}})
}

fn service() -> Value {
    json!({"spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}})
}

fn pod() -> Value {
    json!({"spec": {"containers": [{"name": "app", "image": "registry.test/web:v1"}]}})
}

fn claim() -> Value {
    json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
}

fn quota() -> Value {
    json!({"spec": {"hard": {"count/secrets.v1.none": "5"}}})
}

fn deployment() -> Value {
    json!({"spec": {"replicas": 2, "selector": selector(), "template": template()}})
}

fn replica_set() -> Value {
    json!({"spec": {"replicas": 2, "selector": selector(), "template": template()}})
}

fn stateful_set() -> Value {
    json!({"spec": {"serviceName": "web", "replicas": 2, "selector": selector(), "template": template()}})
}

fn daemon_set() -> Value {
    json!({"spec": {"selector": selector(), "template": template()}})
}

fn job_template() -> Value {
    let container = json!({"name": "work", "image": "registry.test/batch:v1"});
    json!({"spec": {"restartPolicy": "Never", "containers": [container]}})
}

fn job() -> Value {
    json!({"spec": {"template": job_template()}})
}

fn cron_job() -> Value {
    json!({"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": job_template()}}}})
}

fn ingress() -> Value {
    let backend = json!({"service": {"name": "web", "port": {"number": 80}}});
    json!({"spec": {"rules": [{"host": "web.test", "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}]}})
}

fn policy() -> Value {
    json!({"spec": {"podSelector": {"matchLabels": {"app": "web"}}, "ingress": [{"from": [{"podSelector": {}}]}]}})
}

fn budget() -> Value {
    json!({"spec": {"minAvailable": 1, "selector": selector()}})
}

fn scaler() -> Value {
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"});
    json!({"spec": {"scaleTargetRef": target, "maxReplicas": 3}})
}

fn role() -> Value {
    json!({"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]})
}

fn binding() -> Value {
    json!({
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "default"}],
    })
}

fn lease() -> Value {
    json!({"spec": {"holderIdentity": "one", "leaseDurationSeconds": 15}})
}

fn widget() -> Value {
    json!({"spec": {"size": 2, "parts": [{"name": "one"}, {"name": "two", "weight": 5}]}})
}
