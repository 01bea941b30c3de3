//! Why a call to a cluster failed, in the words of failure strategies (kubernetes-deploy §2.9).

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use windlass_model::Millis;
use windlass_model::failure::{Failure, FailureType};

type BoxError = Box<dyn Error + Send + Sync>;

/// A call that failed after all its repetitions.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The API server answered, and said no.
    #[error("{cluster}: cannot {doing}: {refusal}")]
    Refused { cluster: Arc<str>, doing: String, refusal: Box<Refusal> },
    /// No answer came.
    #[error("{cluster}: cannot {doing}: {reach}")]
    Unreachable {
        cluster: Arc<str>,
        doing: String,
        reach: Reach,
        #[source]
        source: BoxError,
    },
    /// An answer came that is not one of a Kubernetes API server.
    #[error("{cluster}: cannot {doing}: the answer is not one of a Kubernetes API server")]
    Answer {
        cluster: Arc<str>,
        doing: String,
        #[source]
        source: BoxError,
    },
    /// Discovery does not list the kind.
    #[error("{cluster} does not serve {kind}{}", others(.served))]
    UnknownKind {
        cluster: Arc<str>,
        kind: String,
        /// The same kind in other versions or groups.
        served: Vec<String>,
    },
    /// Whoever called may not write any more.
    #[error("{cluster}: did not {doing}: {source}")]
    Fenced {
        cluster: Arc<str>,
        doing: String,
        #[source]
        source: crate::FenceError,
    },
}

fn others(served: &[String]) -> String {
    if served.is_empty() { String::new() } else { format!("; it serves {}", served.join(", ")) }
}

/// The answer of an API server that did not do what was asked (`Status`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    /// As Kubernetes names it: `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, …
    pub reason: String,
    pub message: String,
    pub causes: Vec<Cause>,
    /// When the server wants to be asked again.
    pub retry_after: Option<Millis>,
}

/// One reason of a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// `spec.template.spec.containers[0].image`
    pub field: String,
    pub reason: String,
    pub message: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() { write!(f, "HTTP {}", self.status) } else { f.write_str(&self.message) }
    }
}

/// At which point the way to the server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    Dns,
    Tcp,
    Tls,
    Timeout,
    /// The connection broke in the middle.
    Broken,
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns => "the server's name cannot be resolved",
            Self::Tcp => "the server cannot be reached",
            Self::Tls => "no secure connection with the server",
            Self::Timeout => "the server did not answer in time",
            Self::Broken => "the connection broke",
        })
    }
}

impl Reach {
    /// Finds the point in a chain of errors. Libraries tell it in words only.
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Self {
        let text = chain(error).to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if has(&["dns", "failed to lookup", "name or service not known", "name resolution"]) {
            Self::Dns
        } else if has(&["certificate", "tls", "handshake", "invalidcertificate", "unknownissuer"]) {
            Self::Tls
        } else if has(&["timed out", "deadline has elapsed", "timeout"]) {
            Self::Timeout
        } else if has(&["connect", "refused", "unreachable", "no route"]) {
            Self::Tcp
        } else {
            Self::Broken
        }
    }
}

/// An error and what is behind it, as one sentence; a text that its source repeats is told once.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

impl ClusterError {
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused { refusal, .. } => Some(refusal),
            _ => None,
        }
    }

    fn has(&self, status: u16, reason: &str) -> bool {
        self.refusal().is_some_and(|refusal| refusal.status == status && refusal.reason == reason)
    }

    pub fn is_not_found(&self) -> bool {
        self.refusal().is_some_and(|refusal| refusal.status == 404)
    }

    pub fn is_forbidden(&self) -> bool {
        self.refusal().is_some_and(|refusal| refusal.status == 403)
    }

    pub fn is_already_there(&self) -> bool {
        self.has(409, "AlreadyExists")
    }

    /// Somebody else changed the object, or a precondition does not hold.
    pub fn is_conflict(&self) -> bool {
        self.has(409, "Conflict")
    }

    /// The revision is too old for a watch or a page.
    pub fn is_expired(&self) -> bool {
        self.refusal().is_some_and(|refusal| refusal.status == 410)
    }

    /// The fields that cannot be changed. Nothing when this is another error.
    pub fn immutable_fields(&self) -> Option<Vec<String>> {
        let refusal = self.refusal().filter(|refusal| matches!(refusal.status, 409 | 422))?;
        let immutable = |text: &str| {
            let text = text.to_lowercase();
            text.contains("immutable") || text.contains("updates to statefulset spec for fields other than")
        };
        let fields: Vec<String> =
            refusal.causes.iter().filter(|c| immutable(&c.message)).map(|c| c.field.clone()).collect();
        (!fields.is_empty() || immutable(&refusal.message)).then_some(fields)
    }

    pub fn failure_type(&self) -> FailureType {
        match self {
            Self::Unreachable { .. } | Self::Answer { .. } => FailureType::Connectivity,
            Self::UnknownKind { .. } => FailureType::ConfigurationFailure,
            Self::Fenced { .. } => FailureType::DelegateRestart,
            Self::Refused { refusal, .. } => refusal.failure_type(),
        }
    }

    /// The failure of a step that could not go on.
    pub fn to_failure(&self) -> Failure {
        let mut failure = Failure::new(self.failure_type(), chain(self));
        if let Some(hint) = self.hint() {
            failure = failure.hint(hint);
        }
        failure
    }

    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Unreachable { reach, .. } => match reach {
                Reach::Dns => "check the host name in the connector, from the delegate's network",
                Reach::Tcp => "check the address in the connector and the firewall between delegate and API server",
                Reach::Tls => "check the CA certificate of the connector",
                Reach::Timeout | Reach::Broken => "the API server or a proxy in front of it may be overloaded; retry",
            },
            Self::Refused { refusal, .. } => match refusal.failure_type() {
                FailureType::Authentication => "check the credentials of the connector: they may have expired",
                FailureType::Authorization => "grant the identity of the connector this right in the namespace",
                FailureType::ResourceLimitsFailure => "raise the quota of the namespace, or ask for less",
                _ => return None,
            },
            Self::UnknownKind { .. } => "install the CustomResourceDefinition, or correct apiVersion and kind",
            _ => return None,
        })
    }
}

impl Refusal {
    pub fn failure_type(&self) -> FailureType {
        match self.status {
            401 => FailureType::Authentication,
            403 if self.message.contains("exceeded quota") => FailureType::ResourceLimitsFailure,
            403 => FailureType::Authorization,
            408 | 409 | 410 | 429 => FailureType::RetryableTransientFailure,
            500 if self.message.contains("leader changed") => FailureType::RetryableTransientFailure,
            500.. => FailureType::Connectivity,
            _ => FailureType::ConfigurationFailure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, reason: &str, message: &str, field: &str) -> ClusterError {
        let causes = if field.is_empty() {
            Vec::new()
        } else {
            vec![Cause { field: field.into(), reason: "FieldValueInvalid".into(), message: message.into() }]
        };
        let refusal = Refusal { status, reason: reason.into(), message: message.into(), causes, retry_after: None };
        ClusterError::Refused {
            cluster: "prod".into(),
            doing: "apply shop/Deployment/web".into(),
            refusal: Box::new(refusal),
        }
    }

    #[test]
    fn answers_become_failure_types() {
        use FailureType as F;
        for (status, message, wanted) in [
            (401, "Unauthorized", F::Authentication),
            (403, "deployments.apps is forbidden", F::Authorization),
            (403, "pods \"x\" is forbidden: exceeded quota: q", F::ResourceLimitsFailure),
            (404, "namespaces \"x\" not found", F::ConfigurationFailure),
            (409, "the object has been modified", F::RetryableTransientFailure),
            (422, "spec.x: Invalid value", F::ConfigurationFailure),
            (429, "too many requests", F::RetryableTransientFailure),
            (500, "etcdserver: leader changed", F::RetryableTransientFailure),
            (503, "unavailable", F::Connectivity),
        ] {
            assert_eq!(refused(status, "", message, "").failure_type(), wanted, "{status} {message}");
        }
    }

    #[test]
    fn immutable_fields_are_named() {
        let error = refused(422, "Invalid", "Invalid value: field is immutable", "spec.selector");
        assert_eq!(error.immutable_fields(), Some(vec!["spec.selector".to_owned()]));
        assert_eq!(refused(422, "Invalid", "must be positive", "spec.replicas").immutable_fields(), None);
        assert_eq!(refused(403, "Forbidden", "immutable", "").immutable_fields(), None);
    }

    #[test]
    fn a_failure_tells_place_reason_and_remedy() {
        let failure = refused(403, "Forbidden", "no right to patch deployments", "").to_failure();
        assert_eq!(failure.message, "prod: cannot apply shop/Deployment/web: no right to patch deployments");
        assert_eq!(failure.hints, ["grant the identity of the connector this right in the namespace"]);
    }
}
