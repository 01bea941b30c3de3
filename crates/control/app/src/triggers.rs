//! Triggers: payloads come in, are stored, answered, and then matched (pipelines §7).
//!
//! A payload is stored together with the effect that matches it, so that one that was acknowledged is never lost: whoever performs
//! effects finds it after a crash. What each trigger made of it is stored in the transaction that starts the run: an event that is
//! matched twice starts no second run.

mod conditions;
mod custom;
mod delivery;
mod events;
mod github;
mod judge;
mod launch;
mod process;
mod receive;
mod rehearse;
mod signature;
mod stored;
mod token;

pub use events::{EventRow, OutcomeRow};
pub use receive::{Address, Received};
pub use rehearse::{Rehearsal, RehearsalRequest};
pub use token::WebhookKey;

pub(crate) use launch::service_account;
pub(crate) use process::{EFFECT, process};
pub(crate) use token::on_save;

/// Names what a newer event of the same pull request or branch replaces: a label of runs, and below `<+trigger>`.
pub(crate) const ABORT_KEY: &str = "abortKey";

/// Where the processing of an event stands (pipelines §7.2).
pub mod status {
    pub const QUEUED: &str = "QUEUED";
    pub const REQUESTED: &str = "TARGET_EXECUTION_REQUESTED";
    pub const DID_NOT_EXECUTE: &str = "TARGET_DID_NOT_EXECUTE";
    pub const NO_TRIGGER: &str = "NO_ENABLED_TRIGGER_FOUND";
    pub const NO_PAYLOAD_MATCH: &str = "NO_MATCHING_TRIGGER_FOR_PAYLOAD_CONDITIONS";
    pub const NO_HEADER_MATCH: &str = "NO_MATCHING_TRIGGER_FOR_HEADER_CONDITIONS";
    pub const NO_JEXL_MATCH: &str = "NO_MATCHING_TRIGGER_FOR_JEXL_CONDITIONS";
    pub const NO_EVENT_MATCH: &str = "NO_MATCHING_TRIGGER_FOR_EVENT_ACTION";
    pub const NO_REPO_MATCH: &str = "NO_MATCHING_TRIGGER_FOR_REPO";
    pub const INVALID_PAYLOAD: &str = "INVALID_PAYLOAD";
    pub const INVALID_INPUTS: &str = "INVALID_RUNTIME_INPUT_YAML";
    pub const NOT_AUTHENTICATED: &str = "TRIGGER_AUTHENTICATION_FAILED";
    pub const EXCEPTION: &str = "EXCEPTION_WHILE_PROCESSING";

    /// How near to a run an event came: of several triggers the nearest speaks for the event.
    pub(super) fn nearness(status: &str) -> usize {
        const ORDER: &[&str] = &[
            NO_TRIGGER,
            NO_REPO_MATCH,
            NOT_AUTHENTICATED,
            INVALID_PAYLOAD,
            NO_EVENT_MATCH,
            NO_PAYLOAD_MATCH,
            NO_HEADER_MATCH,
            NO_JEXL_MATCH,
            EXCEPTION,
            INVALID_INPUTS,
            DID_NOT_EXECUTE,
            REQUESTED,
        ];
        ORDER.iter().position(|known| *known == status).unwrap_or_default()
    }
}
