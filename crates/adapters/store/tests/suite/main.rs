//! What every engine promises, on every engine; then what only files and only servers promise.
// A test that cannot go on panics, in its helpers too.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod support;

mod audit;
mod delegates;
mod documents;
mod log_chunks;
mod on_file;
mod on_server;
mod outbox;
mod people;
mod records;
mod resources;
mod runs;
mod tasks;
mod timers;
