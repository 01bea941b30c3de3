//! What the engine refuses, as people and programs hear it.

use crate::{Failure, FailureKind};
use windlass_engine::Refusal;

/// `code` is that of the operation that was refused.
pub(crate) fn failure(code: &'static str, refusal: Refusal) -> Failure {
    let text = refusal.to_string();
    match refusal {
        Refusal::Invalid { problems } => {
            Failure::problems(code, "this does not satisfy what is asked for", problems.into_iter().collect())
        }
        Refusal::NotAllowed { .. } => Failure::new(FailureKind::Denied, code, text),
        Refusal::NoSuchNode { .. } | Refusal::NotStarted => Failure::new(FailureKind::NotFound, code, text),
        Refusal::Stale { .. } | Refusal::Ended { .. } | Refusal::AlreadyStarted => Failure::conflict(code, text),
        Refusal::NotPossible { .. } | Refusal::TooEarly { .. } => Failure::invalid(code, text),
    }
}
