//! What an object is called: kind, key and the short form people write.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Group, version and kind. The group of the oldest kinds (`Pod`, `Service`, …) is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Gvk {
    pub group: String,
    pub version: String,
    pub kind: String,
}

impl Gvk {
    pub fn new(group: impl Into<String>, version: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// From the two fields of an object. Without `/` the group is empty (rendering §0.4).
    pub fn from_api_version(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self::new(group, version, kind)
    }

    /// `apps/v1`, or `v1` for the empty group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The kind without its version.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }
}

/// `apps/v1/Deployment`, `v1/Pod`.
impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.api_version(), self.kind)
    }
}

/// A kind in any of its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupKind {
    pub group: String,
    pub kind: String,
}

impl GroupKind {
    pub fn new(group: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { group: group.into(), kind: kind.into() }
    }
}

/// `Deployment.apps`, `Pod`.
impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() { f.write_str(&self.kind) } else { write!(f, "{}.{}", self.kind, self.group) }
    }
}

/// The identity of an object in one cluster. Two versions of a kind are the same object.
///
/// Its text has always four parts, `group/kind/namespace/name`, of which the first and the third may be empty:
/// `apps/Deployment/shop/web`, `/ConfigMap/shop/cfg`, `/Namespace//shop`. Release records keep it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    pub group: String,
    pub kind: String,
    /// Empty for cluster-scoped kinds.
    pub namespace: String,
    pub name: String,
}

impl ObjectKey {
    pub fn new(
        group: impl Into<String>,
        kind: impl Into<String>,
        namespace: impl Into<String>,
        name: impl Into<String>,
    ) -> Self {
        Self { group: group.into(), kind: kind.into(), namespace: namespace.into(), name: name.into() }
    }

    pub fn group_kind(&self) -> GroupKind {
        GroupKind::new(&*self.group, &*self.kind)
    }

    /// The short form: `Deployment/web`.
    pub fn short(&self) -> ObjectRef {
        ObjectRef { namespace: None, kind: self.kind.clone(), name: self.name.clone() }
    }

    /// The short form with the namespace, when there is one: `shop/Deployment/web`.
    pub fn in_namespace(&self) -> ObjectRef {
        let namespace = Some(self.namespace.clone()).filter(|n| !n.is_empty());
        ObjectRef { namespace, ..self.short() }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.group, self.kind, self.namespace, self.name)
    }
}

/// A text that is not an object key or an object reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("`{0}` is not an object key: expected group/kind/namespace/name")]
    Key(String),
    #[error("`{0}` is not an object: expected Kind/name or namespace/Kind/name")]
    Ref(String),
    #[error("`{0}` names a kind and no object: wildcards are refused, name each object")]
    Wildcard(String),
}

impl FromStr for ObjectKey {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let parts: Vec<&str> = text.split('/').collect();
        match parts[..] {
            [group, kind, namespace, name] if !kind.is_empty() && !name.is_empty() => {
                Ok(Self::new(group, kind, namespace, name))
            }
            _ => Err(NameError::Key(text.to_owned())),
        }
    }
}

impl Serialize for ObjectKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ObjectKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// An object as people write it in a step: `Deployment/web` or `shop/Deployment/web` (kubernetes-deploy §2.8).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    pub namespace: Option<String>,
    pub kind: String,
    pub name: String,
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        write!(f, "{}/{}", self.kind, self.name)
    }
}

impl FromStr for ObjectRef {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let text = text.trim();
        let parts: Vec<&str> = text.split('/').map(str::trim).collect();
        let (namespace, kind, name) = match parts[..] {
            [kind, name] => (None, kind, name),
            [namespace, kind, name] if !namespace.is_empty() => (Some(namespace.to_owned()), kind, name),
            _ => return Err(NameError::Ref(text.to_owned())),
        };
        if kind.is_empty() || name.is_empty() {
            return Err(NameError::Ref(text.to_owned()));
        }
        if text.contains('*') {
            return Err(NameError::Wildcard(text.to_owned()));
        }
        Ok(Self { namespace, kind: kind.to_owned(), name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_version_splits_at_the_first_slash() {
        for (api_version, group, version) in
            [("v1", "", "v1"), ("apps/v1", "apps", "v1"), ("a/b/c", "a", "b/c"), ("", "", ""), ("/v1", "", "v1")]
        {
            let gvk = Gvk::from_api_version(api_version, "K");
            assert_eq!((&*gvk.group, &*gvk.version), (group, version), "{api_version}");
        }
        assert_eq!(Gvk::from_api_version("apps/v1", "Deployment").to_string(), "apps/v1/Deployment");
        assert_eq!(Gvk::from_api_version("v1", "Pod").to_string(), "v1/Pod");
    }

    #[test]
    fn keys_keep_their_text() {
        for text in ["apps/Deployment/shop/web", "/ConfigMap/shop/cfg", "/Namespace//shop"] {
            let key: ObjectKey = text.parse().unwrap();
            assert_eq!(key.to_string(), text);
            let json = serde_json::to_string(&key).unwrap();
            assert_eq!(serde_json::from_str::<ObjectKey>(&json).unwrap(), key);
        }
        for text in ["", "Deployment/web", "a//b/c", "a/b/c/", "a/b/c/d/e"] {
            assert_eq!(text.parse::<ObjectKey>(), Err(NameError::Key(text.to_owned())));
        }
    }

    #[test]
    fn references_as_people_write_them() {
        let key = ObjectKey::new("apps", "Deployment", "shop", "web-canary");
        assert_eq!(key.short().to_string(), "Deployment/web-canary");
        assert_eq!(key.in_namespace().to_string(), "shop/Deployment/web-canary");
        assert_eq!("shop/Deployment/web-canary".parse(), Ok(key.in_namespace()));
        assert_eq!(" Deployment / web-canary ".parse(), Ok(key.short()));
        assert_eq!("Deployment/*".parse::<ObjectRef>(), Err(NameError::Wildcard("Deployment/*".to_owned())));
        for text in ["", "web", "/Deployment/web", "Deployment/", "a/b/c/d"] {
            assert_eq!(text.parse::<ObjectRef>(), Err(NameError::Ref(text.to_owned())));
        }
    }
}
