//! Eviction: a deletion that disruption budgets may hold back.

use super::handle::Call;
use super::{body, create, read, reply};
use crate::error::{ApiError, Cause};
use crate::kind::POD_DISRUPTION_BUDGETS;
use crate::object::Object;
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
    let wished = eviction.pointer("/deleteOptions").cloned().unwrap_or(Value::Null);
    let options = super::options::delete(&call.query, Some(&wished))?;
    let pod = read::object(&call)?;
    check_budgets(&call, &pod)?;
    let now = call.server.cluster.now();
    let options = DeleteOptions { uid: Some(pod.uid().to_owned()), ..options };
    let namespace = read::namespace(&call);
    call.server.cluster.step(|state| state.delete(&call.resource, namespace, name, &options, now))?;
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(reply::object(201, &status, &call.accepted))
}

/// Pods that do not run may always go; others only when their budget allows a disruption.
fn check_budgets(call: &Call, pod: &Value) -> Result<(), ApiError> {
    if matches!(pod.text("/status/phase"), "Succeeded" | "Failed" | "Pending") || pod.is_deleting() {
        return Ok(());
    }
    let budgets = call.server.cluster.list(&POD_DISRUPTION_BUDGETS, Some(pod.namespace()));
    for budget in budgets.iter().filter(|b| LabelSelector::of(b.pointer("/spec/selector")).matches(pod)) {
        let allowed = budget.int("/status/disruptionsAllowed").unwrap_or(0);
        if allowed > 0 {
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
    Ok(())
}
