//! The first call of a worker: `POST /delegate-service/register` (kubernetes-deploy §4.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlass_model::Scope;
use windlass_model::id::DelegateId;

/// Who the worker is and what it can do. The delegate token travels in the `Authorization` header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    pub account: String,
    /// Instances with one name form a group.
    pub name: String,
    /// Besides the name, which is always a tag.
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub description: String,
    pub version: String,
    pub protocol: u32,
    /// Task types with the highest version understood.
    pub tasks: Vec<TaskSupport>,
    /// How many tasks at once.
    pub capacity: u32,
    /// Made by the process at start: the same instance that registers again keeps its id.
    pub instance: String,
    pub hostname: String,
    /// Ed25519, base64url: the token is bound to it.
    pub signing_key: String,
    /// X25519, base64url: secrets are sealed to it.
    pub sealing_key: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSupport {
    #[serde(rename = "type")]
    pub kind: String,
    pub version: u32,
}

/// Where the worker belongs. Decided by its token, told to the worker for its log.
pub type RegistrationScope = Scope;

/// What the server answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Registered {
    pub delegate: DelegateId,
    pub token: String,
    pub expires_in_seconds: u64,
    pub scope: RegistrationScope,
    pub server_version: String,
}
