//! Reading and writing objects.

use crate::call::{Call, encode};
use crate::client::Cluster;
use crate::error::ClusterError;
use crate::{FIELD_MANAGER, Json};
use http::Method;
use serde_json::json;
use std::fmt;
use windlass_manifest::schema::KindFacts;
use windlass_manifest::{Gvk, ObjectKey};

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    pub gvk: Gvk,
    /// `deployments`
    pub resource: String,
    /// Nothing for kinds that live in no namespace.
    pub namespace: Option<String>,
    pub name: String,
}

impl Address {
    /// The namespace is left out for kinds that live in none.
    pub fn new(kind: &KindFacts, namespace: Option<&str>, name: &str) -> Self {
        let namespace = namespace.filter(|namespace| kind.is_namespaced() && !namespace.is_empty());
        Self {
            gvk: kind.gvk.clone(),
            resource: kind.resource.to_string(),
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        }
    }

    pub fn key(&self) -> ObjectKey {
        ObjectKey::new(&*self.gvk.group, &*self.gvk.kind, self.namespace.clone().unwrap_or_default(), &*self.name)
    }

    /// The same kind and namespace, another name.
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self.clone() }
    }

    /// The path of the collection.
    pub(crate) fn collection(&self) -> String {
        let mut path = if self.gvk.group.is_empty() { "/api/".to_owned() } else { "/apis/".to_owned() };
        path.push_str(&self.gvk.api_version());
        if let Some(namespace) = &self.namespace {
            path.push_str("/namespaces/");
            encode(&mut path, namespace);
        }
        path.push('/');
        path.push_str(&self.resource);
        path
    }

    pub(crate) fn path(&self, subresource: &str) -> String {
        let mut path = self.collection();
        path.push('/');
        encode(&mut path, &self.name);
        if !subresource.is_empty() {
            path.push('/');
            path.push_str(subresource);
        }
        path
    }
}

/// `shop/Deployment/web`
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key().in_namespace().fmt(f)
    }
}

/// Which objects of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// `app=web,tier in (a,b)`
    pub labels: String,
    /// `metadata.name=web`
    pub fields: String,
}

impl Query {
    pub fn labels(labels: impl Into<String>) -> Self {
        Self { labels: labels.into(), ..Self::default() }
    }

    pub fn fields(fields: impl Into<String>) -> Self {
        Self { fields: fields.into(), ..Self::default() }
    }
}

/// Objects of a kind, and the revision at which they were read.
#[derive(Clone, Debug, Default)]
pub struct List {
    pub items: Vec<Json>,
    pub revision: String,
}

/// How a server-side apply is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apply {
    pub dry_run: bool,
    /// Takes fields that others own.
    pub force: bool,
    pub manager: String,
}

impl Default for Apply {
    /// A real one that takes what it needs (kubernetes-deploy §1.8).
    fn default() -> Self {
        Self { dry_run: false, force: true, manager: FIELD_MANAGER.to_owned() }
    }
}

impl Apply {
    pub fn dry_run() -> Self {
        Self { dry_run: true, ..Self::default() }
    }
}

/// What a patch is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatchKind {
    Json,
    Merge,
    Strategic,
}

/// What happens to the objects that an object owns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Propagation {
    #[default]
    Background,
    Foreground,
    Orphan,
}

/// How an object is deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delete {
    pub propagation: Propagation,
    /// Only the object with this uid: not one that was made anew under its name.
    pub uid: Option<String>,
    /// Only when nobody changed it since.
    pub resource_version: Option<String>,
    pub grace_seconds: Option<u32>,
}

/// The objects of one page.
const PAGE: &str = "500";

pub(crate) fn without_owners(mut object: Json) -> Json {
    if let Some(Json::Object(metadata)) = object.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    object
}

impl Cluster {
    /// Nothing when it is not there. Only what this answers says in `managedFields` who owns which field: they are longer than
    /// the rest of an object, and in lists and answers to writes nobody asks for them.
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses.
    pub async fn get(&self, at: &Address) -> Result<Option<Json>, ClusterError> {
        match self.json(&Call::get(at.path(""), format!("read {at}"))).await {
            Ok(object) => Ok(Some(object)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Every object of the kind and namespace of `of` (its name does not matter); all namespaces when it has none.
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses.
    pub async fn list(&self, of: &Address, query: &Query) -> Result<List, ClusterError> {
        let kind = &of.gvk.kind;
        let place = of.namespace.as_ref().map(|namespace| format!(" in {namespace}")).unwrap_or_default();
        let first = Call::get(of.collection(), format!("list {kind}{place}"))
            .query("labelSelector", &*query.labels)
            .query("fieldSelector", &*query.fields)
            .query("limit", PAGE);
        let mut list = List::default();
        let mut token = String::new();
        loop {
            let mut page = match self.json(&first.clone().query("continue", &*token)).await {
                // The pages are too old: begin again, without pages this time.
                Err(error) if error.is_expired() && !token.is_empty() => {
                    list.items.clear();
                    let mut whole = first.clone();
                    whole.query.retain(|(name, _)| *name != "limit");
                    self.json(&whole).await?
                }
                page => page?,
            };
            if let Some(Json::Array(items)) = page.get_mut("items").map(Json::take) {
                list.items.extend(items.into_iter().map(|item| with_kind(without_owners(item), &of.gvk)));
            }
            let text = |name: &str| page.pointer(name).and_then(Json::as_str).unwrap_or_default().to_owned();
            list.revision = text("/metadata/resourceVersion");
            token = text("/metadata/continue");
            if token.is_empty() {
                return Ok(list);
            }
        }
    }

    /// Makes an object that has a name. One that is there already is an error (`is_already_there`).
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses.
    pub async fn create(&self, at: &Address, object: &Json) -> Result<Json, ClusterError> {
        let call = Call::new(Method::POST, at.collection(), format!("create {at}"))
            .query("fieldManager", FIELD_MANAGER)
            .body("application/json", object);
        Ok(without_owners(self.json(&call).await?))
    }

    /// Replaces an object. When it bears a resourceVersion, that must be the stored one (`is_conflict`).
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses.
    pub async fn replace(&self, at: &Address, object: &Json) -> Result<Json, ClusterError> {
        let call = Call::new(Method::PUT, at.path(""), format!("replace {at}"))
            .query("fieldManager", FIELD_MANAGER)
            .body("application/json", object);
        Ok(without_owners(self.json(&call).await?))
    }

    /// Server-side apply.
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses; with `force` there are no conflicts about owners.
    pub async fn apply(&self, at: &Address, object: &Json, how: &Apply) -> Result<Json, ClusterError> {
        let verb = if how.dry_run { "dry-run" } else { "apply" };
        let call = Call::new(Method::PATCH, at.path(""), format!("{verb} {at}"))
            .query("fieldManager", &*how.manager)
            .query("force", if how.force { "true" } else { "" })
            .query("dryRun", if how.dry_run { "All" } else { "" })
            // JSON is YAML.
            .body("application/apply-patch+yaml", object);
        Ok(without_owners(self.json(&call).await?))
    }

    /// # Errors
    /// When the server cannot be asked, or refuses.
    pub async fn patch(&self, at: &Address, kind: PatchKind, patch: &Json) -> Result<Json, ClusterError> {
        self.patch_part(at, "", kind, patch).await
    }

    pub(crate) async fn patch_part(
        &self,
        at: &Address,
        subresource: &str,
        kind: PatchKind,
        patch: &Json,
    ) -> Result<Json, ClusterError> {
        let content_type = match kind {
            PatchKind::Json => "application/json-patch+json",
            PatchKind::Merge => "application/merge-patch+json",
            PatchKind::Strategic => "application/strategic-merge-patch+json",
        };
        let call = Call::new(Method::PATCH, at.path(subresource), format!("change {at}"))
            .query("fieldManager", FIELD_MANAGER)
            .body(content_type, patch);
        Ok(without_owners(self.json(&call).await?))
    }

    /// Begins to delete an object; finalizers may hold it. Answers false when it is not there.
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses: a precondition that does not hold is a conflict.
    pub async fn delete(&self, at: &Address, how: &Delete) -> Result<bool, ClusterError> {
        let propagation = match how.propagation {
            Propagation::Background => "Background",
            Propagation::Foreground => "Foreground",
            Propagation::Orphan => "Orphan",
        };
        let mut options = json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation});
        let mut preconditions = serde_json::Map::new();
        for (name, value) in [("uid", &how.uid), ("resourceVersion", &how.resource_version)] {
            if let Some(value) = value {
                preconditions.insert(name.to_owned(), value.as_str().into());
            }
        }
        if !preconditions.is_empty() {
            options["preconditions"] = preconditions.into();
        }
        if let Some(seconds) = how.grace_seconds {
            options["gracePeriodSeconds"] = seconds.into();
        }
        let call = Call::new(Method::DELETE, at.path(""), format!("delete {at}")).body("application/json", &options);
        match self.bytes(&call).await {
            Ok(_) => Ok(true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Objects in lists do not say what they are.
fn with_kind(mut item: Json, gvk: &Gvk) -> Json {
    if let Some(map) = item.as_object_mut() {
        map.entry("apiVersion").or_insert_with(|| gvk.api_version().into());
        map.entry("kind").or_insert_with(|| gvk.kind.clone().into());
    }
    item
}
