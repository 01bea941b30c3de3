use windlass_diagnostic::Diagnostics;
use windlass_git::GitError;
use windlass_model::failure::{Failure, FailureType};

/// Why a service has no manifests.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    #[error("cannot fetch `{manifest}`")]
    Fetch {
        /// The identifier of the manifest or values entry.
        manifest: String,
        #[source]
        source: GitError,
    },
    #[error("`{manifest}` has no file {path}{}", near(.nearest))]
    NoFile { manifest: String, path: String, nearest: Option<String> },
    /// Something this service wants is not done here.
    #[error("{0}")]
    Refused(String),
    /// The service does not fit together.
    #[error("{0}")]
    Service(String),
    /// The delegate shuts down.
    #[error("rendering was interrupted")]
    Interrupted,
    /// Texts that cannot be filled in or read.
    #[error("{0}")]
    Content(#[from] Diagnostics),
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|near| format!("; there is {near}")).unwrap_or_default()
}

impl RenderError {
    /// Whether all that is wrong is that a file is not there.
    pub(crate) fn is_absent_file(&self) -> bool {
        matches!(self, Self::NoFile { .. } | Self::Fetch { source: GitError::NoSuchPath { .. }, .. })
    }

    pub fn to_failure(&self) -> Failure {
        match self {
            Self::Fetch { source, .. } => {
                let mut failure = source.to_failure();
                failure.message = format!("{self}: {}", failure.message);
                failure
            }
            Self::Interrupted => Failure::new(FailureType::InfrastructureFailure, self.to_string()),
            Self::Refused(_) => Failure::new(FailureType::ConfigurationFailure, self.to_string()).hint(
                "deploy plain manifests (K8sManifest), rendered beforehand where they come from a chart or overlay",
            ),
            other => Failure::new(FailureType::ConfigurationFailure, other.to_string()),
        }
    }
}
