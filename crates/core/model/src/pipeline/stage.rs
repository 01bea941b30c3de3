use super::{Deployment, Execution, FailureStrategy, Field, Looping, Selectors, Variable, When};
use crate::Json;
use crate::time::Millis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An entry of the stage list: entries run in order, the stages of a parallel entry together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StageItem {
    One(Stage),
    Parallel(Vec<Stage>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stage {
    pub identifier: String,
    /// May hold expressions (SEED-06): resolved at stage start, for display only.
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    #[serde(default)]
    pub variables: Vec<Variable>,
    #[serde(default)]
    pub when: Option<When>,
    #[serde(default)]
    pub failure_strategies: Vec<FailureStrategy>,
    #[serde(default)]
    pub strategy: Option<Looping>,
    #[serde(default)]
    pub delegate_selectors: Option<Selectors>,
    #[serde(default)]
    pub timeout: Option<Field<Millis>>,
    /// `runMode: Manual`: waits this long for somebody to start it.
    #[serde(default)]
    pub manual_start: Option<Field<Millis>>,
    pub kind: StageKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "spec")]
pub enum StageKind {
    Deployment(Box<Deployment>),
    Approval(Execution),
    Custom(Execution),
    /// Kept, shown, and refused at run by this name: `CI`, `Pipeline`, `IACM`, ….
    Unsupported {
        name: String,
        spec: Json,
    },
}

impl Stage {
    /// The steps of a stage that has some.
    pub fn execution(&self) -> Option<&Execution> {
        match &self.kind {
            StageKind::Deployment(deployment) => Some(&deployment.execution),
            StageKind::Approval(execution) | StageKind::Custom(execution) => Some(execution),
            StageKind::Unsupported { .. } => None,
        }
    }

    /// The word of the document: `Deployment`.
    pub fn type_name(&self) -> &str {
        match &self.kind {
            StageKind::Deployment(_) => "Deployment",
            StageKind::Approval(_) => "Approval",
            StageKind::Custom(_) => "Custom",
            StageKind::Unsupported { name, .. } => name,
        }
    }
}
