//! Old records and old versions of ConfigMaps and Secrets (kubernetes-deploy §1.7, §1.11).

use crate::objects;
use crate::release::{History, Meta, Status};
use crate::session::Session;
use crate::stop::Step;
use std::collections::BTreeSet;
use windlass_cluster::{Delete, Query};
use windlass_manifest::references::ConfigKind;
use windlass_manifest::{Gvk, ObjectKey, version};

/// Marks earlier successes as superseded by release `number` (a color takes no plain release's place: one can go back to it as
/// long as the traffic is not swapped), and deletes records that nobody needs, with the versions of
/// ConfigMaps and Secrets that only they used.
pub(crate) async fn tidy(session: &Session<'_>, number: u64) -> Step<()> {
    let history = session.records.history().await?;
    let takes_place = history.get(number).is_some_and(Meta::is_plain);
    for meta in history.iter() {
        if takes_place && meta.number != number && meta.is_plain() && meta.status == Status::Succeeded {
            session.records.set_status(meta, Status::Superseded).await?;
        }
    }
    let expendable = history.expendable(session.work.settings.keep_records);
    if expendable.is_empty() {
        return Ok(());
    }
    let unused = versions_only_of(&history, &expendable);
    let in_use = if unused.is_empty() { BTreeSet::new() } else { in_use(session).await? };
    for number in expendable {
        let Some(meta) = history.get(number) else { continue };
        let mut still_used = false;
        for resource in meta.resources.iter().filter(|r| unused.contains(&r.key)) {
            if in_use.contains(&resource.key) {
                // A revision that people may go back to by hand needs it; the record stays, so that it is not forgotten.
                still_used = true;
                continue;
            }
            let address = session.cluster.address_of(&resource.key).await?;
            let how = Delete { uid: resource.uid.clone(), ..Delete::default() };
            match session.cluster.delete(&address, &how).await {
                Ok(true) => session.log().info(format!("deleted {address}, which no release uses any more")),
                Ok(false) => {}
                // Somebody else's by now.
                Err(error) if error.is_conflict() => {}
                Err(error) => return Err(error.into()),
            }
        }
        if !still_used {
            session.records.delete(number).await?;
        }
    }
    Ok(())
}

/// Versioned objects of the releases that go, which no release that stays has.
fn versions_only_of(history: &History, expendable: &[u64]) -> BTreeSet<ObjectKey> {
    let of = |goes: bool| {
        history
            .iter()
            .filter(move |meta| expendable.contains(&meta.number) == goes)
            .flat_map(|meta| &meta.resources)
            .filter(|resource| resource.versioned)
            .map(|resource| resource.key.clone())
    };
    let kept: BTreeSet<ObjectKey> = of(false).collect();
    of(true).filter(|key| !kept.contains(key)).collect()
}

/// What the revisions of the namespace's workloads refer to.
pub(crate) async fn in_use(session: &Session<'_>) -> Step<BTreeSet<ObjectKey>> {
    let mut used = BTreeSet::new();
    for (kind, path) in [("ReplicaSet", "/spec/template/spec"), ("ControllerRevision", "/data/spec/template/spec")] {
        let of = session.cluster.address(&Gvk::new("apps", "v1", kind), Some(session.namespace()), "").await?;
        for object in session.cluster.list(&of, &Query::default()).await?.items {
            let namespace = objects::text(&object, "/metadata/namespace").unwrap_or_default();
            let names = object.pointer(path).map(version::used_by).unwrap_or_default();
            used.extend(names.into_iter().map(|(kind, name)| {
                let kind = match kind {
                    ConfigKind::ConfigMap => "ConfigMap",
                    ConfigKind::Secret => "Secret",
                };
                ObjectKey::new("", kind, namespace, name)
            }));
        }
    }
    Ok(used)
}
