//! Eviction: a deletion that disruption budgets may hold back.

use super::handle::Call;
use super::{body, create, read, reply};
use crate::error::{ApiError, Cause};
use crate::kind::POD_DISRUPTION_BUDGETS;
use crate::object::{Object, time_text};
use crate::ops::delete::DeleteOptions;
use crate::selectors::LabelSelector;
use axum::body::Body;
use axum::response::Response;
use serde_json::{Value, json};

pub(super) async fn serve(call: Call, body: Body) -> Result<Response, ApiError> {
    let media_type = body::media_type(&call.headers);
    body::check_media_type(&media_type, false)?;
    let bytes = body::collect(body, call.server.body_limit).await?;
    let eviction = create::parse(&call.resource, &media_type, &bytes)?.to_value();
    let name = call.request.name.as_str();
    if !eviction.name().is_empty() && eviction.name() != name {
        return Err(ApiError::bad_request("name in URL does not match name in Eviction object"));
    }
    let wished = eviction.at("/deleteOptions").cloned().unwrap_or(Value::Null);
    let options = super::options::delete(&call.query, Some(&wished))?;
    let pod = read::object(&call)?;
    let now = call.server.cluster.now();
    let spent = check_budgets(&call, &pod)?;
    let options = DeleteOptions { uid: Some(pod.uid().to_owned()), ..options };
    let namespace = read::namespace(&call);
    if let Some(budget) = spent.filter(|_| !options.dry_run) {
        call.server.cluster.update_status(&POD_DISRUPTION_BUDGETS, budget, "kube-apiserver")?;
    }
    call.server.cluster.step(|state| state.delete(&call.resource, namespace, name, &options, now))?;
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(reply::object(201, &status, &call.accepted))
}

/// Pods that do not run may always go; others only when their budget allows a disruption. Answers with the budget that has one less.
fn check_budgets(call: &Call, pod: &Value) -> Result<Option<Value>, ApiError> {
    if matches!(pod.text("/status/phase"), "Succeeded" | "Failed" | "Pending") || pod.is_deleting() {
        return Ok(None);
    }
    let budgets = call.server.cluster.list(&POD_DISRUPTION_BUDGETS, Some(pod.namespace()));
    let ready = pod.get("status").is_some_and(|status| {
        status.list("/conditions").iter().any(|c| c.text("/type") == "Ready" && c.text("/status") == "True")
    });
    let mut spent = None;
    for budget in budgets.iter().filter(|b| LabelSelector::of(b.at("/spec/selector")).matches(pod)) {
        let of = |field: &str| budget.int(&format!("/status/{field}")).unwrap_or(0);
        let allowed = of("disruptionsAllowed");
        // Who is not well is no loss, where the budget says so or has enough without.
        let always = budget.text("/spec/unhealthyPodEvictionPolicy") == "AlwaysAllow";
        let enough = of("desiredHealthy") > 0 && of("currentHealthy") >= of("desiredHealthy");
        if !ready && (always || enough) {
            continue;
        }
        let is_current = of("observedGeneration") >= budget.generation();
        if allowed > 0 && is_current {
            let mut less = Value::clone(budget);
            less.set("/status/disruptionsAllowed", allowed - 1);
            let name = pod.name().replace('~', "~0").replace('/', "~1");
            less.set(&format!("/status/disruptedPods/{name}"), time_text(call.server.cluster.now()));
            spent = Some(less);
            continue;
        }
        let mut error =
            ApiError::too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.", 0);
        let message = format!(
            "The disruption budget {} needs {} healthy pods and has {} currently",
            budget.name(),
            budget.int("/status/desiredHealthy").unwrap_or(0),
            budget.int("/status/currentHealthy").unwrap_or(0)
        );
        if let Some(details) = &mut error.details {
            details.retry_after_seconds = None;
            details.causes.push(Cause { reason: "DisruptionBudget", message, field: String::new() });
        }
        return Err(error);
    }
    Ok(spent)
}
