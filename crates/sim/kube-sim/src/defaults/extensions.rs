//! Defaults of RBAC, storage, scheduling, admission, and of definitions of custom kinds.

use super::{fill, inner, text};
use serde_json::{Map, Value, json};

pub(super) fn apply(package: &str, name: &str, map: &mut Map<String, Value>) {
    match (package, name) {
        ("rbac/v1", "RoleBinding" | "ClusterRoleBinding") => {
            fill(inner(map, "roleRef"), "apiGroup", "rbac.authorization.k8s.io");
        }
        ("rbac/v1", "Subject") if matches!(text(map, "kind"), "User" | "Group") => {
            fill(map, "apiGroup", "rbac.authorization.k8s.io");
        }
        ("storage/v1", "StorageClass") => {
            fill(map, "reclaimPolicy", "Delete");
            fill(map, "volumeBindingMode", "Immediate");
        }
        ("storage/v1", "CSIDriverSpec") => {
            fill(map, "attachRequired", true);
            for field in ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"] {
                fill(map, field, false);
            }
            fill(map, "fsGroupPolicy", "ReadWriteOnceWithFSType");
            fill(map, "volumeLifecycleModes", json!(["Persistent"]));
        }
        ("scheduling/v1", "PriorityClass") => fill(map, "preemptionPolicy", "PreemptLowerPriority"),
        ("admissionregistration/v1", "ValidatingWebhook" | "MutatingWebhook") => {
            fill(map, "failurePolicy", "Fail");
            fill(map, "timeoutSeconds", 10);
            matching(map);
            if name == "MutatingWebhook" {
                fill(map, "reinvocationPolicy", "Never");
            }
        }
        ("admissionregistration/v1", "RuleWithOperations" | "NamedRuleWithOperations") => fill(map, "scope", "*"),
        ("admissionregistration/v1", "ValidatingAdmissionPolicySpec") => fill(map, "failurePolicy", "Fail"),
        ("admissionregistration/v1", "MatchResources") => matching(map),
        ("flowcontrol/v1", "FlowSchemaSpec") => fill(map, "matchingPrecedence", 1000),
        ("flowcontrol/v1", "LimitedPriorityLevelConfiguration") => {
            fill(map, "nominalConcurrencyShares", 30);
            fill(map, "lendablePercent", 0);
        }
        ("flowcontrol/v1", "QueuingConfiguration") => {
            fill(map, "queues", 64);
            fill(map, "handSize", 8);
            fill(map, "queueLengthLimit", 50);
        }
        ("resource/v1", "ExactDeviceRequest" | "DeviceSubRequest") => {
            fill(map, "allocationMode", "ExactCount");
            if text(map, "allocationMode") == "ExactCount" {
                fill(map, "count", 1);
            }
        }
        (_, "ServiceReference") => fill(map, "port", 443),
        ("apiextensions/v1", "CustomResourceDefinition") => definition(inner(map, "spec")),
        _ => {}
    }
}

fn matching(map: &mut Map<String, Value>) {
    fill(map, "matchPolicy", "Equivalent");
    fill(map, "namespaceSelector", json!({}));
    fill(map, "objectSelector", json!({}));
}

fn definition(spec: &mut Map<String, Value>) {
    let names = inner(spec, "names");
    let kind = text(names, "kind").to_owned();
    fill(names, "singular", kind.to_lowercase());
    if !kind.is_empty() {
        fill(names, "listKind", format!("{kind}List"));
    }
    fill(inner(spec, "conversion"), "strategy", "None");
}
