//! Where manifests and values come from (kubernetes-deploy §1.1–1.4).

use super::ClusterAccess;
use super::verify::BasicAuth;
use crate::Json;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a service deploys: exactly one main manifest, and the values that fill it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceSource {
    pub manifests: Vec<ManifestSource>,
    /// Service variables after overrides, as text; also the source of `PLACEHOLDER_TAG` (SEED-38).
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    #[serde(default)]
    pub artifact: Option<Artifact>,
    #[serde(default)]
    pub sidecars: BTreeMap<String, Artifact>,
    #[serde(default)]
    pub images: ImageInjection,
}

/// How image references in manifests that nobody wants to template are filled (kubernetes-deploy §1.5, SEED-38).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageInjection {
    /// The word that stands in the tag part of image references, for example `PLACEHOLDER_TAG`.
    #[serde(default)]
    pub placeholder: Option<String>,
    /// What replaces it.
    #[serde(default)]
    pub tag: Option<String>,
    /// Repository → full image reference, as kustomize's `images`.
    #[serde(default)]
    pub replace: BTreeMap<String, String>,
}

/// A resolved artifact: `<+artifacts.primary.*>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub identifier: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub image_path: String,
    pub tag: String,
    /// `registry/path:tag`.
    pub image: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ManifestSource {
    pub identifier: String,
    pub kind: ManifestKind,
    pub store: Store,
    /// Values files in the same store, weakest first.
    #[serde(default)]
    pub values_paths: Vec<String>,
    /// A listed values file that is not there is no failure.
    #[serde(default)]
    pub optional_values: bool,
    #[serde(default)]
    pub skip_versioning: bool,
    #[serde(default)]
    pub declarative_rollback: bool,
    #[serde(default)]
    pub config_versioning: Option<ConfigVersioning>,
    /// For values: which layer it overrides from, weakest first (kubernetes-deploy §1.4).
    #[serde(default)]
    pub layer: u8,
    /// Of a kustomization: what of it is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<Overlay>,
    /// Of a chart: which one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<ChartSource>,
}

/// Which kustomization of a store is built, and how (kubernetes-deploy §1.2).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Overlay {
    /// The kustomization below the store's folder, which then holds everything that is needed. Without it the store's folder
    /// is the kustomization, and what it names may lie anywhere in the repository.
    pub folder: Option<String>,
    /// Files in the store with patches, in which expressions are resolved.
    pub patches: Vec<String>,
    /// Flags of `kustomize build`.
    pub flags: Vec<String>,
}

/// Which chart of a store is rendered, and how (kubernetes-deploy §1.2).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChartSource {
    /// In a repository of charts; a Git store says by its folder which one.
    pub name: String,
    /// A version or a range of them; empty: the newest.
    pub version: String,
    /// A chart inside of it, `charts/inner`.
    pub sub_chart: String,
    /// Flags of `helm template`.
    pub flags: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ManifestKind {
    #[default]
    K8sManifest,
    Values,
    Kustomize,
    KustomizePatches,
    HelmChart,
}

/// How ConfigMaps and Secrets get their names (kubernetes-deploy §1.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConfigVersioning {
    Number,
    Hash,
    None,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Store {
    Git {
        repository: GitRepository,
        reference: GitReference,
        /// Files or folders, relative to the repository's root.
        paths: Vec<String>,
    },
    /// Text written in the service itself.
    Inline { content: String },
    /// Files the server holds.
    Files { files: Vec<StoredFile> },
    /// A repository of charts.
    Charts { repository: ChartRepository },
    /// Values that lie where the main manifest lies.
    Inherit { paths: Vec<String> },
}

impl Default for Store {
    fn default() -> Self {
        Self::Inline { content: String::new() }
    }
}

/// A repository of charts and how to sign in. Texts may hold secret tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartRepository {
    /// The connector's reference, for messages; empty where there is none.
    pub connector: String,
    /// `https://host/path` of a Helm repository, `oci://host/path` of a registry.
    pub url: String,
    #[serde(default)]
    pub username: Option<String>,
    #[serde(default)]
    pub password: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFile {
    pub path: String,
    pub content: String,
}

/// A repository and how to sign in. Texts may hold secret tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GitRepository {
    /// The connector's reference, for messages.
    pub connector: String,
    /// Without credentials.
    pub url: String,
    pub auth: GitAuth,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum GitAuth {
    Anonymous,
    Http { username: String, password: String },
    Ssh { private_key: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "name", rename_all = "camelCase")]
pub enum GitReference {
    Branch(String),
    Tag(String),
    /// A full or abbreviated commit id, or a tag's name: the vendor puts both into `commitId`.
    Commit(String),
}

/// What to reach out to, to see whether a connector works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ConnectionTest {
    Cluster {
        access: ClusterAccess,
        namespace: Option<String>,
    },
    Git {
        repository: GitRepository,
    },
    DockerRegistry {
        url: String,
        username: Option<String>,
        password: Option<String>,
    },
    #[serde(rename_all = "camelCase")]
    Prometheus {
        url: String,
        headers: BTreeMap<String, String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        basic_auth: Option<BasicAuth>,
    },
    Charts {
        repository: ChartRepository,
    },
    /// A type that cannot be tested yet, kept so that the answer can name it.
    Other {
        name: String,
        spec: Json,
    },
}
