//! What can be changed in objects of each kind: values for places, some of which no server takes, and parts that patches bring.

use super::step::Edit;
use serde_json::{Value, json};

/// What there is to choose from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Menu {
    /// Changes that the server takes.
    pub good: Vec<Edit>,
    /// Changes that it refuses, or at least may refuse.
    pub bad: Vec<Edit>,
    /// Parts of an object for merge, strategic and apply patches.
    pub parts: Vec<Value>,
    /// Statuses, as parts.
    pub statuses: Vec<Value>,
}

fn set(place: &str, value: Value) -> Edit {
    Edit::Set(place.to_owned(), value)
}

fn without(place: &str) -> Edit {
    Edit::Remove(place.to_owned())
}

/// What every object has.
pub(crate) fn metadata() -> Menu {
    Menu {
        good: vec![
            set("/metadata/labels/tier", json!("front")),
            set("/metadata/labels/app", json!("web")),
            set("/metadata/annotations", json!({"example.test/note": "one"})),
            set("/metadata/annotations", json!({"example.test/note": "two", "x": ""})),
            set("/metadata/finalizers", json!(["example.test/hold"])),
            set("/metadata/labels", json!({})),
        ],
        bad: vec![
            set("/metadata/labels/app", json!("not a label!")),
            set("/metadata/labels/-bad-", json!("x")),
            set("/metadata/annotations", json!({"a b": "x"})),
            set("/metadata/finalizers", json!(["unqualified"])),
            set("/metadata/name", json!("Upper_Case")),
            set("/metadata/namespace", json!("elsewhere")),
            set("/metadata/labels", json!({"n": 1})),
            set("/metadata/uid", json!("00000000-0000-0000-0000-000000000000")),
            set("/metadata/resourceVersion", json!("1")),
            set("/metadata/generation", json!(77)),
            set("/metadata/creationTimestamp", json!("2001-01-01T00:00:00Z")),
            set("/metadata/ownerReferences", json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "x"}])),
            set("/metadata/unknown", json!(1)),
            set("/kind", json!("Potato")),
            set("/apiVersion", json!("v9")),
            set("/nonsense", json!({"a": 1})),
        ],
        parts: vec![
            json!({"metadata": {"labels": {"tier": "back"}}}),
            json!({"metadata": {"labels": {"tier": null}}}),
            json!({"metadata": {"annotations": {"example.test/note": "patched"}}}),
            json!({"metadata": {"finalizers": ["example.test/hold"]}}),
            json!({"metadata": {"finalizers": null}}),
            json!({"metadata": {"labels": {"bad label": "x"}}}),
            json!({}),
        ],
        statuses: Vec::new(),
    }
}

pub(crate) fn config_map() -> Menu {
    Menu {
        good: vec![
            set("/data/a", json!("changed")),
            set("/data/c", json!("")),
            without("/data"),
            set("/binaryData", json!({"z": "AAEC"})),
            set("/immutable", json!(true)),
            set("/data", json!({})),
        ],
        bad: vec![
            set("/data/a", json!(5)),
            set("/data/b c", json!("x")),
            set("/data/..", json!("x")),
            set("/binaryData", json!({"a": "AAEC"})),
            set("/binaryData", json!({"z": "no base64!"})),
            set("/immutable", json!("yes")),
            set("/data", json!([])),
        ],
        parts: vec![
            json!({"data": {"a": "from-patch"}}),
            json!({"data": {"a": null, "d": "4"}}),
            json!({"data": {"b": "3", "e": "5"}}),
            json!({"data": null}),
            json!({"data": {"$patch": "replace", "only": "this"}}),
            json!({"data": {"f": 6}}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn secret() -> Menu {
    Menu {
        good: vec![
            set("/stringData", json!({"user": "me"})),
            set("/type", json!("example.test/own")),
            set("/immutable", json!(true)),
            set("/data/password", json!("bmV3")),
        ],
        bad: vec![
            set("/data/password", json!("not base64!")),
            set("/type", json!("kubernetes.io/tls")),
            set("/type", json!("kubernetes.io/dockerconfigjson")),
            set("/type", json!("kubernetes.io/basic-auth")),
            set("/data/a b", json!("")),
            set("/data/password", json!(null)),
        ],
        parts: vec![
            json!({"data": {"token": "dG9rZW4="}}),
            json!({"stringData": {"token": "plain"}}),
            json!({"data": {"password": null}}),
            json!({"type": "other"}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn service() -> Menu {
    Menu {
        good: vec![
            set(
                "/spec/ports",
                json!([{"name": "http", "port": 80, "targetPort": "http"}, {"name": "more", "port": 81, "protocol": "UDP"}]),
            ),
            set("/spec/type", json!("NodePort")),
            set("/spec/type", json!("ClusterIP")),
            set("/spec/clusterIP", json!("None")),
            set("/spec/sessionAffinity", json!("ClientIP")),
            set("/spec/publishNotReadyAddresses", json!(true)),
            set("/spec/selector/tier", json!("front")),
            without("/spec/selector"),
        ],
        bad: vec![
            set("/spec/ports", json!([])),
            set("/spec/ports", json!([{"port": 80}, {"port": 81}])),
            set("/spec/ports", json!([{"name": "a", "port": 80}, {"name": "a", "port": 81}])),
            set("/spec/ports/0/port", json!(0)),
            set("/spec/ports/0/port", json!(70000)),
            set("/spec/ports/0/protocol", json!("HTTP")),
            set("/spec/ports/0/targetPort", json!("Not_A_Name")),
            set("/spec/ports/0/nodePort", json!(99)),
            set("/spec/type", json!("Potato")),
            set("/spec/type", json!("ExternalName")),
            set("/spec/clusterIP", json!("nonsense")),
            set("/spec/clusterIP", json!("1.2.3.4")),
            set("/spec/sessionAffinity", json!("Sometimes")),
            set("/spec/externalName", json!("x y")),
            set("/spec/ipFamilyPolicy", json!("Whatever")),
        ],
        parts: vec![
            json!({"spec": {"ports": [{"port": 80, "name": "http"}]}}),
            json!({"spec": {"ports": [{"port": 443, "name": "https", "protocol": "TCP"}]}}),
            json!({"spec": {"ports": [{"port": 80, "targetPort": 9090}]}}),
            json!({"spec": {"ports": [{"port": 80, "$patch": "delete"}]}}),
            json!({"spec": {"selector": {"app": null, "role": "x"}}}),
            json!({"spec": {"type": "NodePort"}}),
            json!({"spec": {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}}),
            json!({"spec": {"clusterIP": "None"}}),
            json!({"spec": {"selector": {"$patch": "replace", "app": "other"}}}),
        ],
        statuses: vec![
            json!({"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}}),
            json!({"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Well", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}),
        ],
    }
}

pub(crate) fn service_account() -> Menu {
    Menu {
        good: vec![
            set("/automountServiceAccountToken", json!(false)),
            set("/imagePullSecrets", json!([{"name": "registry"}])),
            set("/secrets", json!([{"name": "token"}])),
        ],
        bad: vec![set("/automountServiceAccountToken", json!("no")), set("/imagePullSecrets", json!("registry"))],
        parts: vec![
            json!({"imagePullSecrets": [{"name": "other"}]}),
            json!({"secrets": [{"name": "second"}]}),
            json!({"automountServiceAccountToken": null}),
        ],
        ..Menu::default()
    }
}

/// Changes of a pod's spec that lies at `at`.
fn of_pod(at: &str) -> Menu {
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
fn template_parts() -> Vec<Value> {
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

pub(crate) fn claim() -> Menu {
    Menu {
        good: vec![
            set("/spec/storageClassName", json!("fast")),
            set("/spec/volumeMode", json!("Block")),
            set("/spec/resources/requests/storage", json!("2Gi")),
        ],
        bad: vec![
            set("/spec/accessModes", json!([])),
            set("/spec/accessModes", json!(["Sometimes"])),
            set("/spec/resources/requests/storage", json!("0")),
            set("/spec/resources/requests", json!({})),
            set("/spec/volumeMode", json!("Tape")),
            set("/spec/storageClassName", json!("Not Valid")),
        ],
        parts: vec![
            json!({"spec": {"resources": {"requests": {"storage": "5Gi"}}}}),
            json!({"spec": {"storageClassName": "other"}}),
            json!({"spec": {"volumeName": "pv-1"}}),
        ],
        statuses: vec![
            json!({"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}}),
        ],
    }
}

pub(crate) fn quota() -> Menu {
    Menu {
        good: vec![set("/spec/hard/count~1potatoes.none", json!("1")), set("/spec/hard/pods", json!("1k"))],
        bad: vec![
            set("/spec/hard/pods", json!("-1")),
            set("/spec/hard/pods", json!("0.5")),
            set("/spec/hard/requests.cpu", json!("lots")),
            set("/spec/scopes", json!(["Everything"])),
        ],
        parts: vec![json!({"spec": {"hard": {"pods": "50"}}}), json!({"spec": {"hard": null}})],
        statuses: vec![json!({"status": {"hard": {"pods": "50"}, "used": {"pods": "3"}}})],
    }
}

pub(crate) fn deployment() -> Menu {
    let mut menu = of_pod("/spec/template/spec");
    menu.good.extend([
        set("/spec/strategy", json!({"type": "Recreate"})),
        set("/spec/strategy", json!({"rollingUpdate": {"maxSurge": "50%", "maxUnavailable": 0}})),
        set("/spec/replicas", json!(0)),
        set("/spec/paused", json!(true)),
        set("/spec/minReadySeconds", json!(5)),
        set("/spec/progressDeadlineSeconds", json!(100)),
        without("/spec/replicas"),
    ]);
    menu.bad.extend([
        set("/spec/strategy", json!({"type": "Recreate", "rollingUpdate": {"maxSurge": 1}})),
        set("/spec/strategy", json!({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}})),
        set("/spec/strategy", json!({"rollingUpdate": {"maxSurge": "lots"}})),
        set("/spec/strategy", json!({"rollingUpdate": {"maxUnavailable": "150%"}})),
        set("/spec/strategy", json!({"type": "Canary"})),
        set("/spec/replicas", json!(-1)),
        set("/spec/replicas", json!("2")),
        set("/spec/minReadySeconds", json!(700)),
        set("/spec/revisionHistoryLimit", json!(-1)),
        set("/spec/selector", json!({})),
        without("/spec/selector"),
        without("/spec/template"),
        set("/spec/selector/matchLabels/app", json!("other")),
        set("/spec/selector/matchExpressions", json!([{"key": "app", "operator": "In"}])),
        set("/spec/template/metadata/labels", json!({"a": "b"})),
        set("/spec/template/spec/restartPolicy", json!("Never")),
    ]);
    menu.parts = template_parts();
    menu.parts.extend([
        json!({"spec": {"strategy": {"rollingUpdate": {"maxSurge": 2}}}}),
        json!({"spec": {"strategy": {"type": "Recreate"}}}),
        json!({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
        json!({"spec": {"strategy": {"type": "Recreate", "rollingUpdate": null}}}),
        json!({"spec": {"paused": true}}),
    ]);
    menu.statuses = vec![
        json!({"status": {"replicas": 2, "readyReplicas": 1, "observedGeneration": 1}}),
        json!({"status": {"replicas": 1, "readyReplicas": 2}}),
        json!({"status": {"conditions": [{"type": "Available", "status": "True", "reason": "Well"}]}}),
        json!({"status": {"replicas": -1}}),
    ];
    menu
}

pub(crate) fn replica_set() -> Menu {
    let mut menu = of_pod("/spec/template/spec");
    menu.bad.extend([
        set("/spec/replicas", json!(-3)),
        set("/spec/selector", json!(null)),
        set("/spec/template/spec/restartPolicy", json!("OnFailure")),
    ]);
    menu.parts = template_parts();
    menu.statuses = vec![
        json!({"status": {"replicas": 2, "fullyLabeledReplicas": 2}}),
        json!({"status": {"replicas": 1, "availableReplicas": 2}}),
    ];
    menu
}

pub(crate) fn stateful_set() -> Menu {
    let mut menu = of_pod("/spec/template/spec");
    let claim = json!({"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    menu.good.extend([
        set("/spec/podManagementPolicy", json!("Parallel")),
        set("/spec/updateStrategy", json!({"type": "OnDelete"})),
        set("/spec/updateStrategy", json!({"rollingUpdate": {"partition": 1}})),
        set("/spec/volumeClaimTemplates", json!([claim])),
        set("/spec/persistentVolumeClaimRetentionPolicy", json!({"whenDeleted": "Delete", "whenScaled": "Retain"})),
        set("/spec/ordinals", json!({"start": 2})),
    ]);
    menu.bad.extend([
        set("/spec/podManagementPolicy", json!("Random")),
        set("/spec/updateStrategy", json!({"type": "Sometimes"})),
        set("/spec/updateStrategy", json!({"rollingUpdate": {"partition": -1}})),
        set("/spec/ordinals", json!({"start": -2})),
        set("/spec/serviceName", json!("other")),
        set("/spec/replicas", json!(-1)),
    ]);
    menu.parts = template_parts();
    menu.parts.extend([
        json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 2}}}}),
        json!({"spec": {"serviceName": "changed"}}),
        json!({"spec": {"podManagementPolicy": "Parallel"}}),
    ]);
    menu.statuses = vec![
        json!({"status": {"replicas": 2, "readyReplicas": 2, "currentRevision": "a"}}),
        json!({"status": {"replicas": 0, "readyReplicas": 1}}),
    ];
    menu
}

pub(crate) fn daemon_set() -> Menu {
    let mut menu = of_pod("/spec/template/spec");
    menu.good.extend([
        set("/spec/updateStrategy", json!({"type": "OnDelete"})),
        set("/spec/updateStrategy", json!({"rollingUpdate": {"maxUnavailable": "30%"}})),
        set("/spec/minReadySeconds", json!(2)),
    ]);
    menu.bad.extend([
        set("/spec/updateStrategy", json!({"rollingUpdate": {"maxUnavailable": 0}})),
        set("/spec/updateStrategy", json!({"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}})),
        set("/spec/updateStrategy", json!({"type": "Never"})),
    ]);
    menu.parts = template_parts();
    menu.statuses = vec![
        json!({"status": {"currentNumberScheduled": 1, "numberMisscheduled": 0, "desiredNumberScheduled": 1, "numberReady": 1}}),
    ];
    menu
}

pub(crate) fn job() -> Menu {
    let mut menu = of_pod("/spec/template/spec");
    menu.good.extend([
        set("/spec/backoffLimit", json!(2)),
        set("/spec/completions", json!(3)),
        set("/spec/parallelism", json!(2)),
        set("/spec/suspend", json!(true)),
        set("/spec/ttlSecondsAfterFinished", json!(100)),
        set("/spec/activeDeadlineSeconds", json!(100)),
        set("/spec/template/spec/restartPolicy", json!("OnFailure")),
    ]);
    menu.bad.extend([
        set("/spec/template/spec/restartPolicy", json!("Always")),
        without("/spec/template/spec/restartPolicy"),
        set("/spec/backoffLimit", json!(-1)),
        set("/spec/completions", json!(-1)),
        set("/spec/completionMode", json!("Indexed")),
        set("/spec/completionMode", json!("Potato")),
        set("/spec/manualSelector", json!(true)),
        set("/spec/selector", json!({"matchLabels": {"a": "b"}})),
        set("/spec/parallelism", json!(-2)),
        set("/spec/podReplacementPolicy", json!("Whenever")),
    ]);
    menu.parts = vec![
        json!({"spec": {"parallelism": 3}}),
        json!({"spec": {"suspend": true}}),
        json!({"spec": {"backoffLimit": 9}}),
        json!({"spec": {"completions": 5}}),
        json!({"spec": {"template": {"spec": {"containers": [{"name": "work", "image": "registry.test/batch:v2"}]}}}}),
        json!({"spec": {"activeDeadlineSeconds": 5}}),
    ];
    menu.statuses =
        vec![json!({"status": {"active": 1, "startTime": "2026-01-01T00:00:00Z"}}), json!({"status": {"active": -1}})];
    menu
}

pub(crate) fn cron_job() -> Menu {
    Menu {
        good: vec![
            set("/spec/suspend", json!(true)),
            set("/spec/concurrencyPolicy", json!("Forbid")),
            set("/spec/schedule", json!("@hourly")),
            set("/spec/timeZone", json!("Europe/Berlin")),
            set("/spec/startingDeadlineSeconds", json!(30)),
            set("/spec/successfulJobsHistoryLimit", json!(1)),
        ],
        bad: vec![
            set("/spec/schedule", json!("every day")),
            set("/spec/schedule", json!("")),
            set("/spec/schedule", json!("61 * * * *")),
            set("/spec/timeZone", json!("Nowhere/City")),
            set("/spec/timeZone", json!("Local")),
            set("/spec/schedule", json!("TZ=UTC 0 * * * *")),
            set("/spec/concurrencyPolicy", json!("Maybe")),
            set("/spec/startingDeadlineSeconds", json!(-1)),
            set("/spec/failedJobsHistoryLimit", json!(-1)),
            set("/spec/jobTemplate/spec/template/spec/restartPolicy", json!("Always")),
            set("/metadata/name", json!("a-name-that-is-much-too-long-for-a-cron-job-because-of-its-suffix")),
        ],
        parts: vec![
            json!({"spec": {"suspend": true}}),
            json!({"spec": {"schedule": "0 0 * * *"}}),
            json!({"spec": {"suspend": null}}),
        ],
        statuses: vec![json!({"status": {"lastScheduleTime": "2026-01-01T00:00:00Z"}})],
    }
}

pub(crate) fn ingress() -> Menu {
    let service = json!({"service": {"name": "web", "port": {"name": "http"}}});
    Menu {
        good: vec![
            set("/spec/ingressClassName", json!("nginx")),
            set("/spec/tls", json!([{"hosts": ["web.test"], "secretName": "tls"}])),
            set("/spec/defaultBackend", service),
            set("/spec/rules/0/http/paths/0/pathType", json!("Exact")),
            set("/spec/rules/0/host", json!("*.web.test")),
        ],
        bad: vec![
            set("/spec/rules/0/http/paths/0/pathType", json!("Regex")),
            set("/spec/rules/0/http/paths/0/path", json!("relative")),
            set("/spec/rules/0/http/paths", json!([])),
            set("/spec/rules/0/host", json!("1.2.3.4")),
            set("/spec/rules/0/host", json!("A B")),
            set("/spec/rules/0/http/paths/0/backend", json!({})),
            set("/spec/rules/0/http/paths/0/backend", json!({"service": {"name": "web"}})),
            set("/spec/rules", json!([])),
            set("/spec/ingressClassName", json!("A B")),
            without("/spec/rules/0/http/paths/0/pathType"),
        ],
        parts: vec![
            json!({"spec": {"ingressClassName": "other"}}),
            json!({"spec": {"tls": [{"hosts": ["a.test"]}]}}),
            json!({"spec": {"rules": [{"host": "b.test"}]}}),
        ],
        statuses: vec![json!({"status": {"loadBalancer": {"ingress": [{"hostname": "lb.test"}]}}})],
    }
}

pub(crate) fn policy() -> Menu {
    Menu {
        good: vec![
            set("/spec/policyTypes", json!(["Ingress", "Egress"])),
            set("/spec/egress", json!([{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}])),
            set("/spec/ingress/0/ports", json!([{"port": 80}, {"port": "http", "protocol": "UDP"}])),
        ],
        bad: vec![
            set("/spec/policyTypes", json!(["Both"])),
            set("/spec/egress", json!([{"to": [{"ipBlock": {"cidr": "nowhere"}}]}])),
            set("/spec/egress", json!([{"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["11.0.0.0/16"]}}]}])),
            set("/spec/ingress/0/ports", json!([{"port": 0}])),
            set("/spec/ingress/0/from", json!([{}])),
            set("/spec/ingress/0/ports", json!([{"port": 80, "endPort": 70}])),
        ],
        parts: vec![
            json!({"spec": {"podSelector": {}}}),
            json!({"spec": {"ingress": []}}),
            json!({"spec": {"policyTypes": ["Egress"]}}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn budget() -> Menu {
    Menu {
        good: vec![
            set("/spec/minAvailable", json!("50%")),
            set("/spec/unhealthyPodEvictionPolicy", json!("AlwaysAllow")),
            set("/spec", json!({"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}})),
        ],
        bad: vec![
            set("/spec/maxUnavailable", json!(1)),
            set("/spec/minAvailable", json!("half")),
            set("/spec/minAvailable", json!(-1)),
            set("/spec/minAvailable", json!("200%")),
            set("/spec/unhealthyPodEvictionPolicy", json!("Never")),
            set("/spec/selector", json!({"matchExpressions": [{"key": "a", "operator": "Like"}]})),
        ],
        parts: vec![
            json!({"spec": {"minAvailable": 2}}),
            json!({"spec": {"minAvailable": null, "maxUnavailable": "10%"}}),
        ],
        statuses: vec![
            json!({"status": {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2, "observedGeneration": 1}}),
            json!({"status": {"disruptionsAllowed": -1, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}}),
        ],
    }
}

pub(crate) fn scaler() -> Menu {
    let cpu = json!({"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}});
    Menu {
        good: vec![
            set("/spec/minReplicas", json!(2)),
            set("/spec/metrics", json!([cpu])),
            set("/spec/behavior", json!({"scaleDown": {"stabilizationWindowSeconds": 60}})),
            set(
                "/spec/behavior",
                json!({"scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 30}], "selectPolicy": "Min"}}),
            ),
        ],
        bad: vec![
            set("/spec/minReplicas", json!(5)),
            set("/spec/minReplicas", json!(0)),
            set("/spec/maxReplicas", json!(0)),
            set("/spec/metrics", json!([{"type": "Resource"}])),
            set("/spec/metrics", json!([{"type": "Potato"}])),
            set(
                "/spec/metrics",
                json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization"}}}]),
            ),
            set("/spec/behavior", json!({"scaleDown": {"policies": []}})),
            set("/spec/behavior", json!({"scaleDown": {"stabilizationWindowSeconds": 9999}})),
            set("/spec/scaleTargetRef/kind", json!("")),
            set("/spec/scaleTargetRef/name", json!("")),
        ],
        parts: vec![
            json!({"spec": {"maxReplicas": 9}}),
            json!({"spec": {"minReplicas": 3}}),
            json!({"spec": {"metrics": []}}),
        ],
        statuses: vec![json!({"status": {"currentReplicas": 1, "desiredReplicas": 2}})],
    }
}

pub(crate) fn role() -> Menu {
    Menu {
        good: vec![
            set("/rules/0/verbs", json!(["*"])),
            set("/rules", json!([])),
            set("/rules/0/resourceNames", json!(["one"])),
            without("/rules"),
        ],
        bad: vec![
            set("/rules/0/verbs", json!([])),
            set("/rules", json!([{"verbs": ["get"]}])),
            set("/rules", json!([{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}])),
            set("/rules/0/apiGroups", json!([])),
        ],
        parts: vec![
            json!({"rules": [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]}]}),
            json!({"rules": null}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn binding() -> Menu {
    Menu {
        good: vec![
            set("/subjects", json!([{"kind": "User", "name": "somebody", "apiGroup": "rbac.authorization.k8s.io"}])),
            set("/subjects", json!([{"kind": "Group", "name": "some"}])),
            without("/subjects"),
        ],
        bad: vec![
            set("/roleRef/name", json!("other")),
            set("/roleRef/kind", json!("Potato")),
            set("/roleRef/name", json!("")),
            set("/subjects", json!([{"kind": "User", "name": ""}])),
            set("/subjects", json!([{"kind": "ServiceAccount", "name": "a"}])),
            set("/subjects", json!([{"kind": "Robot", "name": "a"}])),
        ],
        parts: vec![
            json!({"subjects": [{"kind": "User", "name": "other", "apiGroup": "rbac.authorization.k8s.io"}]}),
            json!({"roleRef": {"name": "changed"}}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn lease() -> Menu {
    Menu {
        good: vec![
            set("/spec/holderIdentity", json!("two")),
            set("/spec/renewTime", json!("2026-01-01T00:00:00.000000Z")),
            set("/spec/leaseTransitions", json!(1)),
        ],
        bad: vec![
            set("/spec/leaseDurationSeconds", json!(0)),
            set("/spec/leaseTransitions", json!(-1)),
            set("/spec/renewTime", json!("yesterday")),
            set("/spec/holderIdentity", json!("")),
        ],
        parts: vec![
            json!({"spec": {"holderIdentity": "three"}}),
            json!({"spec": {"renewTime": "2026-02-02T00:00:00.123456Z"}}),
        ],
        ..Menu::default()
    }
}

pub(crate) fn widget() -> Menu {
    Menu {
        good: vec![
            set("/spec/size", json!(3)),
            set("/spec/mode", json!("fast")),
            set("/spec/tags", json!(["a", "b"])),
            set("/spec/free", json!({"deep": {"er": [1, 2]}})),
            set("/spec/either", json!("10%")),
            set("/spec/unknown", json!(1)),
            set("/spec/replicas", json!(3)),
            without("/spec/size"),
        ],
        bad: vec![
            set("/spec/size", json!(11)),
            set("/spec/size", json!("big")),
            set("/spec/size", json!(1.5)),
            set("/spec/mode", json!("medium")),
            set("/spec/pattern", json!("UPPER")),
            set("/spec/pattern", json!("muchtoolong")),
            set("/spec/parts", json!([{"name": "a"}, {"name": "a"}])),
            set("/spec/parts", json!([{"weight": 1}])),
            set("/spec/tags", json!(["a", "a"])),
            set("/spec/either", json!({})),
            set("/spec/mode", json!(null)),
            without("/spec"),
        ],
        parts: vec![
            json!({"spec": {"size": 4}}),
            json!({"spec": {"parts": [{"name": "one", "weight": 9}]}}),
            json!({"spec": {"parts": [{"name": "three"}]}}),
            json!({"spec": {"tags": ["c"]}}),
            json!({"spec": {"free": {"x": 1}}}),
            json!({"spec": {"mode": null, "size": 99}}),
        ],
        statuses: vec![
            json!({"status": {"phase": "Fine"}}),
            json!({"status": {"replicas": 3}}),
            json!({"status": {"phase": 1}}),
        ],
    }
}
