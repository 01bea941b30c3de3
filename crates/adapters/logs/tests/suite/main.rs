//! What the log service promises, in memory, on a file with blobs, and on servers that share a PostgreSQL.
// A test that cannot go on panics, in its helpers too.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

#[path = "../../../store/tests/suite/support/postgres.rs"]
mod postgres;
mod support;

mod append;
mod closed;
mod tail;
