//! What a Deployment stage deploys where: found by its implicit steps, used by all others (pipelines §4.2).

pub(crate) mod artifact;
pub(crate) mod connection;
pub(crate) mod connector;
pub(crate) mod environment;
pub(crate) mod infrastructure;
pub(crate) mod manifest;
pub(crate) mod merge;
pub(crate) mod overrides;
pub(crate) mod service;
pub(crate) mod target;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use windlass_model::pipeline::Variable;
use windlass_model::task::ClusterTarget;
use windlass_model::task::cluster::EnvironmentType;
use windlass_model::task::source::ServiceSource;
use windlass_model::{Json, Scope};

/// What is known of a stage's deployment so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deployment {
    pub service: Option<Arc<ServiceFacts>>,
    pub environment: Option<Arc<EnvironmentFacts>>,
    pub infrastructure: Option<Arc<InfrastructureFacts>>,
}

/// The service of a stage, as it was at that moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceFacts {
    pub identifier: String,
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    #[serde(default)]
    pub git_ops_enabled: bool,
    pub scope: Scope,
    /// Of the stored service; none when the stage defines it itself (SEED-30).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// `serviceDefinition.spec` with the stage's own merged in; expressions verbatim.
    pub definition: Json,
    /// Expressions verbatim.
    #[serde(default)]
    pub variables: Vec<Variable>,
    /// Names of variables and identifiers of manifests that the stage itself writes (SEED-30).
    #[serde(default)]
    pub own: BTreeSet<String>,
    /// `primary` and the sidecars by identifier, resolved.
    #[serde(default)]
    pub artifacts: BTreeMap<String, Json>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentFacts {
    pub identifier: String,
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(rename = "type")]
    pub kind: EnvironmentType,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    pub scope: Scope,
    #[serde(default)]
    pub version: u64,
    #[serde(default)]
    pub variables: Vec<Variable>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InfrastructureFacts {
    pub identifier: String,
    pub name: String,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// Of the stored definition; none when the stage defines it itself (SEED-31).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// `<+INFRA_KEY>`.
    pub key: String,
    pub allow_simultaneous: bool,
    /// Selectors written on the infrastructure (SEED-32).
    #[serde(default)]
    pub selectors: Vec<String>,
    pub connector: ConnectorFacts,
    pub target: ClusterTarget,
    /// Manifests, variables and artifact for the worker, every expression resolved.
    pub source: ServiceSource,
    /// The service's variables after overrides, expressions verbatim.
    #[serde(default)]
    pub service_variables: Vec<Variable>,
    /// The last successful deployment of this service to this infrastructure.
    #[serde(default)]
    pub last: Json,
}

/// The connector of an infrastructure, as far as choosing a delegate needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectorFacts {
    pub reference: String,
    pub name: String,
    #[serde(default)]
    pub selectors: Vec<String>,
    /// It acts with the identity of its delegate.
    #[serde(default)]
    pub inherits: bool,
}
