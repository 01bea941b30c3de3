//! Which kinds a server has.

use crate::call::Call;
use crate::client::Cluster;
use crate::error::ClusterError;
use crate::{Json, objects::Address};
use std::sync::Arc;
use windlass_manifest::schema::{Catalog, KindFacts, Schema, schema};
use windlass_manifest::{Gvk, ObjectKey, ObjectRef};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/// The kinds of one server, the preferred version of each group first.
#[derive(Debug, Default)]
pub struct Discovery {
    schema: Schema,
}

impl Discovery {
    pub fn kind(&self, gvk: &Gvk) -> Option<&KindFacts> {
        self.schema.kind(gvk)
    }

    /// The kind in the version that the server prefers.
    pub fn preferred(&self, group: &str, kind: &str) -> Option<&KindFacts> {
        self.schema.kinds().find(|known| known.gvk.group == group && known.gvk.kind == kind)
    }

    /// A kind as people write it: `Deployment`, `deployments`, `deploy`, in any case, with or without its group
    /// (`deployments.apps`). The first group of discovery wins, as with kubectl.
    pub fn named(&self, text: &str) -> Option<&KindFacts> {
        let (name, group) = match text.split_once('.') {
            Some((name, group)) => (name, Some(group)),
            None => (text, None),
        };
        let is = |kind: &&KindFacts| {
            let names = [&*kind.gvk.kind, &kind.resource, &kind.singular];
            let short = kind.short_names.iter().any(|short| short.eq_ignore_ascii_case(name));
            group.is_none_or(|group| kind.gvk.group == group)
                && (short || names.iter().any(|known| known.eq_ignore_ascii_case(name)))
        };
        self.schema.kinds().find(is)
    }

    /// What the cluster knows besides the built-in kinds.
    pub fn catalog(&self) -> Catalog {
        let mut catalog = Catalog::new();
        for kind in self.schema.kinds().filter(|kind| schema().kind(&kind.gvk).is_none()) {
            catalog.add_discovered(kind.clone());
        }
        catalog
    }

    fn of_kind<'a>(&'a self, group: &str, kind: &'a str) -> Vec<String> {
        let same = self.schema.kinds().filter(|known| known.gvk.kind == kind);
        let mut found: Vec<&Gvk> = same.map(|known| &known.gvk).collect();
        found.sort_by_key(|known| known.group != group);
        found.iter().map(ToString::to_string).take(4).collect()
    }
}

impl Cluster {
    /// The kinds of the server; asked once.
    ///
    /// # Errors
    /// When the server cannot be asked.
    pub async fn discovery(&self) -> Result<Arc<Discovery>, ClusterError> {
        if let Some(known) = self.discovery_cell().read().await.as_ref() {
            return Ok(Arc::clone(known));
        }
        let mut cell = self.discovery_cell().write().await;
        if let Some(known) = cell.as_ref() {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(self.discover().await?);
        *cell = Some(Arc::clone(&found));
        Ok(found)
    }

    /// Asks again: after definitions of custom resources were applied.
    ///
    /// # Errors
    /// When the server cannot be asked; what was known stays.
    pub async fn refresh_discovery(&self) -> Result<Arc<Discovery>, ClusterError> {
        let found = Arc::new(self.discover().await?);
        *self.discovery_cell().write().await = Some(Arc::clone(&found));
        Ok(found)
    }

    /// Where an object of a kind is. Kinds that are not known are looked for once more.
    ///
    /// # Errors
    /// When the server does not have the kind, or cannot be asked.
    pub async fn address(&self, gvk: &Gvk, namespace: Option<&str>, name: &str) -> Result<Address, ClusterError> {
        let find = |discovery: &Discovery| discovery.kind(gvk).map(|kind| Address::new(kind, namespace, name));
        if let Some(found) = find(&*self.discovery().await?) {
            return Ok(found);
        }
        let discovery = self.refresh_discovery().await?;
        find(&discovery).ok_or_else(|| self.unknown(&discovery, &gvk.group, &gvk.kind, gvk.to_string()))
    }

    /// Where an object is, in whatever version the server prefers.
    ///
    /// # Errors
    /// When the server does not have the kind, or cannot be asked.
    pub async fn address_of(&self, key: &ObjectKey) -> Result<Address, ClusterError> {
        let find = |discovery: &Discovery| {
            let kind = discovery.preferred(&key.group, &key.kind)?;
            Some(Address::new(kind, Some(&key.namespace), &key.name))
        };
        if let Some(found) = find(&*self.discovery().await?) {
            return Ok(found);
        }
        let discovery = self.refresh_discovery().await?;
        find(&discovery).ok_or_else(|| self.unknown(&discovery, &key.group, &key.kind, key.group_kind().to_string()))
    }

    /// The object that a person named, in `namespace` unless the name says another one.
    ///
    /// # Errors
    /// When the server does not have the kind, or cannot be asked.
    pub async fn resolve(&self, name: &ObjectRef, namespace: &str) -> Result<Address, ClusterError> {
        let namespace = name.namespace.as_deref().unwrap_or(namespace);
        let discovery = self.discovery().await?;
        match discovery.named(&name.kind) {
            Some(kind) => Ok(Address::new(kind, Some(namespace), &name.name)),
            None => Err(self.unknown(&discovery, "", &name.kind, name.kind.clone())),
        }
    }

    fn unknown(&self, discovery: &Discovery, group: &str, kind: &str, text: String) -> ClusterError {
        ClusterError::UnknownKind { cluster: self.name_shared(), kind: text, served: discovery.of_kind(group, kind) }
    }

    async fn discover(&self) -> Result<Discovery, ClusterError> {
        let ask = |path: &'static str| async move {
            self.json(&Call::get(path, "ask which kinds there are").accept(AGGREGATED)).await
        };
        let (core, groups) = futures::future::try_join(ask("/api"), ask("/apis")).await?;
        let documents = if core.get("items").is_some() && groups.get("items").is_some() {
            vec![core, groups]
        } else {
            self.discover_each(&groups).await?
        };
        let schema = Schema::from_documents(&documents, &[]).map_err(|source| ClusterError::Answer {
            cluster: self.name_shared(),
            doing: "ask which kinds there are".to_owned(),
            source: source.into(),
        })?;
        Ok(Discovery { schema })
    }

    /// Servers before 1.26, and proxies that lose the `Accept` header, tell one version at a time.
    async fn discover_each(&self, groups: &Json) -> Result<Vec<Json>, ClusterError> {
        let mut versions = vec![(String::new(), "v1".to_owned(), "/api/v1".to_owned())];
        for group in groups.get("groups").and_then(Json::as_array).into_iter().flatten() {
            let name = group.get("name").and_then(Json::as_str).unwrap_or_default();
            for version in group.get("versions").and_then(Json::as_array).into_iter().flatten() {
                let version = version.get("version").and_then(Json::as_str).unwrap_or_default();
                versions.push((name.to_owned(), version.to_owned(), format!("/apis/{name}/{version}")));
            }
        }
        let mut items = Vec::new();
        for (group, version, path) in versions {
            match self.json(&Call::get(&*path, format!("ask which kinds {path} has"))).await {
                Ok(list) => items.push(legacy::aggregated(&group, &version, &list)),
                // A broken aggregated server must not stop everything else.
                Err(error) => tracing::warn!(cluster = %self.name(), %error, "kinds of one version are not known"),
            }
        }
        Ok(vec![serde_json::json!({ "items": items })])
    }
}

mod legacy {
    use crate::Json;
    use serde_json::json;

    /// An `APIResourceList` in the form of aggregated discovery.
    pub(super) fn aggregated(group: &str, version: &str, list: &Json) -> Json {
        let all = list.get("resources").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let of = |json: &Json| {
            json!({"group": json.get("group").cloned().unwrap_or_else(|| group.into()),
                "version": json.get("version").cloned().unwrap_or_else(|| version.into()), "kind": text(json, "kind")})
        };
        let resource = |json: &Json| {
            let name = text(json, "name");
            let prefix = format!("{name}/");
            let subresources: Vec<Json> = all
                .iter()
                .filter_map(|sub| {
                    let name = text(sub, "name").strip_prefix(&prefix)?.to_owned();
                    Some(json!({"subresource": name, "responseKind": of(sub), "verbs": sub.get("verbs")}))
                })
                .collect();
            json!({"resource": name, "responseKind": of(json),
                "scope": if json.get("namespaced") == Some(&Json::Bool(true)) { "Namespaced" } else { "Cluster" },
                "singularResource": text(json, "singularName"), "verbs": json.get("verbs"),
                "shortNames": json.get("shortNames"), "categories": json.get("categories"),
                "subresources": subresources})
        };
        let resources: Vec<Json> = all.iter().filter(|r| !text(r, "name").contains('/')).map(resource).collect();
        json!({"metadata": {"name": group}, "versions": [{"version": version, "resources": resources}]})
    }
}
