//! K8sDelete (kubernetes-deploy §2.8): objects by name, by manifest, or everything of a release.

use crate::flags::{self, Cascade, Flags};
use crate::objects;
use crate::plan;
use crate::prune;
use crate::remove::{self, Target};
use crate::session::{Session, What};
use crate::stop::{Done, Step, Stop};
use serde_json::json;
use std::collections::BTreeSet;
use windlass_cluster::{Address, ClusterError, Propagation};
use windlass_manifest::identity::NameError;
use windlass_manifest::workload::Step as Asks;
use windlass_manifest::{Gvk, Object, ObjectKey, ObjectRef, order};
use windlass_model::task::kubernetes::{DeleteSpec, ResourceSelection};

pub(crate) async fn run(session: &Session<'_>, spec: &DeleteSpec) -> Step<Done> {
    let flags = flags::read(&spec.command_flags, "Delete");
    flags.warnings.iter().for_each(|warning| session.log().warn(warning));
    let targets = match &spec.delete_resources {
        ResourceSelection::ResourceName { resource_names } => {
            let mut targets = Vec::new();
            for address in named(session, resource_names).await? {
                targets.push(Target::new(address, None));
            }
            targets
        }
        ResourceSelection::ManifestPath { manifest_paths, all_manifest_paths } => {
            by_manifest(session, manifest_paths, *all_manifest_paths).await?
        }
        ResourceSelection::ReleaseName { delete_namespace } => {
            return release(session, *delete_namespace, &flags).await;
        }
    };
    session.log().section("Delete");
    let deleted = delete(session, targets, &flags).await?;
    Ok(Done::Succeeded(json!({ "deletedResources": deleted })))
}

/// What people named: `[namespace/]Kind/Name`.
pub(super) async fn named(session: &Session<'_>, names: &[String]) -> Step<Vec<Address>> {
    let mut out = Vec::new();
    for name in names.iter().flat_map(|names| names.split(',')).map(str::trim).filter(|name| !name.is_empty()) {
        let named: ObjectRef = name.parse().map_err(|error: NameError| Stop::configuration(error.to_string()))?;
        out.push(session.cluster.resolve(&named, session.namespace()).await?);
    }
    if out.is_empty() {
        return Err(Stop::configuration("no object is named").hint("name at least one: Deployment/web"));
    }
    Ok(out)
}

/// The objects of the service's manifests, or of some of its files.
pub(super) async fn rendered(session: &Session<'_>, paths: &[String], all: bool) -> Step<Vec<Object>> {
    let only = (!all && !paths.is_empty()).then_some(paths);
    if only.is_none() && !all {
        return Err(Stop::configuration("`manifestPaths` is empty").hint("name files, or set `allManifestPaths: true`"));
    }
    Ok(session.render(What { only, ..What::default() }).await?.objects)
}

async fn by_manifest(session: &Session<'_>, paths: &[String], all: bool) -> Step<Vec<Target>> {
    let mut rendered = rendered(session, paths, all).await?;
    // ConfigMaps and Secrets bear the version of the last release.
    if let Some(last) = session.records.history().await?.last_successful() {
        let versioning = plan::versioning(&session.work.source, last.number);
        plan::rolling(&mut rendered, versioning, &session.release(last.number), Asks::Deploy);
    }
    order::delete(&mut rendered);
    let mut targets = Vec::new();
    for object in &rendered {
        match session.cluster.address(&object.gvk(), object.namespace(), object.name()).await {
            Ok(address) => targets.push(Target::new(address, None)),
            Err(ClusterError::UnknownKind { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(targets)
}

/// Everything that any record of the release names, then the records; its namespaces when they are wanted gone.
async fn release(session: &Session<'_>, delete_namespace: bool, flags: &Flags) -> Step<Done> {
    let history = session.history().await?;
    let touched = session.checkpoint().touched;
    if history.is_empty() && touched.is_empty() {
        return Ok(Done::Skipped("there is no release of this name".to_owned(), json!({"deletedResources": []})));
    }
    let mut all: Vec<Object> = Vec::new();
    let mut seen: BTreeSet<ObjectKey> = BTreeSet::new();
    for meta in history.iter().rev() {
        let objects = session.records.load(meta).await?.objects;
        all.extend(objects.into_iter().filter(|object| seen.insert(object.key())));
    }
    let namespaces: BTreeSet<String> = all.iter().filter_map(Object::namespace).map(str::to_owned).collect();
    // What holds data goes with its namespace, and only then.
    all.retain(|object| !prune::holds_data(object.kind()));
    order::delete(&mut all);
    session.log().section("Delete");
    let mut targets = Vec::new();
    for object in &all {
        let uid = history.iter().rev().find_map(|meta| meta.resource(&object.key())?.uid.as_deref());
        targets.extend(prune::own(session, object, uid).await?);
    }
    if touched.is_empty() {
        session.remember(|checkpoint| checkpoint.touched = targets.iter().map(|target| target.address.key()).collect());
    }
    let mut deleted = delete(session, targets, flags).await?;
    for meta in history.iter() {
        session.records.delete(meta.number).await?;
    }
    session.log().info(format!("deleted {} release records", history.iter().count()));
    if delete_namespace {
        // The lock lives in the namespace of the infrastructure: that one goes last.
        let own = session.namespace().to_owned();
        let others = namespaces.into_iter().filter(|namespace| *namespace != own);
        for namespace in others.chain([own.clone()]) {
            let address = session.cluster.address(&Gvk::new("", "v1", "Namespace"), None, &namespace).await?;
            deleted.extend(delete(session, vec![Target::new(address, None)], flags).await?);
        }
    }
    Ok(Done::Succeeded(json!({"releaseName": session.work.target.release, "deletedResources": deleted})))
}

async fn delete(session: &Session<'_>, mut targets: Vec<Target>, flags: &Flags) -> Step<Vec<String>> {
    for target in &mut targets {
        target.how.grace_seconds = flags.grace_seconds;
        target.how.propagation = match flags.cascade {
            Some(Cascade::Orphan) => Propagation::Orphan,
            Some(Cascade::Foreground) => Propagation::Foreground,
            _ => Propagation::Background,
        };
    }
    let wanted = targets.len();
    let deleted = remove::gone(session, &targets).await?;
    if deleted.len() < wanted {
        session.log().info(format!("{} of {wanted} were not there", wanted - deleted.len()));
    }
    Ok(deleted.iter().map(|address| objects::name(&address.key())).collect())
}
