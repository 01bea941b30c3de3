//! Runs of pipelines.

mod audit;
mod inputs;
mod machine;
mod names;
mod record;
pub mod show;
pub mod start;

pub(crate) use machine::{Machine, Submission};
pub(crate) use names::{approval_id, holder_of, task_id};
pub(crate) use record::{QUEUE_PATIENCE, scope_of};
