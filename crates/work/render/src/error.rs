use crate::provenance::ProvenanceError;
use windlass_diagnostic::Diagnostics;
use windlass_git::GitError;
use windlass_helm::HelmError;
use windlass_kustomize::KustomizeError;
use windlass_model::failure::{Failure, FailureType};
use windlass_registry::RegistryError;

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
    #[error("cannot fetch the chart of `{manifest}`")]
    Chart {
        manifest: String,
        #[source]
        source: RegistryError,
    },
    #[error(transparent)]
    Provenance(#[from] ProvenanceError),
    #[error("cannot render the chart {chart}")]
    Helm {
        chart: String,
        #[source]
        source: Box<HelmError>,
    },
    #[error("cannot build the kustomization of `{manifest}`")]
    Kustomize {
        manifest: String,
        #[source]
        source: Box<KustomizeError>,
    },
    #[error("`{manifest}` has no file {path}{}", near(.nearest))]
    NoFile { manifest: String, path: String, nearest: Option<String> },
    /// Something this service wants is not done here.
    #[error("{what}")]
    Refused { what: String, hint: &'static str },
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

/// An error and what is behind it, as one sentence.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
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
            Self::Chart { source, .. } => {
                let mut failure = source.to_failure();
                failure.message = format!("{self}: {}", failure.message);
                failure
            }
            Self::Interrupted => Failure::new(FailureType::InfrastructureFailure, self.to_string()),
            Self::Refused { hint, .. } => Failure::new(FailureType::ConfigurationFailure, self.to_string()).hint(*hint),
            other => Failure::new(FailureType::ConfigurationFailure, chain(other)),
        }
    }
}
