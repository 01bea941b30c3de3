//! How a step ends.

use crate::release::RecordError;
use windlass_cluster::{ClusterError, ConnectError, Json, LeaseError};
use windlass_diagnostic::Diagnostics;
use windlass_model::failure::{Failure, FailureType};
use windlass_render::RenderError;

/// A step that did what was asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Done {
    Succeeded(Json),
    /// There was nothing to do, and why.
    Skipped(String, Json),
}

/// A step that could not go on, and what it knew by then.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    pub failure: Failure,
    pub output: Json,
}

pub(crate) type Step<T> = Result<T, Box<Stop>>;

impl Stop {
    pub(crate) fn new(failure: Failure, output: Json) -> Box<Self> {
        Box::new(Self { failure, output })
    }

    /// Something in the configuration that only its author can mend.
    pub(crate) fn configuration(message: impl Into<String>) -> Box<Self> {
        Failure::new(FailureType::ConfigurationFailure, message).into()
    }

    #[must_use]
    pub(crate) fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.failure = self.failure.hint(hint);
        self
    }

    /// Adds to what is told: steps put what they had done by then beside the cause.
    #[must_use]
    pub(crate) fn with(mut self: Box<Self>, output: Json) -> Box<Self> {
        match (&mut self.output, output) {
            (Json::Object(own), Json::Object(more)) => {
                for (name, value) in more {
                    own.entry(name).or_insert(value);
                }
            }
            (own, more) => {
                if own.is_null() {
                    *own = more;
                }
            }
        }
        self
    }
}

impl From<Failure> for Box<Stop> {
    fn from(failure: Failure) -> Self {
        Stop::new(failure, Json::Null)
    }
}

impl From<ClusterError> for Box<Stop> {
    fn from(error: ClusterError) -> Self {
        error.to_failure().into()
    }
}

impl From<ConnectError> for Box<Stop> {
    fn from(error: ConnectError) -> Self {
        error.to_failure().into()
    }
}

impl From<RecordError> for Box<Stop> {
    fn from(error: RecordError) -> Self {
        error.to_failure().into()
    }
}

impl From<RenderError> for Box<Stop> {
    fn from(error: RenderError) -> Self {
        error.to_failure().into()
    }
}

impl From<Diagnostics> for Box<Stop> {
    fn from(problems: Diagnostics) -> Self {
        Stop::configuration(problems.to_string())
    }
}

impl From<LeaseError> for Box<Stop> {
    fn from(error: LeaseError) -> Self {
        match error {
            LeaseError::Cluster(error) => error.into(),
            LeaseError::HandedOn { .. } => Failure::new(FailureType::DelegateRestart, error.to_string()).into(),
        }
    }
}
