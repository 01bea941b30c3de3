//! Whether a trigger starts a run for an event, and why. Pure.

use super::conditions::{Bare, check, check_jexl};
use super::status;
use crate::Failure;
use windlass_diagnostic::Diagnostics;
use windlass_document::entity::{Condition, Trigger, TriggerSource};
use windlass_engine::TriggerContext;
use windlass_model::{Json, Timestamp};

/// Why a trigger starts nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: &'static str,
    pub(super) why: String,
}

impl Refused {
    pub(super) fn new(status: &'static str, why: impl Into<String>) -> Self {
        Self { status, why: why.into() }
    }

    /// The run that was wanted cannot start.
    pub(super) fn start(failure: &Failure) -> Self {
        let status = if failure.code == "RUN0001" { status::INVALID_INPUTS } else { status::DID_NOT_EXECUTE };
        let problems = one_line(&failure.problems);
        let why =
            if problems.is_empty() { failure.message.clone() } else { format!("{}: {problems}", failure.message) };
        Self { status, why }
    }
}

/// Problems as the log of events shows them.
pub(super) fn one_line(problems: &Diagnostics) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Everything that can be said without asking for anything: conditions, event and action.
pub(super) fn judge(trigger: &Trigger, event: &TriggerContext, now: Timestamp) -> Result<(), Refused> {
    if !trigger.enabled {
        return Err(Refused::new(status::NO_TRIGGER, "the trigger is switched off"));
    }
    match &trigger.source {
        TriggerSource::Custom { payload, headers, jexl } => conditions(payload, headers, jexl.as_deref(), event, now),
        TriggerSource::Github { event: wanted, actions, payload, headers, jexl, .. } => {
            action(wanted, actions, event)?;
            conditions(payload, headers, jexl.as_deref(), event, now)
        }
        TriggerSource::Unsupported { name } => {
            Err(Refused::new(status::NO_EVENT_MATCH, format!("triggers of type {name} do not fire yet")))
        }
    }
}

fn conditions(
    payload: &[Condition],
    headers: &[Condition],
    jexl: Option<&str>,
    event: &TriggerContext,
    now: Timestamp,
) -> Result<(), Refused> {
    check(payload, Bare::Payload, event, now).map_err(|why| Refused::new(status::NO_PAYLOAD_MATCH, why))?;
    check(headers, Bare::Header, event, now).map_err(|why| Refused::new(status::NO_HEADER_MATCH, why))?;
    match jexl.filter(|text| !text.trim().is_empty()) {
        Some(text) => check_jexl(text, event, now).map_err(|why| Refused::new(status::NO_JEXL_MATCH, why)),
        None => Ok(()),
    }
}

fn action(wanted: &str, actions: &[String], event: &TriggerContext) -> Result<(), Refused> {
    let property = |name: &str| event.properties.get(name).and_then(Json::as_str).unwrap_or_default();
    let kind = property("event");
    let same = matches!((wanted, kind), ("Push", "PUSH") | ("PullRequest", "PR"));
    if !same {
        return Err(Refused::new(status::NO_EVENT_MATCH, format!("the event is {kind}, and {wanted} is awaited")));
    }
    let action = property("action");
    if actions.is_empty() || wanted == "Push" || actions.iter().any(|a| a == action) {
        return Ok(());
    }
    let why = format!("the action is {action}, and one of {} is awaited", actions.join(", "));
    Err(Refused::new(status::NO_EVENT_MATCH, why))
}
