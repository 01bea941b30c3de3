//! What pods answer to plain requests: text that the workloads supply. Only `GET` is simulated.

use super::handle::Call;
use super::reply;
use crate::error::ApiError;
use crate::kind::PODS;
use crate::object::Object;
use axum::response::Response;

pub(super) fn serve(call: &Call) -> Result<Response, ApiError> {
    // `http:web-1:8080`, `web-1:8080`, `web-1`
    let name = &call.request.name;
    let name = name.strip_prefix("http:").unwrap_or(name);
    let name = name.split(':').next().unwrap_or_default();
    let cluster = &call.server.cluster;
    let pod = cluster.get(&PODS, &call.request.namespace, name);
    let pod = pod.ok_or_else(|| ApiError::not_found(&PODS, name))?;
    let silent =
        || ApiError::new(503, "ServiceUnavailable", "error trying to reach service: dial tcp: connection refused");
    if pod.text("/status/phase") != "Running" {
        return Err(silent());
    }
    let path = format!("/{}", call.request.rest);
    let page = cluster.workloads().page(&pod, &path, cluster.now()).ok_or_else(silent)?;
    Ok(reply::text(200, page))
}
