//! The ends that all handlers have in common.

use std::error::Error;
use windlass_http::HttpError;
use windlass_model::task::{Outcome, Task};
use windlass_model::{Failure, FailureType, Json};

pub(crate) fn failed(failure: Failure) -> Outcome {
    Outcome::Failed { failure, output: Json::Null }
}

pub(crate) fn aborted(done: impl Into<String>) -> Outcome {
    Outcome::Aborted { done: done.into() }
}

/// A task came to a handler that did not announce its type.
pub(crate) fn misdirected(handler: &str, task: &Task) -> Outcome {
    let kind = task.work.type_name();
    let text = format!("a task of type `{kind}` was given to the handler of `{handler}`");
    failed(Failure::new(FailureType::DelegateProvisioning, text))
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

/// No answer came: `Connectivity`, whatever else it is (pipelines §6.3).
pub(crate) fn unreachable(error: &HttpError) -> Failure {
    let failure = Failure::new(error.failure_type(), chain(error));
    match error {
        HttpError::Denied(_) => failure.hint("have the delegate's operator allow this address, or call another one"),
        HttpError::Closed { .. } | HttpError::Redirect { .. } | HttpError::TooLong { .. } => failure,
        HttpError::Name { .. } => failure.hint("check the host name from the delegate's network"),
        HttpError::Tls { .. } => {
            failure.hint("give the delegate the certificate authority that signed the server's certificate")
        }
        HttpError::Connect { .. } | HttpError::Broken { .. } => {
            failure.hint("check address, port and firewall between the delegate and the server")
        }
        HttpError::Timeout { .. } => {
            failure.also(FailureType::Connectivity).hint("see whether the server is overloaded")
        }
    }
}
