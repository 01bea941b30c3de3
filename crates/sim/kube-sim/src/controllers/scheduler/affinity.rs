//! Node selectors and required node affinity.

use crate::object::Object;
use serde_json::Value;

const REQUIRED: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

pub(in super::super) fn matches(pod: &Value, node: &Value) -> bool {
    let selector = pod.at("/spec/nodeSelector").and_then(Value::as_object).into_iter().flatten();
    let is_selected = selector.into_iter().all(|(key, value)| node.label(key) == value.as_str());
    is_selected
        && pod.at(REQUIRED).is_none_or(|required| {
            // One of the terms, and of it every expression. A term without any matches nothing.
            required.list("/nodeSelectorTerms").iter().any(|term| {
                let (labels, fields) = (term.list("/matchExpressions"), term.list("/matchFields"));
                (!labels.is_empty() || !fields.is_empty())
                    && labels.iter().all(|expression| holds(expression, node.label(expression.text("/key"))))
                    && fields.iter().all(|expression| {
                        let is_name = expression.text("/key") == "metadata.name";
                        is_name && holds(expression, Some(node.name()))
                    })
            })
        })
}

fn holds(expression: &Value, value: Option<&str>) -> bool {
    let values = expression.list("/values");
    let is_listed = || value.is_some_and(|value| values.iter().any(|listed| listed == value));
    let numbers = || Some((value?.parse::<i64>().ok()?, values.first()?.as_str()?.parse::<i64>().ok()?));
    match expression.text("/operator") {
        "In" => is_listed(),
        "NotIn" => !is_listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        "Gt" => numbers().is_some_and(|(value, bound)| value > bound),
        "Lt" => numbers().is_some_and(|(value, bound)| value < bound),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nodes_are_chosen_by_selectors_terms_and_names() {
        let node = json!({"metadata": {"name": "node-1", "labels": {"zone": "a", "size": "8"}}});
        let term = |term: Value| json!({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}}});
        let expression = |key: &str, operator: &str, values: Value| {
            term(json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]}))
        };
        for (pod, want) in [
            (json!({}), true),
            (json!({"spec": {"nodeSelector": {"zone": "a"}}}), true),
            (json!({"spec": {"nodeSelector": {"zone": "b"}}}), false),
            (expression("zone", "In", json!(["b", "a"])), true),
            (expression("zone", "NotIn", json!(["a"])), false),
            (expression("gpu", "DoesNotExist", json!([])), true),
            (expression("size", "Gt", json!(["7"])), true),
            (expression("size", "Lt", json!(["8"])), false),
            (term(json!({})), false),
            (term(json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]})), true),
            (term(json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-2"]}]})), false),
        ] {
            assert_eq!(matches(&pod, &node), want, "{pod}");
        }
    }
}
