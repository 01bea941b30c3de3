//! Pods.

use crate::object::Object;
use crate::ops::prepare::keep;
use serde_json::Value;

/// A negative grace period stands for the shortest.
fn shortest_grace(pod: &mut Value) {
    if pod.int("/spec/terminationGracePeriodSeconds").is_some_and(|seconds| seconds < 0) {
        pod.set("/spec/terminationGracePeriodSeconds", 1);
    }
}

pub(super) fn create(pod: &mut Value) {
    shortest_grace(pod);
    pod.set("/status/phase", "Pending");
    let class = qos_class(pod);
    pod.set("/status/qosClass", class);
}

pub(super) fn update_status(new: &mut Value, old: &Value) {
    for field in ["/metadata/deletionTimestamp", "/metadata/ownerReferences"] {
        keep(new, old, field);
    }
    if new.text("/status/qosClass").is_empty() {
        keep(new, old, "/status/qosClass");
    }
}

/// How long a pod may take to end. One that never ran, or has ended, needs no time.
pub(super) fn grace(pod: &Value, wished: Option<i64>) -> i64 {
    let over = matches!(pod.text("/status/phase"), "Succeeded" | "Failed");
    if pod.text("/spec/nodeName").is_empty() || over {
        return 0;
    }
    let seconds = wished.or_else(|| pod.int("/spec/terminationGracePeriodSeconds")).unwrap_or(30);
    if seconds < 0 { 1 } else { seconds }
}

/// `Guaranteed` when every container limits cpu and memory to what it requests, `BestEffort` when nothing is said.
fn qos_class(pod: &Value) -> &'static str {
    let containers = || pod.list("/spec/containers").iter().chain(pod.list("/spec/initContainers"));
    let amounts = |c: &Value, of: &str, name: &str| {
        let amount = c.at(&format!("/resources/{of}/{name}")).and_then(Value::as_str).unwrap_or("0").to_owned();
        if amount == "0" { None } else { Some(amount) }
    };
    let mut anything = false;
    let mut guaranteed = true;
    for container in containers() {
        for name in ["cpu", "memory"] {
            let (limit, request) = (amounts(container, "limits", name), amounts(container, "requests", name));
            anything |= limit.is_some() || request.is_some();
            guaranteed &= limit.is_some() && (request.is_none() || request == limit);
        }
    }
    match (anything, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_class_follows_the_resources() {
        for (resources, class) in [
            (json!({}), "BestEffort"),
            (json!({"requests": {"cpu": "1"}}), "Burstable"),
            (json!({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}), "Guaranteed"),
            (json!({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}), "Burstable"),
        ] {
            let pod = json!({"spec": {"containers": [{"resources": resources}]}});
            assert_eq!(qos_class(&pod), class, "{resources}");
        }
    }

    #[test]
    fn grace_is_what_was_wished_unless_nothing_runs() {
        let pod = |node: &str| json!({"spec": {"nodeName": node, "terminationGracePeriodSeconds": 30}});
        assert_eq!(grace(&pod("n"), None), 30);
        assert_eq!(grace(&pod("n"), Some(5)), 5);
        assert_eq!(grace(&pod("n"), Some(0)), 0);
        assert_eq!(grace(&pod(""), Some(5)), 0);
    }
}
