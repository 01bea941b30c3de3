//! Which objects of the last release have to go (kubernetes-deploy §2.5, Prune).

use crate::objects;
use crate::release::{Meta, Pruned, Record};
use crate::remove::{self, Target};
use crate::session::Session;
use crate::stop::Step;
use std::collections::BTreeSet;
use windlass_cluster::ClusterError;
use windlass_manifest::names::label_value;
use windlass_manifest::well_known::{RELEASE, SKIP_PRUNING};
use windlass_manifest::{Object, ObjectKey, order};
use windlass_model::failure::{Failure, FailureType};
use windlass_model::task::kubernetes::DeploySettings;

/// Kinds that hold what cannot be made again.
const KEPT: [&str; 3] = ["Namespace", "PersistentVolumeClaim", "CustomResourceDefinition"];

/// Above this share of a set, and this number, a prune needs `allowMassPrune`.
const MASS: (usize, usize) = (50, 5);

/// Objects of the last successful release that the new set does not have, minus those that must stay.
///
/// Versioned ConfigMaps and Secrets are not pruned: earlier revisions use them, and they go when nobody does.
pub(crate) fn candidates(previous: &Meta, current: &BTreeSet<ObjectKey>, settings: &DeploySettings) -> Vec<ObjectKey> {
    let may_go = |kind: &str| !KEPT.contains(&kind) || settings.prune_kinds.iter().any(|listed| listed == kind);
    previous
        .resources
        .iter()
        .filter(|resource| !current.contains(&resource.key))
        .filter(|resource| !resource.skip_prune && !resource.versioned && may_go(&resource.key.kind))
        .map(|resource| resource.key.clone())
        .collect()
}

/// Whether so many deletions are a mistake more likely than a wish.
pub(crate) fn is_mass(candidates: usize, previous: &Meta) -> bool {
    let total = previous.resources.iter().filter(|resource| !resource.versioned).count();
    candidates > MASS.1 && candidates * 100 > total * MASS.0
}

/// Decides what is pruned, before the first change: it stands in the record, so that a rollback brings it back.
pub(crate) fn decide(previous: Option<&Meta>, objects: &[Object], settings: &DeploySettings) -> Step<Vec<Pruned>> {
    let Some(previous) = previous else { return Ok(Vec::new()) };
    let current: BTreeSet<ObjectKey> = objects.iter().map(Object::key).collect();
    let found = candidates(previous, &current, settings);
    if is_mass(found.len(), previous) && !settings.allow_mass_prune {
        let names: Vec<String> = found.iter().take(10).map(objects::name).collect();
        let message = format!(
            "pruning would delete {} of the {} objects of release {}: {}",
            found.len(),
            previous.resources.len(),
            previous.number,
            names.join(", ")
        );
        let failure = Failure::new(FailureType::ConfigurationFailure, message)
            .hint("check that the manifests are complete; the setting `allowMassPrune` allows it");
        return Err(failure.into());
    }
    Ok(found.into_iter().map(|key| Pruned { key, manifest_ref: previous.number }).collect())
}

/// Deletes what was decided, in reverse order, and waits until it is gone.
pub(crate) async fn prune(session: &Session<'_>, pruned: &[Pruned], previous: Option<&Record>) -> Step<Vec<ObjectKey>> {
    session.log().section("Prune");
    let Some(previous) = previous else {
        session.log().info("There is no release before this one: nothing to prune");
        return Ok(Vec::new());
    };
    let mut objects: Vec<Object> =
        previous.objects.iter().filter(|object| pruned.iter().any(|one| one.key == object.key())).cloned().collect();
    order::delete(&mut objects);
    let mut targets = Vec::new();
    for object in &objects {
        let resource = previous.meta.resource(&object.key());
        targets.extend(own(session, object, resource.and_then(|r| r.uid.as_deref())).await?);
    }
    let deleted = remove::gone(session, &targets).await?;
    if deleted.is_empty() {
        session.log().info("Nothing to prune");
    }
    Ok(deleted.iter().map(windlass_cluster::Address::key).collect())
}

/// The live object, if it is the one that the release made, and may go.
pub(crate) async fn own(session: &Session<'_>, object: &Object, uid: Option<&str>) -> Step<Option<Target>> {
    let address = match session.cluster.address(&object.gvk(), object.namespace(), object.name()).await {
        Ok(address) => address,
        // The definition is gone, and its objects with it.
        Err(ClusterError::UnknownKind { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Some(json) = session.cluster.get(&address).await? else { return Ok(None) };
    let Some(live) = objects::object(&json) else { return Ok(None) };
    let name = objects::name(&object.key());
    let is_ours = live.label(RELEASE) == Some(&*label_value(&session.work.target.release));
    if !is_ours && live.label(RELEASE).is_some() {
        session.log().info(format!("{name} belongs to another release: it stays"));
        return Ok(None);
    }
    if !is_ours && uid.is_some_and(|uid| objects::uid(&json) != Some(uid)) {
        session.log().info(format!("{name} was made anew by somebody else: it stays"));
        return Ok(None);
    }
    if live.is_annotated(SKIP_PRUNING) {
        session.log().info(format!("{name} is annotated to stay"));
        return Ok(None);
    }
    Ok(Some(Target::new(address, objects::uid(&json).map(str::to_owned))))
}

/// Not a deletion that anybody asked for by name: what holds data stays.
pub(crate) fn holds_data(kind: &str) -> bool {
    KEPT.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::history_tests::meta;
    use crate::release::{Resource, Status};

    fn previous(kinds: &[(&str, &str)]) -> Meta {
        let mut meta = meta(1, Status::Succeeded, "a");
        meta.resources = kinds
            .iter()
            .map(|(kind, name)| Resource {
                key: ObjectKey::new("", *kind, "shop", *name),
                version: "v1".into(),
                uid: None,
                managed: false,
                versioned: name.starts_with("versioned"),
                skip_prune: name.starts_with("kept"),
                own: false,
            })
            .collect();
        meta
    }

    #[test]
    fn what_left_the_manifests_goes_unless_it_must_stay() {
        let previous = previous(&[
            ("Service", "web"),
            ("ConfigMap", "old"),
            ("ConfigMap", "kept"),
            ("Secret", "versioned-3"),
            ("PersistentVolumeClaim", "data"),
        ]);
        let current = BTreeSet::from([ObjectKey::new("", "Service", "shop", "web")]);
        let names = |settings: &DeploySettings| -> Vec<String> {
            candidates(&previous, &current, settings).iter().map(|key| key.name.clone()).collect()
        };
        assert_eq!(names(&DeploySettings::default()), ["old"]);
        let all = DeploySettings { prune_kinds: vec!["PersistentVolumeClaim".into()], ..DeploySettings::default() };
        assert_eq!(names(&all), ["old", "data"]);
    }

    #[test]
    fn half_of_a_set_needs_permission() {
        let names: Vec<String> = (0..12).map(|n| format!("c{n}")).collect();
        let all: Vec<(&str, &str)> = names.iter().map(|name| ("ConfigMap", name.as_str())).collect();
        let previous = previous(&all);
        assert!(!is_mass(6, &previous) && is_mass(7, &previous) && !is_mass(5, &previous));
        assert!(decide(Some(&previous), &[], &DeploySettings::default()).is_err());
        let allowed = DeploySettings { allow_mass_prune: true, ..DeploySettings::default() };
        assert_eq!(decide(Some(&previous), &[], &allowed).unwrap().len(), 12);
        assert!(decide(None, &[], &DeploySettings::default()).unwrap().is_empty());
    }
}
