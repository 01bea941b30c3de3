//! Secrets on their way to a worker: tokens in the text, and beside it where each comes from.
//!
//! A token holds a nonce that the server draws for each task, so text that came from outside (a webhook's payload, an
//! approver's words) cannot forge one.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Secrets {
    /// Part of every token of this task.
    pub nonce: String,
    #[serde(default)]
    pub bindings: Vec<SecretBinding>,
    /// To what the worker seals secrets that the work makes. Filled in at assignment, for work that makes some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_key: Option<String>,
}

/// A secret that a step made, sealed to the server: ciphertext, which events and queues may hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SealedOutput {
    /// The id of the server's key; the other two in base64.
    pub key: String,
    pub encapsulated_key: String,
    pub ciphertext: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretBinding {
    /// As in the token: `project:default/platform/github_pat`, fully qualified.
    pub reference: String,
    pub source: SecretSource,
}

/// Where the worker finds the clear text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum SecretSource {
    /// Filled in at assignment: until then the value is not part of any stored or queued task.
    Pending,
    /// From the built-in store, sealed to the worker's key (HPKE; both base64).
    #[serde(rename_all = "camelCase")]
    Sealed { encapsulated_key: String, ciphertext: String },
    /// Made by an earlier step. At assignment it becomes `Sealed`: workers never see this.
    Output { value: SealedOutput },
    /// A file on the worker, below the folder its operator allows.
    File { path: String },
    /// An environment variable of the worker, with the prefix its operator allows.
    Environment { variable: String },
}

/// What references to secrets that steps made begin with: `output:<node>.<variable>`.
pub const OUTPUT_REFERENCE: &str = "output:";

impl Secrets {
    /// The text that stands for a secret until the worker replaces it.
    pub fn token(&self, reference: &str) -> String {
        format!("${{windlass-secret:{}:{reference}}}", self.nonce)
    }
}
