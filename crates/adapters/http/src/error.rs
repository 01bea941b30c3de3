use crate::address::Denied;
use crate::resolve::Unresolved;
use std::error::Error;
use windlass_model::{FailureType, Millis};

/// Why there is no answer. URLs in it are shown without user, password and query.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error(transparent)]
    Denied(Denied),
    /// The gate of a client did not let it through.
    #[error("{url}: {reason}")]
    Closed { url: String, reason: String },
    #[error("{url}: the name {host} cannot be resolved")]
    Name {
        url: String,
        host: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("{url}: the certificate is not accepted: {reason}")]
    Tls {
        url: String,
        reason: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("{url}: no connection")]
    Connect {
        url: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("{url}: no answer within {limit}")]
    Timeout { url: String, limit: Millis },
    #[error("{url}: redirected: {reason}")]
    Redirect { url: String, reason: String },
    #[error("{url}: the answer is longer than {limit} bytes")]
    TooLong { url: String, limit: usize },
    #[error("{url}: the connection broke")]
    Broken {
        url: String,
        #[source]
        source: reqwest::Error,
    },
}

/// Why a redirect was not followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RedirectRefused {
    #[error("more than {0} times")]
    TooMany(usize),
    #[error("from https to http")]
    Downgrade,
    #[error("to `{0}:`, which is not called")]
    Scheme(String),
    #[error("{0}")]
    Closed(String),
}

impl HttpError {
    /// The class that failure strategies match (kubernetes-deploy §2.9).
    pub fn failure_type(&self) -> FailureType {
        match self {
            Self::Timeout { .. } => FailureType::Timeout,
            Self::Denied(_) | Self::Closed { .. } | Self::Redirect { .. } | Self::TooLong { .. } => {
                FailureType::ConfigurationFailure
            }
            Self::Name { .. } | Self::Tls { .. } | Self::Connect { .. } | Self::Broken { .. } => {
                FailureType::Connectivity
            }
        }
    }

    /// Whether the same call may succeed a moment later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Name { .. } | Self::Connect { .. } | Self::Timeout { .. } | Self::Broken { .. })
    }

    pub(crate) fn from_reqwest(error: reqwest::Error, url: String, connect: Millis) -> Self {
        let error = error.without_url();
        if let Some(denied) = cause::<Denied>(&error) {
            return Self::Denied(denied.clone());
        }
        if let Some(refused) = cause::<RedirectRefused>(&error) {
            return Self::Redirect { url, reason: refused.to_string() };
        }
        if let Some(unresolved) = cause::<Unresolved>(&error) {
            return Self::Name { url, host: unresolved.host.clone(), source: error };
        }
        if let Some(reason) = cause::<rustls::Error>(&error).map(ToString::to_string) {
            return Self::Tls { url, reason, source: error };
        }
        match () {
            () if error.is_timeout() => Self::Timeout { url, limit: connect },
            () if error.is_connect() => Self::Connect { url, source: error },
            () => Self::Broken { url, source: error },
        }
    }
}

/// The first cause of a type. Errors of input and output hide theirs one level deeper.
fn cause<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        };
    }
    None
}
