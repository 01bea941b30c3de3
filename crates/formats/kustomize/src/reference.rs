//! Names in fields follow the objects that they name (rendering §1.6, correction k).

use crate::config::Config;
use crate::error::{Problem, Result, Within};
use crate::fieldspec::walk;
use crate::history::History;
use crate::id::{Gvk, Id, split_api_version};
use crate::object::Object;
use crate::set::Set;
use crate::tree::{Id as NodeId, Kind, Scalar, Tree};
use std::collections::{HashMap, HashSet};
use windlass_diagnostic::Place;

/// Who an object is, without its content.
struct Card {
    api_version: String,
    kind: String,
    name: String,
    namespace: String,
    cluster: bool,
    history: History,
    place: Option<Place>,
}

impl Card {
    fn of(object: &Object) -> Self {
        let id = object.id();
        Self {
            api_version: object.api_version().to_owned(),
            kind: id.kind.to_owned(),
            name: id.name.to_owned(),
            namespace: id.namespace.to_owned(),
            cluster: id.cluster,
            history: object.history.clone(),
            place: object.place().cloned(),
        }
    }

    fn id(&self) -> Id<'_> {
        let (group, version) = split_api_version(&self.api_version);
        Id { group, version, kind: &self.kind, name: &self.name, namespace: &self.namespace, cluster: self.cluster }
    }

    fn previous_ids(&self) -> impl Iterator<Item = Id<'_>> {
        let (group, version) = split_api_version(&self.api_version);
        self.history.previous.iter().map(move |previous| previous.id(group, version))
    }

    fn original_id(&self) -> Id<'_> {
        self.previous_ids().next().unwrap_or_else(|| self.id())
    }
}

/// An object that may be named.
struct Candidate<'o> {
    card: &'o Card,
    id: Id<'o>,
}

/// The objects as they are before any field is changed, by every name that they had.
struct Index<'o> {
    candidates: Vec<Candidate<'o>>,
    by_name: HashMap<&'o str, Vec<usize>>,
}

/// One field that names objects of a kind.
struct Field<'f> {
    referrer: &'f Card,
    role: Option<&'f Gvk>,
    target: &'f Gvk,
    namespaces: &'f HashSet<String>,
}

pub(crate) fn fix(set: &mut Set, config: &Config) -> Result<()> {
    let cards: Vec<Card> = set.objects().iter().map(Card::of).collect();
    if cards.iter().all(|card| card.history.previous.is_empty()) {
        return set.objects().iter().try_for_each(|object| binding_namespaces(object).map(|_| ()));
    }
    let index = Index::new(&cards);
    for (card, object) in cards.iter().zip(set.objects_mut()) {
        let original = card.original_id();
        let mut known = None;
        for reference in &config.name_reference {
            for spec in reference.fields.iter().filter(|spec| original.is_selected(&spec.gvk)) {
                if known.is_none() {
                    known = Some((binding_namespaces(object)?, role_gvk(object)));
                }
                let Some((namespaces, role)) = &known else { continue };
                let role = role.as_ref().filter(|_| spec.path.ends_with("roleRef/name"));
                let field = Field { referrer: card, role, target: &reference.target, namespaces };
                walk(object, spec, None, &mut |tree, at| index.update(&field, tree, at))
                    .within(|| format!("updating name reference in '{}' field of '{}'", spec.path, card.id()))?;
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
    fn new(cards: &'o [Card]) -> Self {
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, card) in cards.iter().enumerate() {
            for previous in &card.history.previous {
                let places = by_name.entry(&previous.name).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
        let candidates = cards.iter().map(|card| Candidate { card, id: card.id() }).collect();
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
        if &*found.card.name != tree.text(at) {
            tree.set_scalar(at, Scalar::plain(&*found.card.name))?;
            tree.changed(at, "nameReference", found.card.place.as_ref());
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
        let (name, namespace) = (&*found.card.name, &*found.card.namespace);
        let place = found.card.place.as_ref();
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
        let referrer = field.referrer.id();
        let had = |candidate: &Candidate<'_>, gvk: &Gvk| candidate.card.previous_ids().any(|id| id.is_selected(gvk));
        let pool = places.iter().filter_map(|place| self.candidates.get(*place));
        let mut found: Vec<&Candidate<'o>> = pool
            .filter(|candidate| self.within_reach(field, candidate))
            .filter(|candidate| had(candidate, field.target))
            .filter(|candidate| field.role.is_none_or(|role| had(candidate, role)))
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
            found.retain(|candidate| candidate.card.history.affixes_match(&field.referrer.history, true));
        }
        if found.len() > 1 {
            found.retain(|candidate| candidate.card.history.affixes_match(&field.referrer.history, false));
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
                    .at(field.referrer.place.as_ref())
                    .remedy(format!("{text:?} could mean each of them: rename all but one in their bases")))
            }
        }
    }

    /// Those that came from a namespace, or when nothing within reach came from it, those that are in it now.
    fn keep_namespace(&self, field: &Field<'_>, found: &mut Vec<&Candidate<'o>>, namespace: &str) {
        let came_from = |candidate: &Candidate<'_>| {
            let original = candidate.card.original_id();
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
