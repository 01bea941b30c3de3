use super::Field;
use crate::Json;
use serde::{Deserialize, Serialize};

/// How a node multiplies (pipelines §4.6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Looping {
    pub kind: LoopKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<Field<u32>>,
    /// A condition for each instance, with the loop's variables bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    #[serde(default)]
    pub on_failure: OnLoopFailure,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum LoopKind {
    Parallelism {
        count: Field<u32>,
    },
    #[serde(rename_all = "camelCase")]
    Repeat {
        #[serde(default)]
        times: Option<Field<u32>>,
        /// A list, or an expression that gives one.
        #[serde(default)]
        items: Option<Json>,
        #[serde(default)]
        partition_size: Option<Field<u32>>,
    },
    #[serde(rename_all = "camelCase")]
    Matrix {
        /// In the order of the document: the last axis turns fastest.
        axes: Vec<Axis>,
        #[serde(default)]
        exclude: Vec<Json>,
        #[serde(default)]
        node_name: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    pub name: String,
    /// A list, or an expression that gives one.
    pub values: Json,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OnLoopFailure {
    #[default]
    RunAll,
    SkipQueued,
}
