//! Workloads, autoscalers and disruption budgets as rows.

use super::text::{age, containers, count, duration, either, selector, some_of};
use super::{Cells, own_age};
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn cells(group: &str, plural: &str) -> Option<Cells> {
    let cells: Cells = match (group, plural) {
        ("apps", "deployments") => deployment,
        ("apps", "replicasets") => replica_set,
        ("apps", "statefulsets") => stateful_set,
        ("apps", "daemonsets") => daemon_set,
        ("apps", "controllerrevisions") => revision,
        ("batch", "jobs") => job,
        ("batch", "cronjobs") => cron_job,
        ("autoscaling", _) => autoscaler,
        ("policy", "poddisruptionbudgets") => budget,
        _ => return None,
    };
    Some(cells)
}

const TEMPLATE: &str = "/spec/template/spec/containers";

fn with_template(mut cells: Vec<Value>, object: &Value) -> Vec<Value> {
    cells.extend(containers(object, TEMPLATE));
    cells.push(selector(object, "/spec/selector"));
    cells
}

fn ready(object: &Value) -> Value {
    format!("{}/{}", count(object, "/status/readyReplicas"), count(object, "/spec/replicas")).into()
}

fn deployment(object: &Value, now: Timestamp) -> Vec<Value> {
    let cells = vec![
        object.name().into(),
        ready(object),
        count(object, "/status/updatedReplicas").into(),
        count(object, "/status/availableReplicas").into(),
        own_age(object, now),
    ];
    with_template(cells, object)
}

fn replica_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let cells = vec![
        object.name().into(),
        count(object, "/spec/replicas").into(),
        count(object, "/status/replicas").into(),
        count(object, "/status/readyReplicas").into(),
        own_age(object, now),
    ];
    with_template(cells, object)
}

fn stateful_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = vec![object.name().into(), ready(object), own_age(object, now)];
    cells.extend(containers(object, TEMPLATE));
    cells
}

fn daemon_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells: Vec<Value> = vec![object.name().into()];
    for field in
        ["desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable"]
    {
        cells.push(count(object, &format!("/status/{field}")).into());
    }
    cells.push(super::text::labels(object, "/spec/template/spec/nodeSelector"));
    cells.push(own_age(object, now));
    with_template(cells, object)
}

fn revision(object: &Value, now: Timestamp) -> Vec<Value> {
    let controller = object.controller().map_or("<none>".to_owned(), |c| {
        let group = c.text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
        let kind = c.text("/kind").to_lowercase();
        if group.is_empty() {
            format!("{kind}/{}", c.text("/name"))
        } else {
            format!("{kind}.{group}/{}", c.text("/name"))
        }
    });
    vec![object.name().into(), controller.into(), count(object, "/revision").into(), own_age(object, now)]
}

fn job(object: &Value, now: Timestamp) -> Vec<Value> {
    let succeeded = count(object, "/status/succeeded");
    let completions = match (object.int("/spec/completions"), count(object, "/spec/parallelism")) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}"),
        (None, parallel) if parallel > 1 => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    };
    let moment = |pointer: &str| Timestamp::parse(object.text(pointer));
    let took = moment("/status/startTime").map_or(String::new(), |start| {
        let end = moment("/status/completionTime").unwrap_or(now);
        duration(end.secs() - start.secs())
    });
    let has = |kind: &str| {
        object.list("/status/conditions").iter().any(|c| c.text("/type") == kind && c.text("/status") == "True")
    };
    let status = match () {
        () if has("Complete") => "Complete",
        () if has("Failed") => "Failed",
        () if object.is_deleting() => "Terminating",
        () if has("Suspended") => "Suspended",
        () if has("FailureTarget") => "FailureTarget",
        () if has("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    };
    let cells = vec![object.name().into(), status.into(), completions.into(), took.into(), own_age(object, now)];
    with_template(cells, object)
}

fn cron_job(object: &Value, now: Timestamp) -> Vec<Value> {
    let last = object.text("/status/lastScheduleTime");
    let last = if last.is_empty() { "<none>".to_owned() } else { age(last, now) };
    let suspend = match object.at("/spec/suspend").and_then(Value::as_bool) {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    let mut cells = vec![
        object.name().into(),
        object.text("/spec/schedule").into(),
        either(object.at("/spec/timeZone"), "<none>"),
        suspend.into(),
        object.list("/status/active").len().into(),
        last.into(),
        own_age(object, now),
    ];
    cells.extend(containers(object, "/spec/jobTemplate/spec/template/spec/containers"));
    cells.push(selector(object, "/spec/jobTemplate/spec/selector"));
    cells
}

fn autoscaler(object: &Value, now: Timestamp) -> Vec<Value> {
    // Every version is shown as the newest.
    let mut object = object.clone();
    let version = object.api_version().to_owned();
    crate::versions::convert(&mut object, &version, "autoscaling/v2");
    let object = &object;
    let reference =
        format!("{}/{}", object.text("/spec/scaleTargetRef/kind"), object.text("/spec/scaleTargetRef/name"));
    vec![
        object.name().into(),
        reference.into(),
        targets(object).into(),
        either(object.at("/spec/minReplicas"), "<unset>"),
        count(object, "/spec/maxReplicas").into(),
        count(object, "/status/currentReplicas").into(),
        own_age(object, now),
    ]
}

/// What is measured against what is wanted: `cpu: 40%/80%`.
fn targets(object: &Value) -> String {
    let specs = object.list("/spec/metrics");
    if specs.is_empty() {
        return "<none>".into();
    }
    let current = object.list("/status/currentMetrics");
    let shown: Vec<String> = specs.iter().enumerate().map(|(i, spec)| target(spec, current.get(i))).collect();
    some_of(&shown, 2, ", ", shown.len())
}

fn target(spec: &Value, status: Option<&Value>) -> String {
    let Some(key) =
        ["resource", "containerResource", "pods", "object", "external"].into_iter().find(|k| spec.get(*k).is_some())
    else {
        return "<unknown type>".into();
    };
    let now = |field: &str| status.and_then(|s| s.at(&format!("/{key}/current/{field}")));
    let wanted = |field: &str| spec.at(&format!("/{key}/target/{field}"));
    let text = |value: Option<&Value>, absent: &str| match either(value, absent) {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let percent = |value: Option<&Value>, absent: &str| match value.and_then(Value::as_i64) {
        Some(n) => format!("{n}%"),
        None => absent.to_owned(),
    };
    let named = matches!(key, "resource" | "containerResource");
    let amounts = match wanted("averageValue") {
        Some(value) => {
            let average = if matches!(key, "object" | "external") { " (avg)" } else { "" };
            format!("{}/{}{average}", text(now("averageValue"), "<unknown>"), text(Some(value), ""))
        }
        None if named => {
            format!(
                "{}/{}",
                percent(now("averageUtilization"), "<unknown>"),
                percent(wanted("averageUtilization"), "<auto>")
            )
        }
        None => format!("{}/{}", text(now("value"), "<unknown>"), text(wanted("value"), "")),
    };
    if named { format!("{}: {amounts}", spec.text(&format!("/{key}/name"))) } else { amounts }
}

fn budget(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        object.name().into(),
        either(object.at("/spec/minAvailable"), "N/A"),
        either(object.at("/spec/maxUnavailable"), "N/A"),
        count(object, "/status/disruptionsAllowed").into(),
        own_age(object, now),
    ]
}
