//! Who an object is: group, version, kind, name and namespace (rendering §0.4).

use std::fmt;

/// The namespace of what lives in none.
const NOT_A_NAMESPACE: &str = "_non_namespaceable_";
const DEFAULT_NAMESPACE: &str = "default";

/// Group, version and kind; in a selector an empty part means any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Gvk {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

/// The id of an object that is at hand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Id<'a> {
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) name: &'a str,
    pub(crate) namespace: &'a str,
    /// Whether the kind is known to live outside of namespaces. Former ids do not know.
    pub(crate) cluster: bool,
}

/// An id in a selector: empty parts mean any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IdSelector {
    pub(crate) gvk: Gvk,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

/// `apps/v1` is `apps` and `v1`; `v1` has no group.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

impl Gvk {
    pub(crate) fn kind(kind: &str) -> Self {
        Self { kind: kind.to_owned(), ..Self::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.group.is_empty() && self.version.is_empty() && self.kind.is_empty()
    }

    /// Whether this, as a selector, takes the parts.
    pub(crate) fn selects(&self, group: &str, version: &str, kind: &str) -> bool {
        (self.group.is_empty() || self.group == group)
            && (self.version.is_empty() || self.version == version)
            && (self.kind.is_empty() || self.kind == kind)
    }

    pub(crate) fn selects_gvk(&self, other: &Gvk) -> bool {
        self.selects(&other.group, &other.version, &other.kind)
    }
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_gvk(f, &self.group, &self.version, &self.kind)
    }
}

fn write_gvk(f: &mut fmt::Formatter<'_>, group: &str, version: &str, kind: &str) -> fmt::Result {
    let or = |text: &str, empty: &'static str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
    write!(f, "{}.{}.{}", or(kind, "[noKind]"), or(version, "[noVer]"), or(group, "[noGrp]"))
}

impl<'a> Id<'a> {
    pub(crate) fn effective_namespace(&self) -> &'a str {
        effective(self.namespace, self.cluster)
    }

    pub(crate) fn same_gvk(&self, other: &Id<'_>) -> bool {
        (self.group, self.version, self.kind) == (other.group, other.version, other.kind)
    }

    /// Equal but for the namespace.
    pub(crate) fn same_gvkn(&self, other: &Id<'_>) -> bool {
        self.name == other.name && self.same_gvk(other)
    }

    pub(crate) fn same_namespace(&self, other: &Id<'_>) -> bool {
        self.effective_namespace() == other.effective_namespace()
    }

    pub(crate) fn same(&self, other: &Id<'_>) -> bool {
        self.same_namespace(other) && self.same_gvkn(other)
    }

    pub(crate) fn is_selected(&self, gvk: &Gvk) -> bool {
        gvk.selects(self.group, self.version, self.kind)
    }

    /// What makes two ids the same, to look them up.
    pub(crate) fn key(&self) -> (&'a str, &'a str, &'a str, &'a str, &'a str) {
        (self.group, self.version, self.kind, self.name, self.effective_namespace())
    }
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_gvk(f, self.group, self.version, self.kind)?;
        let name = if self.name.is_empty() { "[noName]" } else { self.name };
        let namespace = if self.namespace.is_empty() { "[noNs]" } else { self.namespace };
        write!(f, "/{name}.{namespace}")
    }
}

impl IdSelector {
    pub(crate) fn is_empty(&self) -> bool {
        self.gvk.is_empty() && self.name.is_empty() && self.namespace.is_empty()
    }

    /// Exact parts; the scope of the kind does not count.
    pub(crate) fn selects(&self, id: &Id<'_>) -> bool {
        (self.name.is_empty() || self.name == id.name)
            && (self.namespace.is_empty() || effective(&self.namespace, false) == effective(id.namespace, false))
            && id.is_selected(&self.gvk)
    }

    pub(crate) fn as_id(&self) -> Id<'_> {
        let Gvk { group, version, kind } = &self.gvk;
        Id { group, version, kind, name: &self.name, namespace: &self.namespace, cluster: false }
    }
}

fn effective(namespace: &str, cluster: bool) -> &str {
    match namespace {
        _ if cluster => NOT_A_NAMESPACE,
        "" => DEFAULT_NAMESPACE,
        other => other,
    }
}
