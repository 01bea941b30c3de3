//! One Kubernetes object.

mod metadata;

use crate::{Gvk, Json, JsonMap, ObjectKey, ObjectRef, code, field};
use windlass_diagnostic::{Diagnostic, Diagnostics, Place};

/// An object with a kind, a version and a name (or a `generateName`).
///
/// The checks are made once, in [`Object::new`]. Later edits may break what they found; the accessors then answer with
/// empty text and never panic.
#[derive(Clone, Debug)]
pub struct Object {
    json: Json,
    place: Option<Place>,
}

impl Object {
    /// Checks what every object needs (kubernetes-deploy §1.6).
    ///
    /// # Errors
    /// Every problem of the object. `place` is where a person wrote it.
    pub fn new(json: Json, place: Option<Place>) -> Result<Self, Diagnostics> {
        let problems = metadata::check(&json);
        if problems.is_empty() {
            return Ok(Self { json, place });
        }
        let at = |problem: Diagnostic| match &place {
            Some(place) => problem.at(place.clone()),
            None => problem,
        };
        Err(problems.into_iter().map(at).collect())
    }

    pub fn json(&self) -> &Json {
        &self.json
    }

    /// For edits of fields. The identity changes through [`Object::set_name`] and [`Object::set_namespace`].
    pub fn json_mut(&mut self) -> &mut Json {
        &mut self.json
    }

    pub fn into_json(self) -> Json {
        self.json
    }

    /// Where a person wrote it.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// The value at a JSON pointer.
    pub fn get(&self, pointer: &str) -> Option<&Json> {
        self.json.pointer(pointer)
    }

    fn text(&self, path: &[&str]) -> Option<&str> {
        field::get(&self.json, path).and_then(Json::as_str)
    }

    pub fn api_version(&self) -> &str {
        self.text(&["apiVersion"]).unwrap_or_default()
    }

    pub fn kind(&self) -> &str {
        self.text(&["kind"]).unwrap_or_default()
    }

    pub fn gvk(&self) -> Gvk {
        Gvk::from_api_version(self.api_version(), self.kind())
    }

    pub fn group(&self) -> &str {
        self.api_version().split_once('/').map_or("", |(group, _)| group)
    }

    /// Whether the object is of a kind, in any version.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.kind() == kind && self.group() == group
    }

    /// Empty for an object that has only a `generateName`.
    pub fn name(&self) -> &str {
        self.text(&["metadata", "name"]).unwrap_or_default()
    }

    pub fn generate_name(&self) -> Option<&str> {
        self.text(&["metadata", "generateName"]).filter(|name| !name.is_empty())
    }

    pub fn namespace(&self) -> Option<&str> {
        self.text(&["metadata", "namespace"]).filter(|namespace| !namespace.is_empty())
    }

    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(self.group(), self.kind(), self.namespace().unwrap_or_default(), self.name())
    }

    /// `Deployment/web`.
    pub fn reference(&self) -> ObjectRef {
        let name = if self.name().is_empty() { self.generate_name().unwrap_or_default() } else { self.name() };
        ObjectRef { namespace: None, kind: self.kind().to_owned(), name: name.to_owned() }
    }

    pub fn label(&self, name: &str) -> Option<&str> {
        self.text(&["metadata", "labels", name])
    }

    pub fn annotation(&self, name: &str) -> Option<&str> {
        self.text(&["metadata", "annotations", name])
    }

    /// Whether an annotation says "true".
    pub fn is_annotated(&self, name: &str) -> bool {
        self.annotation(name).is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
    }

    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        field::texts(&self.json, &["metadata", "labels"])
    }

    pub fn annotations(&self) -> impl Iterator<Item = (&str, &str)> {
        field::texts(&self.json, &["metadata", "annotations"])
    }

    pub fn set_name(&mut self, name: impl Into<String>) {
        field::set(&mut self.json, &["metadata", "name"], Json::String(name.into()));
    }

    /// Sets the namespace, or removes it.
    pub fn set_namespace(&mut self, namespace: Option<&str>) {
        match namespace {
            Some(namespace) => field::set(&mut self.json, &["metadata", "namespace"], namespace.into()),
            None => field::remove(&mut self.json, &["metadata"], "namespace"),
        }
    }

    pub fn set_label(&mut self, name: &str, value: &str) {
        field::set(&mut self.json, &["metadata", "labels", name], value.into());
    }

    pub fn set_annotation(&mut self, name: &str, value: &str) {
        field::set(&mut self.json, &["metadata", "annotations", name], value.into());
    }

    pub fn remove_label(&mut self, name: &str) {
        field::remove(&mut self.json, &["metadata", "labels"], name);
    }

    pub fn remove_annotation(&mut self, name: &str) {
        field::remove(&mut self.json, &["metadata", "annotations"], name);
    }

    /// A diagnostic about this object, with its place and its short name in front of the path.
    pub fn problem(&self, problem: Diagnostic, path: &str) -> Diagnostic {
        let path = if path.is_empty() { self.reference().to_string() } else { format!("{} {path}", self.reference()) };
        let problem = problem.path(path);
        match &self.place {
            Some(place) => problem.at(place.clone()),
            None => problem,
        }
    }
}

/// Two objects are equal when their content is, wherever it was written.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

/// Replaces a `List` by its objects, also inside lists.
///
/// A kind that ends in `List` and has `items` is a list: its items take apiVersion and kind from it when they have none
/// of their own. Without `items` it is an ordinary object (rendering §1.3).
///
/// # Errors
/// When lists are nested more than eight times.
pub fn expand_lists(json: Json) -> Result<Vec<Json>, Diagnostics> {
    let mut out = Vec::new();
    expand(json, 0, &mut out)?;
    Ok(out)
}

fn expand(json: Json, depth: usize, out: &mut Vec<Json>) -> Result<(), Diagnostics> {
    const NESTED: usize = 8;
    let Json::Object(mut list) = json else {
        out.push(json);
        return Ok(());
    };
    let kind = list.get("kind").and_then(Json::as_str).unwrap_or_default();
    let Some(item_kind) = kind.strip_suffix("List").map(str::to_owned) else {
        out.push(Json::Object(list));
        return Ok(());
    };
    let items = match list.remove("items") {
        Some(Json::Array(items)) => items,
        Some(Json::Null) => return Ok(()),
        Some(other) => {
            list.insert("items".to_owned(), other);
            out.push(Json::Object(list));
            return Ok(());
        }
        None => {
            out.push(Json::Object(list));
            return Ok(());
        }
    };
    if depth == NESTED {
        let message = format!("lists are nested more than {NESTED} times");
        return Err(Diagnostic::error(code::TOO_MUCH, message).into());
    }
    for mut item in items {
        if let (Json::Object(item), false) = (&mut item, item_kind.is_empty()) {
            inherit(item, &list, &item_kind);
        }
        expand(item, depth + 1, out)?;
    }
    Ok(())
}

/// Objects in a list of one kind, as the API server sends it, do not repeat what they are.
fn inherit(item: &mut JsonMap, list: &JsonMap, item_kind: &str) {
    if !item.contains_key("kind") {
        item.insert("kind".to_owned(), item_kind.into());
        if let (Some(version), false) = (list.get("apiVersion"), item.contains_key("apiVersion")) {
            item.insert("apiVersion".to_owned(), version.clone());
        }
    }
}
