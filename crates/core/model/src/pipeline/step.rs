use super::{FailureStrategy, Field, Looping, Selectors, Variable, When};
use crate::Json;
use crate::time::Millis;
use serde::{Deserialize, Serialize};

/// The steps of a stage, and those that undo them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Execution {
    pub steps: Vec<StepNode>,
    #[serde(default)]
    pub rollback_steps: Vec<StepNode>,
}

/// An entry of a step list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepNode {
    Step(Box<Step>),
    Group(Box<StepGroup>),
    Parallel(Vec<StepNode>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    pub identifier: String,
    pub name: String,
    /// The word of the document: `K8sRollingDeploy`.
    #[serde(rename = "type")]
    pub kind: String,
    /// As written, expressions verbatim; `{}` when the author left it out (SEED-08).
    pub spec: Json,
    #[serde(default)]
    pub timeout: Option<Field<Millis>>,
    #[serde(default)]
    pub when: Option<When>,
    #[serde(default)]
    pub failure_strategies: Vec<FailureStrategy>,
    #[serde(default)]
    pub strategy: Option<Looping>,
    /// From the step or its spec.
    #[serde(default)]
    pub delegate_selectors: Option<Selectors>,
    /// Policy sets that judge the resolved step.
    #[serde(default)]
    pub enforce: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepGroup {
    pub identifier: String,
    pub name: String,
    pub steps: Vec<StepNode>,
    #[serde(default)]
    pub rollback_steps: Vec<StepNode>,
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
    /// `stepGroupInfra`: the steps run in a pod. Kept; refused at run until containerised groups exist.
    #[serde(default)]
    pub infrastructure: Option<Json>,
}

impl Step {
    /// Every step below these nodes, in document order, with the groups left out.
    pub fn all(nodes: &[StepNode]) -> Vec<&Step> {
        let mut found = Vec::new();
        for node in nodes {
            match node {
                StepNode::Step(step) => found.push(step.as_ref()),
                StepNode::Group(group) => found.extend(Self::all(&group.steps)),
                StepNode::Parallel(nodes) => found.extend(Self::all(nodes)),
            }
        }
        found
    }
}
