use super::told;
use crate::objects;
use crate::release::Meta;
use crate::session::Session;
use crate::stop::Step;
use windlass_cluster::{Json, Query};
use windlass_manifest::{Gvk, ObjectKey};
use windlass_model::Millis;
use windlass_model::failure::{Failure, FailureType};

/// How long endpoints may take to follow a selector.
const PATIENCE: Millis = Millis::from_secs(30);

/// Waits until the endpoints of a Service are the ready pods of the release.
pub(super) async fn arrives(session: &Session<'_>, service: &ObjectKey, target: &Meta) -> Step<()> {
    let wanted: i64 = target.workloads.iter().filter_map(|workload| workload.replicas).sum();
    if wanted == 0 {
        return Ok(());
    }
    let began = session.now();
    loop {
        let ready = ready(session, service).await?;
        if ready >= wanted {
            session.log().info(format!("{} reaches {ready} ready pods", told(service)));
            return Ok(());
        }
        if session.now().since(began) > PATIENCE {
            let message = format!("{} reaches {ready} of {wanted} ready pods after {PATIENCE}", told(service));
            return Err(Failure::new(FailureType::Verification, message).into());
        }
        session.progress.doing(format!("waiting until {} reaches {wanted} pods; {ready} so far", told(service)));
        session.pause(Millis::from_secs(1)).await;
    }
}

async fn ready(session: &Session<'_>, service: &ObjectKey) -> Step<i64> {
    let gvk = Gvk::new("discovery.k8s.io", "v1", "EndpointSlice");
    let of = session.cluster.address(&gvk, Some(&service.namespace), "").await?;
    let query = Query::labels(format!("kubernetes.io/service-name={}", service.name));
    let slices = session.cluster.list(&of, &query).await?.items;
    let endpoints = slices.iter().filter_map(|slice| slice.get("endpoints")?.as_array()).flatten();
    let is_ready = |endpoint: &&Json| endpoint.pointer("/conditions/ready").and_then(Json::as_bool).unwrap_or(true);
    let pods: std::collections::BTreeSet<&str> =
        endpoints.filter(is_ready).filter_map(|endpoint| objects::text(endpoint, "/targetRef/name")).collect();
    Ok(i64::try_from(pods.len()).unwrap_or(i64::MAX))
}
