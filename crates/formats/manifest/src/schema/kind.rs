use super::Text;
use crate::Gvk;

/// What discovery tells about a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindFacts {
    pub gvk: Gvk,
    /// Plural, as it stands in addresses: `deployments`.
    pub resource: Text,
    pub singular: Text,
    pub short_names: Box<[Text]>,
    /// `all`, `api-extensions`.
    pub categories: Box<[Text]>,
    pub scope: Scope,
    pub verbs: Box<[Text]>,
    pub subresources: Box<[Subresource]>,
}

/// Where the objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    Namespaced,
    Cluster,
}

/// `status`, `scale`, `log` and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    pub name: Text,
    /// What it speaks: `autoscaling/v1/Scale` for `scale`. Group and version are empty where discovery leaves them out,
    /// which means those of the resource.
    pub kind: Gvk,
    pub verbs: Box<[Text]>,
}

impl KindFacts {
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    pub fn allows(&self, verb: &str) -> bool {
        self.verbs.iter().any(|v| v == verb)
    }

    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|s| s.name == name)
    }
}
