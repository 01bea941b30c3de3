//! What is in a cluster, read from its own API.

use super::house::Site;
use crate::failure::CliFailure;
use serde_json::Value;
use std::collections::BTreeMap;

/// The tags of the pods that serve the service, and how many there are of each.
pub(super) async fn tags(site: &Site) -> Result<BTreeMap<String, usize>, CliFailure> {
    let namespace = format!("{}-payment-service-euw1", site.environment);
    let url = format!("{}/api/v1/namespaces/{namespace}/pods?labelSelector=app%3Dpayment-service", site.api);
    let failed =
        |error: reqwest::Error| CliFailure::failed(format!("cannot read the cluster {}: {error}", site.environment));
    let answer = reqwest::Client::new().get(&url).bearer_auth(&site.admin_token).send().await.map_err(failed)?;
    let pods: Value = answer.error_for_status().map_err(failed)?.json().await.map_err(failed)?;
    let mut tags = BTreeMap::new();
    for pod in pods["items"].as_array().into_iter().flatten() {
        let is_ready = pod["status"]["conditions"]
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one["type"] == "Ready" && one["status"] == "True"));
        let image = pod["spec"]["containers"][0]["image"].as_str().unwrap_or_default();
        if is_ready && pod["metadata"]["deletionTimestamp"].is_null() {
            *tags.entry(image.rsplit(':').next().unwrap_or_default().to_owned()).or_insert(0) += 1;
        }
    }
    Ok(tags)
}

/// `3 × v2.3.0`
pub(super) fn shown(tags: &BTreeMap<String, usize>) -> String {
    let parts: Vec<String> = tags.iter().map(|(tag, count)| format!("{count} × {tag}")).collect();
    if parts.is_empty() { "no pod that is ready".to_owned() } else { parts.join(", ") }
}
