use crate::Json;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VariableType {
    #[default]
    String,
    Number,
    /// The value is a scoped reference to a secret.
    Secret,
}

/// A variable of a pipeline, stage, step group or service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    pub name: String,
    #[serde(rename = "type", default)]
    pub kind: VariableType,
    /// Text with expressions or a runtime input (`<+input>…`), or a plain value. Numbers keep their source text.
    pub value: Json,
    /// The sibling key `default`, not the modifier `.default()`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
    #[serde(default)]
    pub required: bool,
    #[serde(default)]
    pub description: String,
}
