//! Workloads that keep pods.

use super::pods::{of_pod, template_parts};
use super::{Menu, set, without};
use serde_json::json;

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
