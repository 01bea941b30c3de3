//! K8sRollout (kubernetes-deploy §2.8): what `kubectl rollout` does.

mod revisions;

use crate::flags;
use crate::session::Session;
use crate::steps::delete::{named, rendered};
use crate::stop::{Done, Step, Stop};
use crate::wait;
use serde_json::json;
use windlass_cluster::{Address, Json, PatchKind};
use windlass_manifest::workload;
use windlass_model::task::kubernetes::{ResourceSelection, RolloutCommand, RolloutSpec};

const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";
/// The task that restarted the pods: it does so once.
const RESTARTED_BY: &str = "windlass.io/restarted-by";

pub(crate) async fn run(session: &Session<'_>, spec: &RolloutSpec) -> Step<Done> {
    let flags = flags::read(&spec.command_flags, "Rollout");
    flags.warnings.iter().for_each(|warning| session.log().warn(warning));
    session.log().section("Prepare");
    let targets = targets(session, &spec.resources).await?;
    if targets.is_empty() {
        return Ok(Done::Skipped("there is no workload".to_owned(), json!({"workloads": []})));
    }
    session.log().section("Rollout");
    let mut told: Vec<Json> = Vec::new();
    for at in &targets {
        let Some(live) = session.cluster.get(at).await? else {
            return Err(Stop::configuration(format!("{at} is not there")));
        };
        if workload::template_path(&at.gvk.group, &at.gvk.kind).is_none_or(<[_]>::is_empty) {
            return Err(Stop::configuration(format!("{at} has no rollouts")));
        }
        match spec.command {
            RolloutCommand::Restart => restart(session, at, &live).await?,
            RolloutCommand::Pause => pause(session, at, true).await?,
            RolloutCommand::Resume => pause(session, at, false).await?,
            RolloutCommand::Undo => revisions::undo(session, at, &live, flags.to_revision).await?,
            RolloutCommand::Status => {}
            RolloutCommand::History => {
                let list = revisions::list(session, at, &live).await?;
                for revision in &list {
                    session.log().info(format!("{at}: revision {} {}", revision.number, revision.images.join(", ")));
                }
                told.push(json!({"workload": at.to_string(),
                    "revisions": list.iter().map(revisions::Revision::told).collect::<Vec<_>>()}));
            }
        }
    }
    let waits = matches!(
        spec.command,
        RolloutCommand::Restart | RolloutCommand::Undo | RolloutCommand::Resume | RolloutCommand::Status
    );
    let instances = if waits { wait::steady(session, &targets).await?.instances } else { json!([]) };
    let names: Vec<String> = targets.iter().map(ToString::to_string).collect();
    Ok(Done::Succeeded(json!({"workloads": names, "instances": instances, "history": told})))
}

async fn targets(session: &Session<'_>, resources: &ResourceSelection) -> Step<Vec<Address>> {
    match resources {
        ResourceSelection::ResourceName { resource_names } => named(session, resource_names).await,
        ResourceSelection::ManifestPath { manifest_paths, all_manifest_paths } => {
            let objects = rendered(session, manifest_paths, *all_manifest_paths).await?;
            super::rolling::managed(session, &objects, workload::Step::Deploy).await
        }
        ResourceSelection::ReleaseName { .. } => {
            let history = session.records.history().await?;
            let Some(last) = history.last_successful() else { return Ok(Vec::new()) };
            let record = session.records.load(last).await?;
            super::rolling::managed(session, &record.objects, workload::Step::Deploy).await
        }
    }
}

async fn restart(session: &Session<'_>, at: &Address, live: &Json) -> Step<()> {
    let task = session.task_id();
    let by = live.pointer("/metadata/annotations").and_then(|all| all.get(RESTARTED_BY)?.as_str());
    if by == Some(&task) {
        session.log().info(format!("{at} was restarted by this step already"));
        return Ok(());
    }
    // One patch: the mark and what it stands for cannot come apart.
    let patch = json!({
        "metadata": {"annotations": {RESTARTED_BY: task}},
        "spec": {"template": {"metadata": {"annotations": {RESTARTED_AT: session.now().to_string()}}}},
    });
    session.cluster.patch(at, PatchKind::Merge, &patch).await?;
    session.log().info(format!("restarted {at}"));
    session.progress.did(format!("restarted {at}"));
    Ok(())
}

async fn pause(session: &Session<'_>, at: &Address, paused: bool) -> Step<()> {
    if at.gvk.kind != "Deployment" {
        return Err(Stop::configuration(format!("{at} cannot be paused: only Deployments can")));
    }
    session.cluster.patch(at, PatchKind::Merge, &json!({"spec": {"paused": paused}})).await?;
    let word = if paused { "paused" } else { "resumed" };
    session.log().info(format!("{word} {at}"));
    session.progress.did(format!("{word} {at}"));
    Ok(())
}
