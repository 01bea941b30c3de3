//! Where answers may differ: the rules of docs/compatibility/rego.md, by their numbers.

use crate::question::{Answer, Question};

/// The rule that a difference falls under.
pub(crate) fn rule(_name: &str, _question: &Question, _opa: &Answer, _ours: &Answer) -> Option<u8> {
    None
}
