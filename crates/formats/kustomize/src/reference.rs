//! Names in fields follow the objects that they name (rendering §1.6, correction k).

use crate::config::Config;
use crate::error::{Problem, Result, Within};
use crate::fieldspec::walk;
use crate::id::{Gvk, Id};
use crate::object::Object;
use crate::set::Set;
use crate::tree::{Id as NodeId, Kind, Scalar, Tree};
use std::collections::{HashMap, HashSet};

/// What others need to know of an object that may be named.
struct Candidate<'o> {
    object: &'o Object,
    id: Id<'o>,
}

/// The objects as they are before any field is changed, by every name that they had.
struct Index<'o> {
    candidates: Vec<Candidate<'o>>,
    by_name: HashMap<&'o str, Vec<usize>>,
}

/// One field that names objects of a kind.
struct Field<'f> {
    referrer: &'f Object,
    path: &'f str,
    target: &'f Gvk,
    namespaces: &'f HashSet<String>,
}

pub(crate) fn fix(set: &mut Set, config: &Config) -> Result<()> {
    let before = set.objects().to_vec();
    if before.iter().all(|object| object.history.previous.is_empty()) {
        return before.iter().try_for_each(|object| binding_namespaces(object).map(|_| ()));
    }
    let index = Index::new(&before);
    for (place, referrer) in before.iter().enumerate() {
        let original = referrer.original_id();
        let mut namespaces = None;
        for reference in &config.name_reference {
            for spec in &reference.fields {
                if !original.is_selected(&spec.gvk) {
                    continue;
                }
                if namespaces.is_none() {
                    namespaces = Some(binding_namespaces(referrer)?);
                }
                let Some(namespaces) = &namespaces else { continue };
                let Some(object) = set.objects_mut().get_mut(place) else { continue };
                let field = Field { referrer, path: &spec.path, target: &reference.target, namespaces };
                walk(object, spec, None, &mut |tree, at| index.update(&field, tree, at))
                    .within(|| format!("updating name reference in '{}' field of '{}'", spec.path, referrer.id()))?;
            }
        }
    }
    Ok(())
}

/// Namespaces of the service accounts that a role binding names.
fn binding_namespaces(referrer: &Object) -> Result<HashSet<String>> {
    let mut found = HashSet::new();
    if referrer.kind() != "RoleBinding" || referrer.id().cluster {
        return Ok(found);
    }
    let tree = &referrer.tree;
    let subjects = tree.find(&["subjects"]).and_then(|id| tree.items(id));
    for subject in subjects.unwrap_or_default() {
        let Some(namespace) = tree.get(*subject, "namespace") else { continue };
        if tree.get(*subject, "kind").is_none_or(|kind| tree.text(kind) != "ServiceAccount") {
            continue;
        }
        if !crate::tree::is_string(tree.scalar(namespace)) {
            let what = format!("Invalid Input: namespace is blank for resource \"{}\"", referrer.id());
            let place = tree.node(namespace).origin.place.as_ref();
            return Err(Problem::Reference.says(what).at(place).remedy("give the subject a namespace"));
        }
        found.insert(tree.text(namespace).to_owned());
    }
    Ok(found)
}

impl<'o> Index<'o> {
    fn new(objects: &'o [Object]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, object) in objects.iter().enumerate() {
            for previous in &object.history.previous {
                let places = by_name.entry(&previous.name).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
        let candidates = objects.iter().map(|object| Candidate { object, id: object.id() }).collect();
        Self { candidates, by_name }
    }

    fn update(&self, field: &Field<'_>, tree: &mut Tree, at: NodeId) -> Result<()> {
        if tree.is_null(at) {
            return Ok(());
        }
        match tree.kind(at) {
            Kind::Scalar => self.update_text(field, tree, at),
            Kind::Map => self.update_map(field, tree, at),
            Kind::Seq => {
                for item in tree.items(at).unwrap_or_default().to_vec() {
                    match tree.kind(item) {
                        _ if tree.is_null(item) => {}
                        Kind::Scalar => self.update_text(field, tree, item)?,
                        Kind::Map => self.update_map(field, tree, item)?,
                        Kind::Seq => {
                            let what = "a list of names is expected to hold either strings or maps of strings";
                            return Err(Problem::Field.says(what).at(tree.node(item).origin.place.as_ref()));
                        }
                    }
                }
                Ok(())
            }
        }
    }

    fn update_text(&self, field: &Field<'_>, tree: &mut Tree, at: NodeId) -> Result<()> {
        let Some(found) = self.select(field, tree.text(at), None, false)? else { return Ok(()) };
        if found.object.name() != tree.text(at) {
            tree.set_scalar(at, Scalar::plain(found.object.name()))?;
            tree.changed(at, "nameReference", found.object.place());
        }
        Ok(())
    }

    fn update_map(&self, field: &Field<'_>, tree: &mut Tree, at: NodeId) -> Result<()> {
        let Some(name) = tree.get(at, "name") else {
            let what = "path config error; no 'name' field in node";
            return Err(Problem::Field.says(what).at(tree.node(at).origin.place.as_ref()));
        };
        let namespace = tree.get(at, "namespace").map(|id| tree.text(id).to_owned());
        let old = tree.text(name).to_owned();
        let Some(found) = self.select(field, &old, namespace.as_deref(), true)? else { return Ok(()) };
        let (name, namespace) = (found.object.name(), found.object.namespace());
        let place = found.object.place();
        if name == old && namespace.is_empty() {
            return Ok(());
        }
        for (key, text) in [("name", name), ("namespace", namespace)] {
            let same = tree.get(at, key).is_some_and(|id| tree.text(id) == text);
            if text.is_empty() {
                continue;
            }
            let id = tree.set_field_scalar(at, key, Scalar::plain(text), place)?;
            if !same {
                tree.changed(id, "nameReference", place);
            }
        }
        Ok(())
    }

    /// Whether the referrer could name an object at all.
    fn within_reach(&self, field: &Field<'_>, candidate: &Candidate<'_>) -> bool {
        let referrer = field.referrer.id();
        referrer.cluster
            || candidate.id.cluster
            || candidate.id.same_namespace(&referrer)
            || field.namespaces.contains(candidate.id.namespace)
    }

    /// The object that a text names.
    fn select(
        &self,
        field: &Field<'_>,
        text: &str,
        namespace: Option<&str>,
        with_namespace: bool,
    ) -> Result<Option<&Candidate<'o>>> {
        let Some(places) = self.by_name.get(text) else { return Ok(None) };
        let role = field.path.ends_with("roleRef/name").then(|| role_gvk(field.referrer)).flatten();
        let referrer = field.referrer.id();
        let had = |candidate: &Candidate<'_>, gvk: &Gvk| candidate.object.previous_ids().any(|id| id.is_selected(gvk));
        let pool = places.iter().filter_map(|place| self.candidates.get(*place));
        let mut found: Vec<&Candidate<'o>> = pool
            .filter(|candidate| self.within_reach(field, candidate))
            .filter(|candidate| had(candidate, field.target))
            .filter(|candidate| role.as_ref().is_none_or(|role| had(candidate, role)))
            .filter(|candidate| {
                referrer.cluster
                    || candidate.id.cluster
                    || candidate.id.kind == "ServiceAccount"
                    || candidate.id.same_namespace(&referrer)
            })
            .collect();
        if let Some(namespace) = namespace {
            self.keep_namespace(field, &mut found, namespace);
        }
        if found.len() > 1 {
            found.retain(|candidate| candidate.object.affixes_match(field.referrer, true));
        }
        if found.len() > 1 {
            found.retain(|candidate| candidate.object.affixes_match(field.referrer, false));
        }
        let same = |a: &Candidate<'_>, b: &Candidate<'_>| {
            a.id.name == b.id.name && (!with_namespace || a.id.namespace == b.id.namespace)
        };
        match found[..] {
            [] => Ok(None),
            [first, ref others @ ..] if others.iter().all(|other| same(first, other)) => Ok(Some(first)),
            _ => {
                let ids: Vec<String> = found.iter().map(|candidate| candidate.id.to_string()).collect();
                let what = format!("found multiple possible referrals: {}", ids.join(", "));
                Err(Problem::Reference
                    .says(what)
                    .at(field.referrer.place())
                    .remedy(format!("{text:?} could mean each of them: rename all but one in their bases")))
            }
        }
    }

    /// Those that came from a namespace, or when nothing within reach came from it, those that are in it now.
    fn keep_namespace(&self, field: &Field<'_>, found: &mut Vec<&Candidate<'o>>, namespace: &str) {
        let came_from = |candidate: &Candidate<'_>| {
            let original = candidate.object.original_id();
            !original.cluster && original.effective_namespace() == namespace && namespace != "_non_namespaceable_"
        };
        let any = self.candidates.iter().any(|candidate| self.within_reach(field, candidate) && came_from(candidate));
        if any {
            found.retain(|candidate| came_from(candidate));
        } else {
            found.retain(|candidate| !candidate.id.cluster && candidate.id.effective_namespace() == namespace);
        }
    }
}

/// Group and kind of the role that a binding names.
fn role_gvk(referrer: &Object) -> Option<Gvk> {
    let tree = &referrer.tree;
    let text = |name| tree.find(&["roleRef", name]).map(|id| tree.text(id).to_owned());
    Some(Gvk { group: text("apiGroup")?, kind: text("kind")?, version: String::new() })
}
