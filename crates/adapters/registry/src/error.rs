use windlass_http::HttpError;
use windlass_model::{Failure, FailureType};

/// Why there is no chart.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("`{url}` is not the address of a repository: {problem}")]
    Address { url: String, problem: &'static str },
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("{url} answered with status {status}")]
    Status { url: String, status: u16 },
    #[error("{url} wants user and password, and there are none for it")]
    Anonymous { url: String },
    #[error("{url} does not accept the user or the password (status {status})")]
    Refused { url: String, status: u16 },
    #[error("{url} has no chart `{name}`{}", near(.nearest))]
    NoChart { url: String, name: String, nearest: Option<String> },
    #[error("{url} has no version `{wanted}` of `{name}`{}", near(.nearest))]
    NoVersion { url: String, name: String, wanted: String, nearest: Option<String> },
    /// Something answers that is no repository.
    #[error("{url}: {problem}")]
    Protocol { url: String, problem: String },
    #[error("{url}: the bytes that came are {found}, not {wanted}")]
    Digest { url: String, wanted: String, found: String },
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|near| format!("; there is {near}")).unwrap_or_default()
}

impl RegistryError {
    pub fn failure_type(&self) -> FailureType {
        match self {
            Self::Http(error) => error.failure_type(),
            Self::Anonymous { .. } | Self::Refused { status: 401, .. } => FailureType::Authentication,
            Self::Refused { .. } => FailureType::Authorization,
            Self::Status { status: 429 | 500.., .. } => FailureType::Connectivity,
            _ => FailureType::ConfigurationFailure,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Address { .. } => "write https://host/path for a Helm repository, oci://host/path for a registry",
            Self::Http(HttpError::Denied(_)) => {
                "have the operator of the delegate allow this address, or use another one"
            }
            Self::Http(HttpError::TooLong { .. }) => "publish a smaller chart, or an index with fewer versions",
            Self::Http(HttpError::Tls { .. }) => "give the certificate authority that signed the server's certificate",
            Self::Http(_) => "check the address, and the way there from this network",
            Self::Anonymous { .. } | Self::Refused { .. } => {
                "check user and password (of the connector, and its secret), and what that user may read"
            }
            Self::Status { status: 404, .. } => {
                "check the path: a Helm repository has an index.yaml, a registry the API /v2/"
            }
            Self::Status { .. } => "see what is wrong with the repository, and try again",
            Self::NoChart { .. } | Self::NoVersion { .. } => "check the chart's name and version",
            Self::Protocol { .. } => "check that the address belongs to a repository of charts",
            Self::Digest { .. } => {
                "somebody has published other bytes under this version: publish a new version instead"
            }
        }
    }

    /// The error and what is behind it, as one sentence.
    pub fn sentence(&self) -> String {
        let mut text = self.to_string();
        let mut next = std::error::Error::source(self);
        while let Some(cause) = next {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                text = format!("{text}: {cause_text}");
            }
            next = cause.source();
        }
        text
    }

    pub fn to_failure(&self) -> Failure {
        Failure::new(self.failure_type(), self.sentence()).hint(self.hint())
    }
}
