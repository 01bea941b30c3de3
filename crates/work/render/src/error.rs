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
    /// Something this service wants is not done here.
    #[error("{0}")]
    Refused(String),
    /// The service does not fit together.
    #[error("{0}")]
    Service(String),
    /// Texts that cannot be filled in or read.
    #[error("{0}")]
    Content(#[from] Diagnostics),
}

impl RenderError {
    pub fn to_failure(&self) -> Failure {
        match self {
            Self::Fetch { source, .. } => {
                let mut failure = source.to_failure();
                failure.message = format!("{self}: {}", failure.message);
                failure
            }
            other => Failure::new(FailureType::ConfigurationFailure, other.to_string()),
        }
    }
}
