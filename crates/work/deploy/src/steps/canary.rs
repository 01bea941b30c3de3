//! K8sCanaryDeploy (kubernetes-deploy §2.6): some pods of the new version beside production.

use crate::apply::{self, Applied, How};
use crate::compare;
use crate::flags;
use crate::objects;
use crate::plan;
use crate::release::{History, Record, Status, Strategy, Track};
use crate::session::{New, Phase, Session, What};
use crate::steps::rolling::{keep_uids, output};
use crate::stop::{Done, Step, Stop};
use crate::wait;
use serde_json::json;
use std::collections::BTreeSet;
use windlass_cluster::Json;
use windlass_manifest::canary::{Canary, Method, Selection, canary};
use windlass_manifest::workload::{self, Step as Asks};
use windlass_manifest::{Object, ObjectKey, stamp};
use windlass_model::task::kubernetes::{CanarySpec, InstanceSelection};

pub(crate) async fn run(session: &Session<'_>, spec: &CanarySpec) -> Step<Done> {
    let flags = flags::read(&spec.command_flags, "Apply");
    flags.warnings.iter().for_each(|warning| session.log().warn(warning));
    let history = session.history().await?;
    let (mut record, known) = match session.resumed(&history).await? {
        Some(record) => (record, None),
        None => match prepare(session, spec, &history).await? {
            Prepared::Skip(reason) => {
                let output = json!({"canaryWorkloadDeployed": false, "releaseName": session.work.target.release});
                return Ok(Done::Skipped(reason, output));
            }
            Prepared::Begin(new) => {
                let known = if spec.skip_dry_run {
                    None
                } else {
                    Some(apply::dry_run(session, &new.objects, &[], flags.force).await?)
                };
                (session.begin(*new).await?, known)
            }
        },
    };
    let mut changes = Vec::new();
    if record.meta.status != Status::Succeeded && !session.has_reached(Phase::Applied) {
        // A canary has no scaler: its number of pods is the step's.
        let how = How { known: known.as_ref(), force: flags.force, ..How::default() };
        let applied = apply::apply(session, record.objects.clone(), how).await?;
        keep_uids(session, &mut record.meta, &applied).await?;
        changes = applied.iter().map(Applied::told).collect();
        session.reached(Phase::Applied);
    }
    let workload = canary_workload(&record)?.clone();
    let address = session.cluster.address(&workload.gvk(), workload.namespace(), workload.name()).await?;
    let steady = wait::steady(session, &[address]).await?;
    record.meta.workloads.clone_from(&steady.workloads);
    session.succeed(&mut record.meta).await?;
    session.log().section("Wrap Up");
    let name = objects::name(&workload.key());
    session.log().info(format!("{name} runs beside production"));
    let mut out = output(session, &record.meta, &steady, changes);
    out["canaryWorkload"] = name.into();
    out["canaryWorkloadDeployed"] = true.into();
    out["replicas"] = workload::replicas(&workload).into();
    Ok(Done::Succeeded(out))
}

/// The workload of a canary's record: its own one, or the StatefulSet whose highest pods are the canary.
fn canary_workload(record: &Record) -> Step<&Object> {
    let own = record.meta.resources.iter().filter(|resource| resource.managed);
    let keys: BTreeSet<&ObjectKey> = own.map(|resource| &resource.key).collect();
    let found = record.objects.iter().find(|object| keys.contains(&object.key()));
    found.ok_or_else(|| Stop::configuration(format!("the record of release {} holds no workload", record.meta.number)))
}

enum Prepared {
    Skip(String),
    Begin(Box<New>),
}

async fn prepare(session: &Session<'_>, spec: &CanarySpec, history: &History) -> Step<Prepared> {
    let set = session.render(What::default()).await?;
    let manifest_hash = plan::manifest_hash(&set.objects);
    let scalers = compare::scalers(session, &set.objects).await?;
    let primary = set.objects.iter().find(|o| workload::is_managed(o, Asks::Deploy) && workload::replicas(o).is_some());
    let live = match primary {
        Some(primary) => {
            let address = session.cluster.address(&primary.gvk(), primary.namespace(), primary.name()).await?;
            session.cluster.get(&address).await?.as_ref().and_then(objects::object)
        }
        None => None,
    };
    let base = primary.map_or(1, |primary| base(primary, live.as_ref(), &scalers));
    let Some(instances) = &spec.instance_selection else {
        return Err(Stop::configuration("`instanceSelection` is missing").hint("say how many pods the canary gets"));
    };
    let replicas = selection(instances).of(base);
    let parts = canary(set.objects.clone(), &session.work.target.release, replicas)?;
    session.tell(&parts.warnings);
    session.log().section("Prepare");
    if live.is_none() {
        let partition = matches!(parts.method, Method::Partition(_));
        if session.work.settings.skip_canary_on_first_deploy || partition {
            return Ok(Prepared::Skip(
                "there is no primary workload yet: a canary would have nothing beside it".to_owned(),
            ));
        }
        session.log().warn("there is no primary workload yet: Services send all their traffic to the canary");
    }
    let (mut all, own) = taken(session, parts, replicas, base).await?;
    let number = history.next_number();
    // A second canary of the stage changes the first one: marks of pods stay as they are, so that nothing restarts.
    stamp::stamp(&mut all, &session.release(number), Asks::Deploy);
    session.log().info(format!("Current release number: {number}"));
    session.log().info(format!("Canary of {replicas} pods beside {base}"));
    Ok(Prepared::Begin(Box::new(New {
        number,
        strategy: Strategy::Canary,
        track: Some(Track::Canary),
        resources: plan::resources(&all, &BTreeSet::new(), |object| own.contains(&object.key())),
        objects: all,
        manifest_hash,
        commit: set.commit,
        commits: set.commits,
        previous_successful: history.previous_successful(&session.task.origin.stage_execution),
        pruned: Vec::new(),
        undid: None,
        restored: None,
        services: None,
        shift: None,
    })))
}

/// The number of pods of which a percentage is taken (kubernetes-deploy §2.6.2): the manifest's, unless a scaler decides or it
/// says nothing; then the live one.
fn base(primary: &Object, live: Option<&Object>, scalers: &[Object]) -> u32 {
    let said = primary.get("/spec/replicas").and_then(Json::as_i64).filter(|_| !plan::is_scaled(primary, scalers));
    let replicas = said.or_else(|| live.and_then(workload::replicas)).or_else(|| workload::replicas(primary));
    u32::try_from(replicas.unwrap_or(1).max(0)).unwrap_or(u32::MAX)
}

pub(crate) fn selection(selection: &InstanceSelection) -> Selection {
    match selection {
        InstanceSelection::Count { count } => Selection::Count(*count),
        InstanceSelection::Percentage { percentage } => Selection::Percentage(*percentage),
    }
}

/// The objects that this canary applies, and which of them are its own.
async fn taken(
    session: &Session<'_>,
    parts: Canary,
    replicas: u32,
    base: u32,
) -> Step<(Vec<Object>, BTreeSet<ObjectKey>)> {
    let mut all = parts.config;
    let mut own: BTreeSet<ObjectKey> = all.iter().map(Object::key).collect();
    match parts.method {
        Method::Clone(clone) => {
            own.insert(clone.key());
            all.push(*clone);
        }
        Method::Partition(set) => all.push(partitioned(*set, replicas, base)),
    }
    for object in parts.others {
        let is_wanted = session.work.settings.canary_apply_all || {
            let address = session.cluster.address(&object.gvk(), object.namespace(), object.name()).await?;
            session.cluster.get(&address).await?.is_none()
        };
        if is_wanted {
            all.push(object);
        } else {
            session.log().info(format!("{} is there: a canary does not change it", object.key().in_namespace()));
        }
    }
    for object in &parts.left_out {
        session.log().info(format!("{} is left out of the canary", object.key().in_namespace()));
    }
    Ok((all, own))
}

/// A StatefulSet whose highest pods alone are updated.
fn partitioned(mut set: Object, replicas: u32, base: u32) -> Object {
    if let Some(spec) = set.json_mut().get_mut("spec").and_then(Json::as_object_mut) {
        let partition = base.saturating_sub(replicas);
        spec.insert(
            "updateStrategy".to_owned(),
            json!({"type": "RollingUpdate", "rollingUpdate": {"partition": partition}}),
        );
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn deployment(replicas: Option<i64>) -> Object {
        let mut json = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {}});
        if let Some(replicas) = replicas {
            json["spec"]["replicas"] = replicas.into();
        }
        Object::new(json, None).unwrap()
    }

    #[test]
    fn of_which_number_a_percentage_is_taken() {
        let hpa = Object::new(
            json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h", "namespace": "shop"},
                "spec": {"maxReplicas": 9, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}}),
            None,
        )
        .unwrap();
        let live = deployment(Some(7));
        assert_eq!(base(&deployment(Some(2)), Some(&live), &[]), 2);
        assert_eq!(base(&deployment(Some(2)), Some(&live), std::slice::from_ref(&hpa)), 7);
        assert_eq!(base(&deployment(Some(2)), None, &[hpa]), 2);
        assert_eq!(base(&deployment(None), Some(&live), &[]), 7);
        assert_eq!(base(&deployment(None), None, &[]), 1);
    }

    proptest! {
        #[test]
        fn a_percentage_rounds_up_and_gives_at_least_one(base in 1_u32..=10, percentage in 1_u32..=100) {
            let expected = 1.max((base * percentage).div_ceil(100));
            prop_assert_eq!(selection(&InstanceSelection::Percentage { percentage }).of(base), expected);
        }
    }
}
