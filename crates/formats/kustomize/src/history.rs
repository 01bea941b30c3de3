//! What a build remembers of an object (rendering §1.4).
//!
//! The reference writes it into annotations of the object, and some of its results can only be explained by that: a JSON
//! patch finds annotations where nobody wrote any. [`History::annotations`] gives them where they matter.

use crate::id::Id;

#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// What the object was called before each change of name, namespace or kind, first to last.
    pub(crate) previous: Vec<Previous>,
    pub(crate) prefixes: Vec<String>,
    pub(crate) suffixes: Vec<String>,
    /// Whether the name gets a hash of the content.
    pub(crate) needs_hash: bool,
    pub(crate) behavior: Option<Behavior>,
    /// Variables that read from this object.
    pub(crate) variables: Vec<String>,
    /// Helm made it, and has set its namespace.
    pub(crate) from_helm: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Previous {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

/// What a generator does when the object is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behavior {
    Unspecified,
    Create,
    Replace,
    Merge,
}

impl Behavior {
    pub(crate) fn of(text: &str) -> Self {
        match text {
            "create" => Self::Create,
            "replace" => Self::Replace,
            "merge" => Self::Merge,
            _ => Self::Unspecified,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::Create => "create",
            Self::Replace => "replace",
            Self::Merge => "merge",
        }
    }
}

impl Previous {
    pub(crate) fn id<'a>(&'a self, group: &'a str, version: &'a str) -> Id<'a> {
        Id { group, version, kind: &self.kind, name: &self.name, namespace: &self.namespace, cluster: false }
    }
}

/// The prefix of annotations that the reference keeps to itself.
const DOMAIN: &str = "internal.config.kubernetes.io/";

/// Annotations that never reach the output.
const INTERNAL: [&str; 19] = [
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/helm-generated",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
];

pub(crate) fn is_internal(annotation: &str) -> bool {
    INTERNAL.contains(&annotation)
}

impl History {
    /// The annotations by which the reference would have written this down.
    pub(crate) fn annotations(&self) -> Vec<(String, String)> {
        let mut out = Vec::new();
        let mut add = |name: &str, value: String| {
            if !value.is_empty() {
                out.push((format!("{DOMAIN}{name}"), value));
            }
        };
        let join = |part: fn(&Previous) -> &str| self.previous.iter().map(part).collect::<Vec<_>>().join(",");
        add("previousKinds", join(|p| &p.kind));
        add("previousNames", join(|p| &p.name));
        add("previousNamespaces", join(|p| &p.namespace));
        add("prefixes", self.prefixes.join(","));
        add("suffixes", self.suffixes.join(","));
        add("needsHashSuffix", if self.needs_hash { "enabled".into() } else { String::new() });
        add("generatorBehavior", self.behavior.map(Behavior::name).unwrap_or_default().into());
        out
    }

    /// Whether prefixes and suffixes end like those of another; an empty list may match all.
    pub(crate) fn affixes_match(&self, other: &Self, empty_matches: bool) -> bool {
        let alike = |a: &[String], b: &[String]| (empty_matches && (a.is_empty() || b.is_empty())) || same_ending(a, b);
        alike(&self.prefixes, &other.prefixes) && alike(&self.suffixes, &other.suffixes)
    }

    /// Forgets what a patch that removes the annotations makes the reference forget.
    pub(crate) fn forget(&mut self) {
        *self = Self { variables: std::mem::take(&mut self.variables), ..Self::default() };
    }
}

/// Whether two lists end alike.
fn same_ending(a: &[String], b: &[String]) -> bool {
    let (short, long) = if a.len() > b.len() { (b, a) } else { (a, b) };
    if short.is_empty() { long.is_empty() } else { long.ends_with(short) }
}
