//! Names that follow from a run and a node attempt: whoever performs an effect twice makes one thing.

use crate::fresh::derived;
use windlass_engine::{NodeAttempt, ResourceId, ResourceKind};
use windlass_model::id::ApprovalId;
use windlass_model::{RunId, TaskId, Timestamp};

fn started(run: RunId) -> Timestamp {
    Timestamp::from_millis(i64::try_from(run.ulid().timestamp_ms()).unwrap_or_default())
}

/// The task of a node attempt.
pub(crate) fn task_id(run: RunId, at: &NodeAttempt) -> TaskId {
    TaskId::from_ulid(derived(started(run), &["task", &run.to_string(), &at.to_string()]))
}

/// The question of a node attempt.
pub(crate) fn approval_id(run: RunId, at: &NodeAttempt) -> ApprovalId {
    ApprovalId::from_ulid(derived(started(run), &["approval", &run.to_string(), &at.to_string()]))
}

/// Key and holder of a resource, as the store knows them.
pub(crate) fn holder_of(run: RunId, resource: &ResourceId) -> (String, String) {
    let kind = match resource.kind {
        ResourceKind::Infrastructure => "infrastructure",
        ResourceKind::Queue => "queue",
    };
    (format!("{kind}/{}", resource.key), format!("{run}/{}", resource.holder))
}

/// A run by its id, or by the vendor's form of it: 22 characters of base64url (decisions, Pipelines).
pub(crate) fn run_of(text: &str) -> Option<RunId> {
    if let Ok(run) = text.parse() {
        return Some(run);
    }
    if text.len() != 22 {
        return None;
    }
    // 22 digits of 6 bits are 132: the last digit carries two bits of the id and four zeros.
    let (mut bits, last) = (0_u128, 21);
    for (at, byte) in text.bytes().enumerate() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = if at == last { bits << 2 | u128::from(digit >> 4) } else { bits << 6 | u128::from(digit) };
    }
    // One spelling for each run.
    Some(RunId::from_ulid(ulid::Ulid(bits))).filter(|run| run.execution_id() == text)
}

#[cfg(test)]
mod tests {
    use super::run_of;
    use windlass_model::RunId;

    #[test]
    fn both_forms_of_a_run_are_read() {
        for bits in [0, 1, u128::MAX, 0x0199_1234_5678_9abc_def0_1234_5678_9abc] {
            let run = RunId::from_ulid(ulid::Ulid(bits));
            assert_eq!(run_of(&run.to_string()), Some(run));
            assert_eq!(run_of(&run.execution_id()), Some(run));
        }
        assert_eq!(run_of("AAAAAAAAAAAAAAAAAAAAAB"), None);
        assert_eq!(run_of("AAAAAAAAAAAAAAAAAAAA+A"), None);
        assert_eq!(run_of("x"), None);
    }
}
