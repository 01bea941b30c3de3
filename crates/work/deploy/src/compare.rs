//! What an apply would do, asked of the server by dry runs (kubernetes-deploy §1.8).
//!
//! An object whose dry run equals the live one is unchanged, and nothing is sent for it.

use crate::objects;
use crate::plan::{self, Purpose};
use crate::session::Session;
use crate::stop::{Step, Stop};
use futures::stream::{self, StreamExt};
use std::collections::{BTreeMap, BTreeSet};
use windlass_cluster::{Address, Apply, ClusterError, Json, Query, adopt};
use windlass_manifest::well_known::{ON_IMMUTABLE, RELEASE};
use windlass_manifest::workload::{self, Role, Step as Asks};
use windlass_manifest::{Object, ObjectKey, diff, names};
use windlass_model::failure::Failure;

/// Calls at the same time.
pub(crate) const PARALLEL: usize = 8;

/// What an apply of one object would do.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub object: Object,
    /// Nothing for a kind that the set itself defines.
    pub address: Option<Address>,
    pub live: Option<Object>,
    pub verdict: Verdict,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    Unchanged,
    /// With the object as it would be.
    Created(Json),
    Configured(Json),
    /// An immutable field differs: the object would be deleted and created, as its author wants.
    Recreated,
    /// The server cannot know yet: the namespace or the kind is part of the same set.
    Unchecked(String),
}

/// Which objects of a set the others need to be there first.
struct Within {
    namespaces: BTreeSet<String>,
    kinds: BTreeSet<(String, String)>,
}

impl Within {
    fn of(objects: &[Object]) -> Self {
        let text =
            |object: &Object, pointer: &str| object.get(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
        let namespaces = objects.iter().filter(|o| o.is("", "Namespace")).map(|o| o.name().to_owned()).collect();
        let definitions = objects.iter().filter(|o| workload::role(o, Asks::Deploy) == Role::Definition);
        let kinds = definitions.map(|o| (text(o, "/spec/group"), text(o, "/spec/names/kind"))).collect();
        Self { namespaces, kinds }
    }

    fn defines(&self, object: &Object) -> bool {
        self.kinds.contains(&(object.group().to_owned(), object.kind().to_owned()))
    }

    fn makes_namespace_of(&self, object: &Object) -> bool {
        object.namespace().is_some_and(|namespace| self.namespaces.contains(namespace))
    }
}

/// What decides about numbers of pods: scalers of the set and those in the namespaces of its workloads.
pub(crate) async fn scalers(session: &Session<'_>, objects: &[Object]) -> Step<Vec<Object>> {
    let mut found: Vec<Object> =
        objects.iter().filter(|o| workload::role(o, Asks::Deploy) == Role::Scaler).cloned().collect();
    let discovery = session.discovery().await?;
    let mut namespaces: BTreeSet<String> = BTreeSet::new();
    for object in objects {
        if let (Some(_), Some(namespace)) = (workload::replicas(object), object.namespace()) {
            namespaces.insert(namespace.to_owned());
        }
    }
    let kinds = [
        ("autoscaling", "HorizontalPodAutoscaler"),
        ("keda.sh", "ScaledObject"),
        ("autoscaling.k8s.io", "VerticalPodAutoscaler"),
    ];
    for (group, kind) in kinds {
        let Some(facts) = discovery.preferred(group, kind) else { continue };
        for namespace in &namespaces {
            let of = Address::new(facts, Some(namespace), "");
            let live = match session.cluster.list(&of, &Query::default()).await {
                // Without the right to see scalers they are those of the set.
                Err(error) if error.is_forbidden() || error.is_not_found() => continue,
                list => list?,
            };
            let known: BTreeSet<ObjectKey> = found.iter().map(Object::key).collect();
            found.extend(live.items.iter().filter_map(objects::object).filter(|object| !known.contains(&object.key())));
        }
    }
    Ok(found)
}

/// Asks the server what would happen to each object.
pub(crate) async fn compare(
    session: &Session<'_>,
    objects: &[Object],
    scalers: &[Object],
    force: bool,
) -> Step<BTreeMap<ObjectKey, Compared>> {
    session.progress.doing("comparing with the cluster");
    let within = Within::of(objects);
    let mut asking = Vec::with_capacity(objects.len());
    for object in objects.iter().filter(|object| !object.name().is_empty()) {
        asking.push(one(session, object, scalers, &within, force));
    }
    let mut asked = stream::iter(asking).buffered(PARALLEL);
    let mut out = BTreeMap::new();
    let mut failures: Vec<Failure> = Vec::new();
    while let Some(compared) = asked.next().await {
        match compared {
            Ok(compared) => {
                warn_about_owner(session, &compared);
                out.insert(compared.object.key(), compared);
            }
            Err(stop) => failures.push(stop.failure),
        }
    }
    match joined(failures) {
        Some(failure) => Err(failure.into()),
        None => Ok(out),
    }
}

async fn one(
    session: &Session<'_>,
    object: &Object,
    scalers: &[Object],
    within: &Within,
    force: bool,
) -> Step<Compared> {
    let unchecked = |address, reason: &str| {
        let verdict = Verdict::Unchecked(reason.to_owned());
        Ok(Compared { object: object.clone(), address, live: None, verdict })
    };
    let address = match session.cluster.address(&object.gvk(), object.namespace(), object.name()).await {
        Ok(address) => address,
        Err(ClusterError::UnknownKind { .. }) if within.defines(object) => {
            return unchecked(None, "its kind is defined by the same set");
        }
        Err(error) => return Err(error.into()),
    };
    let live = session.cluster.get(&address).await?.as_ref().and_then(objects::object);
    let shaped = plan::shaped(object, live.as_ref(), scalers, Purpose::Compare);
    let after = match session.cluster.apply(&address, shaped.json(), &Apply::dry_run()).await {
        Ok(after) => after,
        Err(error) if error.is_not_found() && within.makes_namespace_of(object) => {
            return unchecked(Some(address), "its namespace is part of the same set");
        }
        Err(error) => {
            let Some(fields) = error.immutable_fields() else { return Err(error.into()) };
            if may_recreate(object, force) {
                return Ok(Compared {
                    object: object.clone(),
                    address: Some(address),
                    live,
                    verdict: Verdict::Recreated,
                });
            }
            return Err(immutable(&address, &fields, &error));
        }
    };
    let verdict = match &live {
        None => Verdict::Created(after),
        Some(live) if diff::is_same(live.json(), &after) && adopt::patch(live.json()).is_none() => Verdict::Unchanged,
        Some(_) => Verdict::Configured(after),
    };
    Ok(Compared { object: object.clone(), address: Some(address), live, verdict })
}

/// Whether the object's author, or the step, wants it to be made anew.
pub(crate) fn may_recreate(object: &Object, force: bool) -> bool {
    force || object.annotation(ON_IMMUTABLE) == Some("recreate")
}

pub(crate) fn immutable(address: &Address, fields: &[String], error: &ClusterError) -> Box<Stop> {
    let fields = if fields.is_empty() { "a field".to_owned() } else { fields.join(", ") };
    let advice = if address.gvk.kind == "Job" {
        format!(
            "a Job does not change: give it another name or a generateName, or annotate it with {ON_IMMUTABLE}: recreate"
        )
    } else {
        format!(
            "annotate the object with {ON_IMMUTABLE}: recreate to have it deleted and created, or keep the field as it is"
        )
    };
    Stop::configuration(format!("{address}: {fields} cannot be changed ({error})")).hint(advice)
}

/// Another release may have put the object there: both would undo each other's changes.
fn warn_about_owner(session: &Session<'_>, compared: &Compared) {
    let owner = compared.live.as_ref().and_then(|live| live.label(RELEASE));
    if let Some(owner) = owner.filter(|owner| *owner != names::label_value(&session.work.target.release)) {
        session.log().warn(format!("{} belongs to release {owner} too", compared.object.key().in_namespace()));
    }
}

/// Many failures as one, with every message.
pub(crate) fn joined(failures: Vec<Failure>) -> Option<Failure> {
    const MOST: usize = 20;
    let count = failures.len();
    failures.into_iter().enumerate().fold(None, |all: Option<Failure>, (index, failure)| {
        let Some(mut all) = all else { return Some(failure) };
        if index < MOST {
            all.message.push('\n');
            all.message.push_str(&failure.message);
        } else if index + 1 == count {
            all.message.push_str(&format!("\nand {} more", count - MOST));
        }
        all.types.extend(failure.types);
        for hint in failure.hints {
            if !all.hints.contains(&hint) {
                all.hints.push(hint);
            }
        }
        Some(all)
    })
}
