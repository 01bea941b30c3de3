//! Keeping `managedFields` right over updates and applies.

use super::compare::{Comparison, compare};
use super::fieldset::{FieldSet, show};
use super::last_applied;
use super::managed::{Managed, Owned, Owner, decode, encode};
use super::merge::merge;
use super::remove::{remove, with_named_fields};
use super::typed::{check, fields};
use crate::error::{ApiError, Cause, Details};
use crate::object::Object;
use crate::schema::Type;
use serde_json::Value;
use std::sync::LazyLock;

/// Owners from updates beyond this many are melted into one.
const MAX_UPDATERS: usize = 10;

/// Who writes what, when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer<'a> {
    pub manager: &'a str,
    pub api_version: &'a str,
    pub subresource: &'a str,
    /// Fields that this way of writing does not change (`status` through the main resource).
    pub reset: &'a FieldSet,
    pub now: &'a str,
    pub ty: &'a Type,
}

impl Writer<'_> {
    /// When the fields of this write were written; through `scale` the API server takes the time that was there before.
    fn time(&self, before: Option<&Owned>) -> Option<String> {
        if self.subresource == "scale" { before?.time.clone() } else { Some(self.now.to_owned()) }
    }
}

/// One server-side apply.
#[derive(Debug)]
pub(crate) struct Apply<'a> {
    /// What is stored, or an empty object of the kind.
    pub live: &'a Value,
    /// An empty object of the kind, as Go makes it.
    pub empty: &'a Value,
    pub config: &'a Value,
    pub force: bool,
}

/// Never part of anybody's fields.
static STRIPPED: LazyLock<FieldSet> = LazyLock::new(|| {
    FieldSet::of(&[
        "apiVersion",
        "kind",
        "metadata",
        "metadata.name",
        "metadata.namespace",
        "metadata.creationTimestamp",
        "metadata.selfLink",
        "metadata.uid",
        "metadata.clusterName",
        "metadata.generation",
        "metadata.managedFields",
        "metadata.resourceVersion",
    ])
});

fn managed_of(object: &Value) -> Managed {
    decode(object.list("/metadata/managedFields")).unwrap_or_default()
}

fn without_managed(object: &Value) -> Value {
    let mut out = object.clone();
    out.remove("/metadata/managedFields");
    out
}

fn store(object: &mut Value, managed: &Managed) {
    if managed.is_empty() {
        object.remove("/metadata/managedFields");
    } else {
        object.set("/metadata/managedFields", encode(managed));
    }
}

/// Sets the owners of `new`, which replaces `live` by an update or a patch that is no apply.
pub(crate) fn update(live: &Value, new: &mut Value, writer: Writer<'_>) {
    let entries = new.list("/metadata/managedFields");
    let reset = new.at("/metadata/managedFields").is_some_and(Value::is_array)
        && (entries.is_empty() || entries.len() == 1 && entries[0].as_object().is_some_and(serde_json::Map::is_empty));
    // What came back unchanged is read once.
    let is_as_before = || entries == live.list("/metadata/managedFields");
    let managed = match () {
        () if !writer.subresource.is_empty() || !reset && is_as_before() => managed_of(live),
        () if reset => Managed::new(),
        () => decode(entries).filter(|managed| !managed.is_empty()).unwrap_or_else(|| managed_of(live)),
    };
    new.remove("/metadata/managedFields");
    // Whoever turned tracking off keeps it off, until the next apply.
    if managed.is_empty() && !live.uid().is_empty() {
        return;
    }
    let managed = updated(live, new, managed, writer);
    store(new, &managed);
}

fn updated(live: &Value, new: &Value, mut managed: Managed, writer: Writer<'_>) -> Managed {
    let difference = compare(live, new, writer.ty).without(writer.reset);
    if writer.subresource == "scale" && !is_owned(&managed, &difference) {
        // Nobody keeps track of the replicas, so that nobody begins to.
        return managed;
    }
    // An update always wins; the others lose what it changed.
    take(&mut managed, &difference, None);
    let mine = difference.modified.union(&difference.added).difference(&STRIPPED);
    // A scale to zero says nothing: zero is left out of a `Scale`.
    let to_zero = writer.subresource == "scale" && new.at("/spec/replicas").and_then(Value::as_i64) == Some(0);
    if !mine.is_empty() && !to_zero {
        let owner = Owner::new(writer.manager, false, writer.api_version, writer.subresource);
        let before = managed.get(&owner);
        let owned = Owned {
            fields: match before {
                Some(before) => mine.union(&before.fields),
                None => mine,
            },
            api_version: writer.api_version.to_owned(),
            time: writer.time(before),
        };
        managed.insert(owner, owned);
    }
    cap(&mut managed);
    managed
}

fn changed(difference: &Comparison) -> FieldSet {
    difference.modified.clone().union(&difference.added).union(&difference.removed)
}

/// Whether anything that changed has an owner.
fn is_owned(managed: &Managed, difference: &Comparison) -> bool {
    let changed = changed(difference);
    managed.values().any(|owned| owned.fields.meets(&changed))
}

/// Takes what changed and what went away from every owner but `keep`.
fn take(managed: &mut Managed, difference: &Comparison, keep: Option<&Owner>) {
    let changed = changed(difference);
    for (owner, owned) in managed.iter_mut() {
        if Some(owner) != keep && owned.fields.meets(&changed) {
            owned.fields = std::mem::take(&mut owned.fields).difference(&changed);
        }
    }
    managed.retain(|_, owned| !owned.fields.is_empty());
}

/// Melts the oldest owners from updates together until there are few enough.
fn cap(managed: &mut Managed) {
    let mut updaters: Vec<Owner> = managed.keys().filter(|o| !o.applied).cloned().collect();
    updaters.sort_by_key(|o| (managed.get(o).and_then(|m| m.time.clone()), o.clone()));
    let mut count = updaters.len();
    let mut first: Option<Owner> = None;
    for owner in updaters {
        if count <= MAX_UPDATERS {
            return;
        }
        let Some(earlier) = first.clone() else {
            first = Some(owner);
            continue;
        };
        let Some(owned) = managed.remove(&owner) else { continue };
        let bucket = Owner::new("ancient-changes", false, &owned.api_version, "");
        let older = managed.remove(&bucket).or_else(|| managed.remove(&earlier));
        let fields = older.map(|o| o.fields).unwrap_or_default().union(&owned.fields);
        managed.insert(bucket.clone(), Owned { fields, ..owned });
        first = Some(bucket);
        count -= 1;
    }
}

/// Applies. Answers with the new object, its owners set; it may equal the live one.
pub(crate) fn apply(apply: &Apply<'_>, writer: Writer<'_>) -> Result<Value, ApiError> {
    let live = without_managed(apply.live);
    let mut managed = managed_of(apply.live);
    if managed.is_empty() {
        let before = Writer { manager: "before-first-apply", ..writer };
        managed = updated(apply.empty, &live, managed, before);
    }
    let attempt = try_apply(&live, apply.config, apply.force, managed.clone(), writer);
    match attempt {
        // kubectl's move from client-side to server-side apply: what the annotation says is its own.
        Err(Refusal::Conflicts(conflicts)) if writer.manager == "kubectl" => {
            let allowed = last_applied::owned_fields(&live, writer);
            let left: Vec<_> = match allowed {
                Some(allowed) => conflicts.into_iter().filter(|c| !allowed.has_path(&c.1)).collect(),
                None => conflicts,
            };
            if !left.is_empty() {
                return Err(conflict_error(&left));
            }
            try_apply(&live, apply.config, true, managed, writer).map_err(Refusal::into_error)
        }
        other => other.map_err(Refusal::into_error),
    }
}

type Conflict = (Owner, Vec<String>, String);

enum Refusal {
    Conflicts(Vec<Conflict>),
    Other(ApiError),
}

impl Refusal {
    fn into_error(self) -> ApiError {
        match self {
            Self::Conflicts(conflicts) => conflict_error(&conflicts),
            Self::Other(error) => error,
        }
    }
}

fn try_apply(
    live: &Value,
    config: &Value,
    force: bool,
    mut managed: Managed,
    writer: Writer<'_>,
) -> Result<Value, Refusal> {
    let ty = writer.ty;
    check(config, ty, false).map_err(|why| {
        let gvk = match writer.api_version.rsplit_once('/') {
            Some(_) => writer.api_version.to_owned(),
            None => format!("/{}", writer.api_version),
        };
        let object = format!("{}/{}; {gvk}, Kind={}", config.namespace(), config.name(), config.kind());
        Refusal::Other(ApiError::internal(format!("failed to create typed patch object ({object}): {why}")))
    })?;
    let merged = merge(live, config, ty);
    let owner = Owner::new(writer.manager, true, writer.api_version, writer.subresource);
    let last = managed.get(&owner).cloned();
    let set = fields(config, ty).without(writer.reset);
    let time = last.as_ref().and_then(|l| l.time.clone());
    managed.insert(owner.clone(), Owned { fields: set, api_version: writer.api_version.to_owned(), time });
    let pruned = match &last {
        Some(last) if !last.fields.is_empty() => prune(&merged, &last.fields, &managed, ty),
        _ => merged,
    };

    let difference = compare(live, &pruned, ty).without(writer.reset);
    let changed = difference.modified.clone().union(&difference.added);
    let mut conflicts = Vec::new();
    for (other, owned) in managed.iter().filter(|(o, _)| **o != owner) {
        let lost = owned.fields.intersection(&changed);
        conflicts.extend(lost.paths().into_iter().map(|path| (other.clone(), path, owned.api_version.clone())));
    }
    if !force && !conflicts.is_empty() {
        return Err(Refusal::Conflicts(conflicts));
    }
    take(&mut managed, &difference, Some(&owner));
    if let Some(mine) = managed.get_mut(&owner) {
        mine.fields = std::mem::take(&mut mine.fields).difference(&STRIPPED);
        // An apply that changes nothing does not move the time.
        if !super::compare::same(live, &pruned) {
            mine.time = writer.time(last.as_ref());
        }
    }
    managed.retain(|_, owned| !owned.fields.is_empty());
    let mut out = pruned;
    store(&mut out, &managed);
    Ok(out)
}

/// Removes what the manager applied before and does not say now, unless somebody else owns it.
fn prune(merged: &Value, last: &FieldSet, managed: &Managed, ty: &Type) -> Value {
    let named = |set: &FieldSet| with_named_fields(set, ty);
    let pruned = remove(merged, &named(last), ty);
    let all = managed.values().fold(FieldSet::default(), |set, owned| set.union(&owned.fields));
    let merged_set = named(&fields(merged, ty));
    let kept = named(&fields(&pruned, ty)).union(&named(&all));
    let pruned = remove(merged, &merged_set.clone().difference(&kept), ty);
    // Only what this manager applied last time may go; unowned fields stay.
    let pruned_set = named(&fields(&pruned, ty));
    remove(merged, &merged_set.difference(&pruned_set).intersection(&named(last)), ty)
}

fn conflict_error(conflicts: &[Conflict]) -> ApiError {
    let print = |owner: &Owner, version: &str| {
        let mut text = format!("{:?}", owner.manager);
        if !owner.subresource.is_empty() {
            text += &format!(" with subresource {:?}", owner.subresource);
        }
        if !owner.applied {
            text += &format!(" using {version}");
        }
        text
    };
    let message = if let [(owner, path, version)] = conflicts {
        format!("Apply failed with 1 conflict: conflict with {}: {}", print(owner, version), show(path))
    } else {
        let mut lines = Vec::new();
        let mut current: Option<&Owner> = None;
        for (owner, path, version) in conflicts {
            if current != Some(owner) {
                lines.push(format!("conflicts with {}:", print(owner, version)));
                current = Some(owner);
            }
            lines.push(format!("- {}", show(path)));
        }
        format!("Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
    };
    let causes = conflicts.iter().map(|(owner, path, version)| Cause {
        reason: "FieldManagerConflict",
        message: format!("conflict with {}", print(owner, version)),
        field: show(path),
    });
    let mut error = ApiError::new(409, "Conflict", message);
    error.details = Some(Details { causes: causes.collect(), ..Details::default() });
    error
}
