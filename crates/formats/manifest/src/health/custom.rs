//! Kinds that only their authors know.

use super::{Cause, Look, Verdict};
use crate::Json;
use crate::well_known::{FAILED_WHEN, FAILURE, READY_WHEN, STEADY_STATE};

/// The language of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `${json.select("$..status.phase", response) == "Running"}`.
    Harness,
    Cel,
}

/// Evaluates the conditions that people write in annotations.
pub trait Conditions {
    /// Whether the condition holds for a live object.
    ///
    /// # Errors
    /// What is wrong with the expression, in one sentence.
    fn holds(&self, language: Language, expression: &str, object: &Json) -> Result<bool, String>;
}

/// The verdict of an object that has conditions in its annotations. They stand above every other rule.
pub(super) fn annotated(look: &Look<'_>, conditions: &dyn Conditions) -> Option<Verdict> {
    let annotation = |name| look.text(&["metadata", "annotations", name]).filter(|text| !text.trim().is_empty());
    let pick = |harness, cel| {
        let harness = annotation(harness).map(|text| (Language::Harness, harness, text));
        harness.or_else(|| annotation(cel).map(|text| (Language::Cel, cel, text)))
    };
    let (ready, failed) = (pick(STEADY_STATE, READY_WHEN), pick(FAILURE, FAILED_WHEN));
    if ready.is_none() && failed.is_none() {
        return None;
    }
    let name = look.name();
    let holds = |(language, annotation, text): (Language, &str, &str)| {
        conditions.holds(language, text, look.object).map_err(|problem| {
            Verdict::failed(Cause::Condition, format!("{name}: annotation {annotation} cannot be evaluated: {problem}"))
        })
    };
    match failed.map(holds) {
        Some(Err(verdict)) => return Some(verdict),
        Some(Ok(true)) => {
            return Some(Verdict::failed(Cause::Condition, format!("{name}: its failure condition is true")));
        }
        _ => {}
    }
    Some(match ready.map(holds) {
        Some(Err(verdict)) => verdict,
        Some(Ok(true)) => Verdict::ready(),
        Some(Ok(false)) => Verdict::progressing(format!("{name}: its steady state condition is not true yet")),
        None => assess(look),
    })
}

/// The common rules of well-behaved controllers (kstatus).
pub(super) fn assess(look: &Look<'_>) -> Verdict {
    let name = look.name();
    let has_status = look.object.get("status").and_then(Json::as_object).is_some_and(|status| !status.is_empty());
    if !has_status {
        return Verdict::ready();
    }
    if look.int(&["status", "observedGeneration"]).is_some()
        && let Some(waiting) = look.not_observed()
    {
        return waiting;
    }
    if let Some(stalled) = look.condition("Stalled").filter(|c| c.is("True")) {
        return Verdict::failed(Cause::Condition, format!("{name} is stalled: {}", stalled.why()));
    }
    if let Some(reconciling) = look.condition("Reconciling").filter(|c| c.is("True")) {
        return Verdict::progressing(format!("{name}: {}", reconciling.why()));
    }
    match look.condition("Ready") {
        Some(ready) if !ready.is("True") => Verdict::progressing(format!("{name} is not ready: {}", ready.why())),
        _ => Verdict::ready(),
    }
}
