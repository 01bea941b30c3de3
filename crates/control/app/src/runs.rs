//! Runs of pipelines.

pub mod again;
mod audit;
mod govern;
pub mod idempotency;
pub mod interrupt;
mod machine;
mod names;
mod permit;
mod record;
mod refusal;
pub mod show;
pub mod start;
mod submit;
mod values;

pub(crate) use interrupt::unknown;
pub(crate) use machine::Machine;
pub(crate) use names::{approval_id, holder_of, run_of, task_id};
pub(crate) use permit::{Asker, asker};
pub(crate) use record::{QUEUE_PATIENCE, scope_of};
pub(crate) use refusal::failure as refused;
pub(crate) use submit::Submission;
pub(crate) use values::{Given, read_yaml};
