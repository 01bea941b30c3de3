use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A script on the worker (pipelines §6.3 ShellScript).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShellWork {
    pub shell: Shell,
    pub script: String,
    /// Given through the environment, never through the command line.
    pub environment: BTreeMap<String, String>,
    /// Read at the end of the script.
    pub outputs: Vec<ShellOutput>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shell {
    #[default]
    Bash,
    PowerShell,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShellOutput {
    pub name: String,
    /// The shell variable that holds it.
    pub variable: String,
    /// Masked everywhere, and sealed to the server before it leaves the worker.
    pub secret: bool,
}
