use super::{Execution, Field};
use crate::Json;
use serde::{Deserialize, Serialize};

/// What a Deployment stage deploys, where, and how (pipelines §4.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    /// `Kubernetes`; others are refused at run by name.
    pub deployment_type: String,
    pub service: ServiceUse,
    pub environment: EnvironmentUse,
    pub execution: Execution,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ServiceUse {
    /// References and names may be expressions.
    #[serde(rename_all = "camelCase")]
    Reference {
        service_ref: String,
        /// Values for the runtime inputs of the stored service.
        #[serde(default)]
        inputs: Option<Json>,
        /// `serviceDefinition` beside the reference (SEED-30): merged over the stored service, or used alone when there is none.
        #[serde(default)]
        inline: Option<Json>,
    },
    #[serde(rename_all = "camelCase")]
    FromStage { stage: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EnvironmentUse {
    #[serde(rename_all = "camelCase")]
    Reference {
        environment_ref: String,
        deploy_to_all: Field<bool>,
        #[serde(default)]
        environment_inputs: Option<Json>,
        #[serde(default)]
        service_override_inputs: Option<Json>,
        /// One for now; more than one is refused at run until multi-infrastructure stages exist.
        infrastructures: Vec<InfrastructureUse>,
    },
    #[serde(rename_all = "camelCase")]
    FromStage { stage: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InfrastructureUse {
    pub identifier: String,
    /// Values for the runtime inputs of the stored definition, or the whole definition when none is stored (SEED-31).
    #[serde(default)]
    pub inputs: Option<Json>,
}
