//! Pods, and what has a template of them.

use super::{Menu, set};
use serde_json::{Value, json};

/// Changes of a pod's spec that lies at `at`.
pub(super) fn of_pod(at: &str) -> Menu {
    let at = |rest: &str, value: Value| set(&format!("{at}{rest}"), value);
    let container = |more: Value| {
        let mut container = json!({"name": "app", "image": "registry.test/web:v1"});
        if let (Value::Object(container), Value::Object(more)) = (&mut container, more) {
            container.extend(more);
        }
        container
    };
    Menu {
        good: vec![
            at("/containers/0/image", json!("registry.test/web:v2")),
            at(
                "/containers/0/env",
                json!([{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
            ),
            at(
                "/containers/0/resources",
                json!({"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "0.5", "memory": "128Mi"}}),
            ),
            at("/containers/0/readinessProbe", json!({"httpGet": {"path": "/", "port": 8080}})),
            at("/containers/0/livenessProbe", json!({"tcpSocket": {"port": "http"}, "periodSeconds": 5})),
            at("/containers/0/command", json!(["sh", "-c", "true"])),
            at("/containers/0/securityContext", json!({"runAsUser": 1000, "allowPrivilegeEscalation": false})),
            at("/containers/0/volumeMounts", json!([{"name": "v", "mountPath": "/v"}])),
            at("/volumes", json!([{"name": "v", "emptyDir": {}}])),
            at(
                "/volumes",
                json!([{"name": "v", "configMap": {"name": "c"}}, {"name": "w", "secret": {"secretName": "s", "defaultMode": 256}}]),
            ),
            at("/initContainers", json!([{"name": "init", "image": "registry.test/init:v1"}])),
            at("/containers", json!([container(json!({})), container(json!({"name": "side"}))])),
            at("/terminationGracePeriodSeconds", json!(5)),
            at("/nodeSelector", json!({"disk": "ssd"})),
            at("/tolerations", json!([{"key": "a", "operator": "Exists", "effect": "NoSchedule"}])),
            at("/serviceAccountName", json!("default")),
            at("/hostNetwork", json!(true)),
            at("/securityContext", json!({"runAsNonRoot": true, "fsGroup": 100})),
            at(
                "/topologySpreadConstraints",
                json!([{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": "web"}}}]),
            ),
            at(
                "/affinity",
                json!({"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}]}}),
            ),
            at("/dnsPolicy", json!("Default")),
            at("/priority", json!(0)),
        ],
        bad: vec![
            at("/containers", json!([])),
            at("/containers", json!(null)),
            at("/containers/0/name", json!("Not_A_Name")),
            at("/containers/0/image", json!("")),
            at("/containers/0/image", json!(" spaces ")),
            at("/containers/0/imagePullPolicy", json!("Sometimes")),
            at("/containers/0/ports", json!([{"containerPort": 0}])),
            at(
                "/containers/0/ports",
                json!([{"containerPort": 80, "name": "http"}, {"containerPort": 81, "name": "http"}]),
            ),
            at("/containers/0/ports", json!([{"containerPort": "eighty"}])),
            at("/containers/0/env", json!([{"name": "", "value": "1"}])),
            at(
                "/containers/0/env",
                json!([{"name": "A", "value": "1", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]),
            ),
            at("/containers/0/env", json!([{"name": "A", "valueFrom": {}}])),
            at("/containers/0/env", json!([{"name": "A", "value": 1}])),
            at("/containers/0/env", json!([{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.potato"}}}])),
            at("/containers/0/envFrom", json!([{"configMapRef": {"name": "c"}, "secretRef": {"name": "s"}}])),
            at("/containers/0/resources", json!({"requests": {"cpu": "2"}, "limits": {"cpu": "1"}})),
            at("/containers/0/resources", json!({"requests": {"cpu": "lots"}})),
            at("/containers/0/resources", json!({"requests": {"memory": "-1"}})),
            at("/containers/0/resources", json!({"limits": {"potato": "1"}})),
            at("/containers/0/readinessProbe", json!({})),
            at("/containers/0/readinessProbe", json!({"httpGet": {"path": "/"}})),
            at("/containers/0/readinessProbe", json!({"httpGet": {"path": "/", "port": 0}, "tcpSocket": {"port": 1}})),
            at("/containers/0/livenessProbe", json!({"exec": {"command": ["x"]}, "successThreshold": 2})),
            at("/containers/0/livenessProbe", json!({"exec": {}, "periodSeconds": -1})),
            at("/containers/0/lifecycle", json!({"preStop": {}})),
            at("/containers/0/volumeMounts", json!([{"name": "missing", "mountPath": "/x"}])),
            at("/containers/0/volumeMounts", json!([{"name": "v", "mountPath": ""}])),
            at("/containers/0/securityContext", json!({"privileged": true, "allowPrivilegeEscalation": false})),
            at("/containers/0/securityContext", json!({"runAsUser": -1})),
            at("/containers/0/potato", json!(1)),
            at("/containers", json!([container(json!({})), container(json!({}))])),
            at("/volumes", json!([{"name": "v", "emptyDir": {}}, {"name": "v", "emptyDir": {}}])),
            at("/volumes", json!([{"name": "v", "emptyDir": {}, "configMap": {"name": "c"}}])),
            at("/volumes", json!([{"name": "V V", "emptyDir": {}}])),
            at("/volumes", json!([{"name": "v", "hostPath": {}}])),
            at(
                "/volumes",
                json!([{"name": "v", "secret": {"secretName": "s", "items": [{"key": "a", "path": "../up"}]}}]),
            ),
            at("/restartPolicy", json!("Perhaps")),
            at("/dnsPolicy", json!("Potato")),
            at("/nodeSelector", json!({"a b": "c"})),
            at("/tolerations", json!([{"key": "a", "operator": "Exists", "value": "x"}])),
            at("/tolerations", json!([{"operator": "Equal", "value": "x"}])),
            at("/terminationGracePeriodSeconds", json!(-1)),
            at("/activeDeadlineSeconds", json!(0)),
            at("/affinity", json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}})),
            at("/topologySpreadConstraints", json!([{"maxSkew": 0, "topologyKey": "", "whenUnsatisfiable": "Never"}])),
            at("/serviceAccountName", json!("A B")),
            at("/hostAliases", json!([{"ip": "nowhere", "hostnames": ["a"]}])),
            at("/imagePullSecrets", json!([{"name": ""}])),
            at("/initContainers", json!([{"name": "app", "image": "x"}])),
        ],
        ..Menu::default()
    }
}

/// Parts of workloads whose template lies in their spec.
pub(super) fn template_parts() -> Vec<Value> {
    let template = |spec: Value| json!({"spec": {"template": {"spec": spec}}});
    vec![
        template(json!({"containers": [{"name": "app", "image": "registry.test/web:v3"}]})),
        template(json!({"containers": [{"name": "app", "env": [{"name": "A", "value": "2"}]}]})),
        template(
            json!({"containers": [{"name": "app", "env": [{"name": "B", "value": "1"}], "ports": [{"containerPort": 9090, "protocol": "TCP"}]}]}),
        ),
        template(json!({"containers": [{"name": "side", "image": "registry.test/side:v1"}]})),
        template(json!({"containers": [{"name": "side", "$patch": "delete"}]})),
        template(
            json!({"$setElementOrder/containers": [{"name": "side"}, {"name": "app"}], "containers": [{"name": "side", "image": "registry.test/side:v2"}]}),
        ),
        template(json!({"volumes": [{"name": "v", "emptyDir": {}}]})),
        template(json!({"volumes": [{"name": "v", "$retainKeys": ["name", "configMap"], "configMap": {"name": "c"}}]})),
        template(json!({"nodeSelector": {"disk": "ssd"}})),
        template(json!({"tolerations": [{"key": "a", "operator": "Exists"}]})),
        template(json!({"containers": []})),
        json!({"spec": {"template": {"metadata": {"annotations": {"restarted": "now"}}}}}),
        json!({"spec": {"template": {"metadata": {"labels": {"app": "other"}}}}}),
        json!({"spec": {"replicas": 4}}),
        json!({"spec": {"replicas": null}}),
        json!({"spec": {"selector": {"matchLabels": {"app": "other"}}}}),
        json!({"spec": {"minReadySeconds": 3}}),
        json!({"spec": {"revisionHistoryLimit": 2}}),
    ]
}

pub(crate) fn pod() -> Menu {
    Menu {
        parts: vec![
            json!({"spec": {"containers": [{"name": "app", "image": "registry.test/web:v3"}]}}),
            json!({"spec": {"containers": [{"name": "app", "env": [{"name": "A", "value": "1"}]}]}}),
            json!({"spec": {"activeDeadlineSeconds": 60}}),
            json!({"spec": {"tolerations": [{"key": "b", "operator": "Exists"}]}}),
            json!({"spec": {"nodeName": "node-9"}}),
            json!({"spec": {"terminationGracePeriodSeconds": 1}}),
        ],
        statuses: vec![
            json!({"status": {"phase": "Running"}}),
            json!({"status": {"phase": "Failed", "reason": "Evicted", "message": "no room"}}),
            json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}),
            json!({"status": {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}], "hostIP": "10.1.0.1"}}),
        ],
        ..of_pod("/spec")
    }
}
