//! A pipeline as it was written, parsed: every expression still verbatim (pipelines §1.4, §4).
//!
//! Built by the document reader, walked by the engine. Serialisable, as a run keeps the pipeline that it started with.

mod deployment;
mod failure_strategy;
mod field;
mod looping;
mod stage;
mod step;
mod variable;
mod when;

pub use deployment::{Deployment, EnvironmentUse, InfrastructureUse, ServiceUse};
pub use failure_strategy::{Action, ErrorMatch, FailureStrategy};
pub use field::Field;
pub use looping::{Axis, LoopKind, Looping, OnLoopFailure};
pub use stage::{Stage, StageItem, StageKind};
pub use step::{Execution, Step, StepGroup, StepNode};
pub use variable::{Variable, VariableType};
pub use when::{RunWhen, When};

use crate::time::Millis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A list of delegate tags, or one expression that gives such a list.
pub type Selectors = Field<Vec<String>>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pipeline {
    pub identifier: String,
    pub name: String,
    pub org: String,
    pub project: String,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    #[serde(default)]
    pub variables: Vec<Variable>,
    pub stages: Vec<StageItem>,
    /// Barriers by identifier, with their names.
    #[serde(default)]
    pub barriers: BTreeMap<String, String>,
    #[serde(default)]
    pub notification_rules: Vec<crate::Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate_selectors: Option<Selectors>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Field<Millis>>,
    #[serde(default)]
    pub allow_stage_executions: bool,
    #[serde(default)]
    pub fixed_inputs_on_rerun: bool,
}

impl Pipeline {
    /// Every stage, those inside parallel blocks included, in document order.
    pub fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.stages.iter().flat_map(|item| match item {
            StageItem::One(stage) => std::slice::from_ref(stage).iter(),
            StageItem::Parallel(stages) => stages.iter(),
        })
    }
}
