//! Metrics that an adapter would serve: here there is none, and the words are those of a cluster without one.

use super::metric::Failure;
use crate::object::Object;
use serde_json::Value;

/// Why a metric of another source says nothing.
pub(super) fn missing(scaler: &Value, spec: &Value) -> Failure {
    let custom =
        "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
    let namespace = scaler.namespace();
    match spec.text("/type") {
        "Pods" => {
            let why = format!("unable to get metric {}: {custom}", spec.text("/pods/metric/name"));
            Failure { reason: "FailedGetPodsMetric", why, of: "failed to get pods metric value".to_owned() }
        }
        "Object" => {
            let name = spec.text("/object/metric/name");
            let about = |field: &str| spec.text(&format!("/object/describedObject/{field}"));
            // The order is that of the real one.
            let why =
                format!("unable to get metric {name}: {} on {namespace} {}/{custom}", about("kind"), about("name"));
            let is_average = spec.at("/object/target/averageValue").is_some();
            let of = "failed to get object metric value";
            let of = if is_average { format!("{of}: failed to get {name} object metric") } else { of.to_owned() };
            Failure { reason: "FailedGetObjectMetric", why, of }
        }
        "External" => {
            let name = spec.text("/external/metric/name");
            let selector = go_selector(spec.at("/external/metric/selector"));
            let api = format!("the server could not find the requested resource (get {name}.external.metrics.k8s.io)");
            let why = format!(
                "unable to get external metric {namespace}/{name}/{selector}: unable to fetch metrics from external metrics API: {api}"
            );
            let is_average = spec.at("/external/target/averageValue").is_some();
            let what = if is_average { format!("{name} external metric") } else { format!("external metric {name}") };
            let of = format!("failed to get {name} external metric value: failed to get {what}");
            Failure { reason: "FailedGetExternalMetric", why, of }
        }
        other => {
            let why = format!("unknown metric source type {other:?}");
            Failure { reason: "InvalidMetricSourceType", why, of: String::new() }
        }
    }
}

/// A selector as Go prints it.
fn go_selector(selector: Option<&Value>) -> String {
    let Some(selector) = selector.filter(|selector| selector.is_object()) else { return "nil".to_owned() };
    let labels = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let labels: String = labels.map(|(key, value)| format!("{key}: {},", value.as_str().unwrap_or_default())).collect();
    let requirement = |requirement: &Value| {
        let values: Vec<&str> = requirement.list("/values").iter().filter_map(Value::as_str).collect();
        let (key, operator) = (requirement.text("/key"), requirement.text("/operator"));
        format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{}],}},", values.join(" "))
    };
    let requirements: String = selector.list("/matchExpressions").iter().map(requirement).collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{requirements}}},}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_source_is_missed_in_its_own_words() {
        let scaler = json!({"metadata": {"name": "web", "namespace": "shop"}});
        let custom =
            "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
        let external =
            "unable to fetch metrics from external metrics API: the server could not find the requested resource";
        let described = json!({"kind": "Ingress", "name": "front"});
        for (spec, reason, why) in [
            (
                json!({"type": "Pods", "pods": {"metric": {"name": "hits"}}}),
                "FailedGetPodsMetric",
                format!("unable to get metric hits: {custom}"),
            ),
            (
                json!({"type": "Object", "object": {"metric": {"name": "rate"}, "describedObject": described, "target": {"value": "1"}}}),
                "FailedGetObjectMetric",
                format!("unable to get metric rate: Ingress on shop front/{custom}"),
            ),
            (
                json!({"type": "External", "external": {"target": {"averageValue": "3"},
                    "metric": {"name": "queue", "selector": {"matchLabels": {"of": "web"}}}}}),
                "FailedGetExternalMetric",
                format!(
                    "unable to get external metric \
                     shop/queue/&LabelSelector{{MatchLabels:map[string]string{{of: web,}},MatchExpressions:[]LabelSelectorRequirement{{}},}}: \
                     {external} (get queue.external.metrics.k8s.io)"
                ),
            ),
        ] {
            let failure = missing(&scaler, &spec);
            assert_eq!((failure.reason, failure.why), (reason, why));
        }
    }
}
