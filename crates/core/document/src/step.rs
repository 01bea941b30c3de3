//! The types of steps: which exist, which run here, and what their `spec` holds (pipelines §10).

mod check;
mod keys;
mod table;

pub(crate) use check::check;
pub use keys::{Key, KeyKind, keys_of};
pub use table::{StepType, step_type, step_types};
