//! K8sScale (kubernetes-deploy §2.8): the number of pods of one workload.

use crate::compare;
use crate::objects;
use crate::session::Session;
use crate::steps::canary::selection;
use crate::stop::{Done, Step, Stop};
use crate::wait;
use serde_json::json;
use windlass_cluster::{Json, PatchKind};
use windlass_manifest::{Object, ObjectRef, scaler};
use windlass_model::task::kubernetes::{InstanceSelection, ScaleSpec};

pub(crate) async fn run(session: &Session<'_>, spec: &ScaleSpec) -> Step<Done> {
    let named: ObjectRef = spec
        .workload
        .parse()
        .map_err(|error: windlass_manifest::identity::NameError| Stop::configuration(format!("`workload`: {error}")))?;
    session.log().section("Prepare");
    let address = session.cluster.resolve(&named, session.namespace()).await?;
    let live = session.cluster.get(&address).await?.as_ref().and_then(objects::object);
    let Some(live) = live else { return Err(Stop::configuration(format!("{address} is not there"))) };
    let is_scalable = live.get("/spec/replicas").is_some();
    if !is_scalable {
        let message = format!("{address} has no number of pods to set");
        return Err(Stop::configuration(message)
            .hint("Deployments and StatefulSets can be scaled; a DaemonSet runs one pod on each node"));
    }
    let before = session.cluster.scale(&address).await?.unwrap_or_default();
    // A percentage is of what was there before the step, not before the attempt.
    let name = address.to_string();
    let base = session.checkpoint().counts.get(&name).copied().unwrap_or(before);
    session.remember(|checkpoint| {
        checkpoint.counts.insert(name.clone(), base);
    });
    let wanted = match (&spec.instance_selection, base) {
        // Nothing stays nothing: a percentage of no pods is none.
        (InstanceSelection::Percentage { percentage }, base) if base == 0 || *percentage == 0 => 0,
        (instances, base) => selection(instances).of(base),
    };
    session.log().info(format!("{address}: {base} pods, {wanted} wanted"));
    let hint = scaled_by(session, spec, &live, wanted).await?;
    if before != wanted {
        session.log().section("Scale");
        session.cluster.set_scale(&address, wanted).await?;
        session.log().info(format!("scaled {address} to {wanted}"));
        session.progress.did(format!("scaled {address} to {wanted}"));
    }
    let instances = if spec.skip_steady_state_check {
        json!([])
    } else {
        wait::steady(session, std::slice::from_ref(&address)).await?.instances
    };
    Ok(Done::Succeeded(json!({
        "workload": name, "previousReplicas": base, "replicas": wanted, "instances": instances, "scaler": hint,
    })))
}

/// A scaler sets the number again: it is told, and moved when the step wants it.
async fn scaled_by(session: &Session<'_>, spec: &ScaleSpec, live: &Object, wanted: u32) -> Step<Option<String>> {
    let scalers = compare::scalers(session, std::slice::from_ref(live)).await?;
    let Some(scaler) = scalers.iter().find(|scaler| scaler::targets(scaler, live)) else { return Ok(None) };
    let name = objects::name(&scaler.key());
    if !spec.adjust_hpa || !scaler.is("autoscaling", "HorizontalPodAutoscaler") || wanted == 0 {
        session.log().warn(format!("{name} decides about the number of pods and may change it again"));
        return Ok(Some(name));
    }
    let highest = scaler.get("/spec/maxReplicas").and_then(Json::as_u64).unwrap_or(0);
    let mut bounds = json!({"minReplicas": wanted});
    if highest < u64::from(wanted) {
        bounds["maxReplicas"] = wanted.into();
    }
    let at = session.cluster.address(&scaler.gvk(), scaler.namespace(), scaler.name()).await?;
    session.cluster.patch(&at, PatchKind::Merge, &json!({ "spec": bounds })).await?;
    session.log().info(format!("{name} has the bounds {bounds} now"));
    session.progress.did(format!("changed the bounds of {name}"));
    Ok(Some(name))
}
