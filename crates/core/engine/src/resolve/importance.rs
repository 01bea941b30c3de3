//! Which fields may do without a value (pipelines §3.9).

/// What it means for a field when an expression in it leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Importance {
    /// References, namespaces, numbers, policy payloads: the node fails.
    Required,
    /// Scripts, messages, bodies: `null` is spliced in, with a warning.
    Free,
    /// The field counts as absent.
    Optional,
    /// Evaluated later, with what the step found.
    Later,
}

impl Importance {
    /// Of a field of a step's spec, by the names on its way; numbers of list items are left out.
    pub(crate) fn of(step: &str, path: &[&str]) -> Self {
        match (step, path) {
            ("ShellScript", ["source", "spec", "script"] | ["environmentVariables", "value"]) => Self::Free,
            ("Http", ["requestBody"] | ["headers", "value"] | ["inputVariables", "value"]) => Self::Free,
            ("Http", ["assertion"] | ["outputVariables", ..]) => Self::Later,
            ("HarnessApproval", ["approvalMessage"]) => Self::Free,
            ("HarnessApproval", ["approverInputs", "defaultValue" | "description" | "label"]) => Self::Free,
            ("HarnessApproval", ["callbackId"] | ["autoApproval", "comments"]) => Self::Optional,
            ("Verify", ["spec", "deploymentTag"] | ["deploymentTag"] | ["configurableProperties", ..]) => {
                Self::Optional
            }
            _ => Self::Required,
        }
    }
}
