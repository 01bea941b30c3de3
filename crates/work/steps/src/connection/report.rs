//! What a test found, in the words of kubernetes-deploy §6.3.

use crate::answer::chain;
use serde_json::json;
use std::fmt;
use windlass_http::HttpError;
use windlass_model::{Failure, Json, Timestamp};

/// At which point the way to the target ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    Dns,
    Tcp,
    Tls,
    /// Who we are is not accepted.
    Auth,
    /// Who we are may not do this.
    Permission,
    NotFound,
    RateLimit,
    /// Something answers that is not what the connector is for.
    Protocol,
    /// The connector itself is not written correctly.
    Configuration,
}

impl Reason {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Auth => "auth",
            Self::Permission => "permission",
            Self::NotFound => "not-found",
            Self::RateLimit => "rate-limit",
            Self::Protocol => "protocol",
            Self::Configuration => "configuration",
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Dns => "check the host name in the connector, from the delegate's network",
            Self::Tcp => "check the address in the connector and the firewall between delegate and target",
            Self::Tls => "give the delegate the certificate authority that signed the target's certificate",
            Self::Auth => "check user, password or token of the connector: they may have expired",
            Self::Permission => "grant the connector's identity the right it lacks",
            Self::NotFound => "check the path in the connector's URL",
            Self::RateLimit => "wait, or sign in: the target limits how often it is asked",
            Self::Protocol => "check that the URL belongs to a target of this type",
            Self::Configuration => "correct the connector",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A connector that works, and what was learnt about its target.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// For the log: `registry answers, signed in as bot`.
    pub summary: String,
    /// For people and programs; no secrets.
    pub details: Json,
    /// What works and could be better.
    pub warnings: Vec<String>,
}

impl Finding {
    pub fn new(summary: impl Into<String>, details: Json) -> Self {
        Self { summary: summary.into(), details, warnings: Vec::new() }
    }
}

/// A connector that does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub reason: Reason,
    /// Holds no secret.
    pub message: String,
    pub hint: String,
}

impl Problem {
    /// With the usual hint of the reason.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), hint: reason.hint().to_owned() }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// With the words of a failure.
    pub(super) fn of(reason: Reason, failure: Failure) -> Self {
        let hint = failure.hints.into_iter().next().unwrap_or_else(|| reason.hint().to_owned());
        Self { reason, message: failure.message, hint }
    }

    /// Why there is no answer.
    pub(super) fn unreachable(error: &HttpError) -> Self {
        let reason = match error {
            HttpError::Name { .. } => Reason::Dns,
            HttpError::Tls { .. } => Reason::Tls,
            HttpError::Connect { .. } | HttpError::Timeout { .. } | HttpError::Broken { .. } => Reason::Tcp,
            HttpError::Denied(_) => {
                let hint = "have the delegate's operator allow this address, or use another one";
                return Self::new(Reason::Configuration, chain(error)).hint(hint);
            }
            HttpError::Closed { .. } | HttpError::Redirect { .. } | HttpError::TooLong { .. } => Reason::Protocol,
        };
        Self::new(reason, chain(error))
    }

    /// What a status says that is not a success.
    pub(super) fn status(what: &str, status: u16) -> Self {
        let reason = match status {
            401 => Reason::Auth,
            403 => Reason::Permission,
            404 => Reason::NotFound,
            429 => Reason::RateLimit,
            502..=504 => Reason::Tcp,
            _ => Reason::Protocol,
        };
        Self::new(reason, format!("{what} answered with status {status}"))
    }
}

/// The output of the task.
pub(super) fn output(found: &Result<Finding, Problem>, tested_at: Timestamp) -> Json {
    match found {
        Ok(finding) => json!({
            "status": "SUCCESS",
            "errors": [],
            "errorSummary": "",
            "testedAt": tested_at.millis(),
            "details": finding.details,
            "warnings": finding.warnings,
        }),
        Err(problem) => json!({
            "status": "FAILURE",
            "errors": [{"reason": problem.reason.name(), "message": problem.message, "hint": problem.hint}],
            "errorSummary": format!("{} ({})", problem.message, problem.reason),
            "testedAt": tested_at.millis(),
        }),
    }
}
