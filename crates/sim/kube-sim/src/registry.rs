//! Which resources are served: the built-in ones and those of custom resource definitions.

use crate::kind::GroupResource;
use crate::metrics::{GROUP, RESOURCES};
use crate::schema::{Type, builtin};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// One resource in one version.
#[derive(Debug)]
pub(crate) struct Resource {
    pub group: String,
    pub version: String,
    pub plural: String,
    pub singular: String,
    pub kind: String,
    pub list_kind: String,
    pub namespaced: bool,
    pub short_names: Vec<String>,
    pub categories: Vec<String>,
    pub verbs: Vec<String>,
    pub subresources: Vec<Subresource>,
    /// What its objects are stored under, and in which version.
    pub stored: GroupResource,
    pub stored_version: String,
    pub ty: Type,
    /// The version entry of the definition, for custom resources.
    pub custom: Option<Arc<crate::custom::Version>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Subresource {
    pub name: String,
    /// Empty group and version stand for those of the resource.
    pub group: String,
    pub version: String,
    pub kind: String,
    pub verbs: Vec<String>,
}

impl Resource {
    /// `apps/v1`, or `v1` in the core group.
    pub(crate) fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// The name in messages: plural and group.
    pub(crate) fn group_resource(&self) -> GroupResource {
        GroupResource::named(&self.group, &self.plural)
    }

    pub(crate) fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|v| v == verb)
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|s| s.name == name)
    }

    pub(crate) fn is_custom(&self) -> bool {
        self.custom.is_some()
    }

    /// It is not one of those that every server has.
    pub(crate) fn is_added(&self) -> bool {
        self.is_custom() || self.group == GROUP
    }

    pub(crate) fn is(&self, kind: &GroupResource) -> bool {
        self.stored == *kind
    }
}

pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// All served resources. Cheap to build: the built-in part is shared.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    /// Whether another server stands behind this one: the resource metrics.
    metrics: bool,
    custom: BTreeMap<(String, String, String), Arc<Resource>>,
}

impl Registry {
    /// The resource at `/apis/{group}/{version}/{plural}`.
    pub(crate) fn resource(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        let key = (group.to_owned(), version.to_owned(), plural.to_owned());
        let aggregated = || self.aggregated().find(|r| r.group == group && r.version == version && r.plural == plural);
        BUILTIN.get(&key).or_else(|| self.custom.get(&key)).or_else(aggregated).cloned()
    }

    pub(crate) fn by_kind(&self, api_version: &str, kind: &str) -> Option<Arc<Resource>> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        self.all().find(|r| r.group == group && r.version == version && r.kind == kind).cloned()
    }

    /// The resource in the version its objects are stored in.
    pub(crate) fn stored(&self, kind: &GroupResource) -> Option<Arc<Resource>> {
        self.all().find(|r| r.stored == *kind && r.stored_version == r.version && r.group == kind.group).cloned()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Resource>> {
        BUILTIN.values().chain(self.custom.values()).chain(self.aggregated())
    }

    /// Serves the resource metrics too.
    pub(crate) fn serve_metrics(&mut self) {
        self.metrics = true;
    }

    fn aggregated(&self) -> impl Iterator<Item = &Arc<Resource>> {
        RESOURCES.iter().filter(|_| self.metrics)
    }

    /// Whether anything below the group is told by the server itself, which says of nothing that there is no page.
    pub(crate) fn owns_group(&self, group: &str) -> bool {
        self.all().any(|r| r.group == group && !r.is_custom())
    }

    pub(crate) fn custom(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.custom.values()
    }

    /// Replaces what is served for the definition of `group` and `plural`.
    pub(crate) fn set_custom(&mut self, group: &str, plural: &str, versions: Vec<Arc<Resource>>) {
        self.custom.retain(|(g, _, p), _| g != group || p != plural);
        for resource in versions {
            let key = (resource.group.clone(), resource.version.clone(), resource.plural.clone());
            self.custom.insert(key, resource);
        }
    }
}

type Builtin = BTreeMap<(String, String, String), Arc<Resource>>;

static BUILTIN: LazyLock<Builtin> = LazyLock::new(|| {
    let mut out = BTreeMap::new();
    for document in builtin::discovery() {
        for group in items(document, "items") {
            let name = text(group.get("metadata").unwrap_or(&Value::Null), "name");
            for version in items(group, "versions") {
                for resource in items(version, "resources") {
                    let made = resource_of(&name, &text(version, "version"), resource);
                    out.insert((made.group.clone(), made.version.clone(), made.plural.clone()), Arc::new(made));
                }
            }
        }
    }
    out
});

fn resource_of(group: &str, served_version: &str, raw: &Value) -> Resource {
    let version = served_version.to_owned();
    let plural = text(raw, "resource");
    let kind = raw.get("responseKind").map(|k| text(k, "kind")).unwrap_or_default();
    // The two groups of events share their objects; horizontal pod autoscalers are stored as v2.
    let (stored, stored_version) = match (group, plural.as_str()) {
        ("events.k8s.io", "events") => (GroupResource::new("", "events"), "v1"),
        ("autoscaling", "horizontalpodautoscalers") => (GroupResource::named(group, &plural), "v2"),
        _ => (GroupResource::named(group, &plural), served_version),
    };
    let subresources = items(raw, "subresources")
        .iter()
        .map(|s| {
            let response = s.get("responseKind").unwrap_or(&Value::Null);
            Subresource {
                name: text(s, "subresource"),
                group: text(response, "group"),
                version: text(response, "version"),
                kind: text(response, "kind"),
                verbs: texts(s, "verbs"),
            }
        })
        .collect();
    Resource {
        ty: builtin::kind(&format!("{}/{kind}", api_version(group, &version))).unwrap_or(Type::Raw),
        list_kind: format!("{kind}List"),
        namespaced: text(raw, "scope") == "Namespaced",
        singular: text(raw, "singularResource"),
        short_names: texts(raw, "shortNames"),
        categories: texts(raw, "categories"),
        verbs: texts(raw, "verbs"),
        subresources,
        stored,
        stored_version: stored_version.to_owned(),
        custom: None,
        group: group.to_owned(),
        version,
        plural,
        kind,
    }
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn texts(value: &Value, key: &str) -> Vec<String> {
    items(value, key).iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::{DEPLOYMENTS, EVENTS, HORIZONTAL_POD_AUTOSCALERS};

    #[test]
    fn built_in_resources_are_found_in_both_directions() {
        let registry = Registry::default();
        let deployments = registry.resource("apps", "v1", "deployments").unwrap();
        assert_eq!(deployments.kind, "Deployment");
        assert!(deployments.namespaced && deployments.allows("deletecollection"));
        assert_eq!(deployments.subresource("scale").unwrap().kind, "Scale");
        assert_eq!(registry.by_kind("apps/v1", "Deployment").unwrap().plural, "deployments");
        assert_eq!(registry.stored(&DEPLOYMENTS).unwrap().version, "v1");
        assert_eq!(registry.stored(&HORIZONTAL_POD_AUTOSCALERS).unwrap().version, "v2");
        assert_eq!(registry.stored(&EVENTS).unwrap().group, "");
        assert!(registry.resource("apps", "v1", "nothing").is_none());
    }

    #[test]
    fn every_built_in_kind_has_a_type() {
        let without: Vec<_> = BUILTIN.values().filter(|r| matches!(r.ty, Type::Raw)).map(|r| r.kind.as_str()).collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
