use crate::deployment::{EnvironmentFacts, InfrastructureFacts, ServiceFacts};
use crate::effect::Deployed;
use crate::id::NodeId;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use windlass_model::Json;

/// The service of a stage is known. The node is the implicit step that found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceFound {
    pub node: NodeId,
    pub service: Arc<ServiceFacts>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentFound {
    pub node: NodeId,
    pub environment: Arc<EnvironmentFacts>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InfrastructureFound {
    pub node: NodeId,
    pub infrastructure: Arc<InfrastructureFacts>,
}

/// A verification passed: its samples are what later ones compare with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BaselineMeasured {
    pub node: NodeId,
    pub service: String,
    pub environment: String,
    pub infrastructure: String,
    pub samples: Arc<Json>,
}

/// A stage that knows where it deploys came to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DeploymentRecorded {
    pub deployed: Box<Deployed>,
}
