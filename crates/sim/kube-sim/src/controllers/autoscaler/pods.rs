//! The pods of a target, as the calculator counts them.

use crate::controllers::condition;
use crate::metrics::Measured;
use crate::object::Object;
use crate::schema::quantity::Quantity;
use serde_json::Value;
use windlass_model::{Millis, Timestamp};

/// So long after its start the processor use of a pod may be that of its start.
const STARTING: Millis = Millis::from_secs(300);
/// A pod that was never ready since so long after its start is not ready for the first time.
const FIRST_READY: Millis = Millis::from_secs(30);

/// How a pod counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Ready,
    /// It counts as using nothing when there should be more.
    Unready,
    /// Nobody measured it.
    Missing,
    /// It goes, or failed.
    Ignored,
}

/// How a pod stands that was measured, or was not.
pub(super) fn standing(pod: &Value, measured: Option<&Measured>, is_cpu: bool, now: Timestamp) -> Standing {
    let phase = pod.text("/status/phase");
    if pod.is_deleting() || phase == "Failed" {
        return Standing::Ignored;
    }
    if phase == "Pending" {
        return Standing::Unready;
    }
    let Some(measured) = measured else { return Standing::Missing };
    if !is_cpu {
        return Standing::Ready;
    }
    let ready = pod.get("status").and_then(|status| condition::find(status, "Ready"));
    let (Some(ready), Some(start)) = (ready, Timestamp::parse(pod.text("/status/startTime"))) else {
        return Standing::Unready;
    };
    let is_not = ready.text("/status") == "False";
    let changed = condition::since(ready).unwrap_or(start);
    let unready = if start + STARTING > now {
        is_not || measured.at < changed + measured.window
    } else {
        is_not && start + FIRST_READY > changed
    };
    if unready { Standing::Unready } else { Standing::Ready }
}

/// What a pod asks for of a resource, in thousandths; of one container, or of all when none is named.
pub(super) fn request(pod: &Value, container: Option<&str>, resource: &str) -> Result<i64, String> {
    let of = |holder: &Value| holder.at("/resources/requests")?.get(resource).and_then(milli);
    let spec = pod.get("spec").unwrap_or(&Value::Null);
    let sidecars = pod.list("/spec/initContainers").iter().filter(|c| c.text("/restartPolicy") == "Always");
    let all = pod.list("/spec/containers").iter().chain(sidecars);
    let whole_pod = spec.at("/resources/requests").and_then(Value::as_object).is_some_and(|r| !r.is_empty());
    if container.is_none() && whole_pod {
        let sum = || all.filter_map(of).reduce(|a, b| a + b);
        let missing = || format!("missing pod-level request for {resource} in Pod {}", pod.name());
        return of(spec).or_else(sum).ok_or_else(missing);
    }
    let meant = all.filter(|c| container.is_none_or(|name| c.text("/name") == name));
    meant
        .map(|c| {
            of(c).ok_or_else(|| {
                format!("missing request for {resource} in container {} of Pod {}", c.text("/name"), pod.name())
            })
        })
        .sum()
}

/// Thousandths of a quantity, rounded up.
pub(super) fn milli(quantity: &Value) -> Option<i64> {
    let text = quantity.as_str().map_or_else(|| quantity.to_string(), str::to_owned);
    let nano = Quantity::parse(&text).ok()?.nano;
    i64::try_from((nano + 999_999).div_euclid(1_000_000)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_secs(1_000_000 + seconds)
    }

    fn pod(phase: &str, ready: &str, changed: i64) -> Value {
        let time = crate::object::time_text;
        json!({"metadata": {"name": "p"}, "status": {"phase": phase, "startTime": time(at(0)),
            "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": time(at(changed))}]}})
    }

    #[test]
    fn pods_count_as_their_phase_readiness_and_age_say() {
        use Standing::{Ignored, Missing, Ready, Unready};
        for (pod, measured, is_cpu, now, expected) in [
            (pod("Failed", "False", 0), Some(10), true, 20, Ignored),
            (pod("Pending", "False", 0), None, true, 20, Unready),
            (pod("Running", "True", 5), None, true, 20, Missing),
            (pod("Running", "False", 5), Some(30), false, 40, Ready),
            // In its first five minutes: measured before it was ready for a whole window, or after.
            (pod("Running", "True", 5), Some(15), true, 20, Unready),
            (pod("Running", "True", 5), Some(30), true, 40, Ready),
            (pod("Running", "False", 5), Some(30), true, 40, Unready),
            // Later: it was ready and is not any more, or it never was.
            (pod("Running", "False", 200), Some(390), true, 400, Ready),
            (pod("Running", "False", 5), Some(390), true, 400, Unready),
        ] {
            let measured =
                measured.map(|seconds| Measured { at: at(seconds), window: Millis::from_secs(15), containers: vec![] });
            assert_eq!(standing(&pod, measured.as_ref(), is_cpu, at(now)), expected, "{pod} at {now}");
        }
        let mut going = pod("Running", "True", 0);
        going.set("/metadata/deletionTimestamp", "2026-01-01T00:00:00Z");
        assert_eq!(standing(&going, None, true, at(0)), Ignored);
    }

    #[test]
    fn requests_add_up_and_a_missing_one_is_told() {
        let container = |name: &str, cpu: &str| json!({"name": name, "resources": {"requests": {"cpu": cpu}}});
        let mut sidecar = container("proxy", "50m");
        sidecar.set("/restartPolicy", "Always");
        let mut pod = json!({"metadata": {"name": "p"}, "spec": {
            "containers": [container("app", "0.2"), container("log", "100m")],
            "initContainers": [sidecar, container("init", "4")],
        }});
        assert_eq!(request(&pod, None, "cpu"), Ok(350));
        assert_eq!(request(&pod, Some("log"), "cpu"), Ok(100));
        let told = "missing request for memory in container app of Pod p";
        assert_eq!(request(&pod, None, "memory"), Err(told.to_owned()));
        pod.set("/spec/resources/requests", json!({"cpu": "1"}));
        assert_eq!(request(&pod, None, "cpu"), Ok(1_000), "that of the whole pod counts");
    }
}
