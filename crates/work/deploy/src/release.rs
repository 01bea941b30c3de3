//! What was released: one Secret for each release, in the namespace of the infrastructure (kubernetes-deploy §1.11).
//!
//! The record is written before the first change and holds everything a rollback needs; nothing depends on a file or key of one
//! delegate. Its state is the memory of a deployment: a worker that takes over finds the record of its task and goes on.

mod history;
mod pack;
mod record;
mod store;

pub(crate) use history::History;
#[cfg(test)]
pub(crate) use history::tests as history_tests;
pub(crate) use record::{Meta, PrimaryService, Pruned, Record, Resource, Shift, Status, Strategy, Track, Workload};
pub(crate) use store::{RecordError, Records};
