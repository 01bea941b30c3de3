//! Runs told as transcripts: a pipeline, a world that answers, and what came of it.

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod again;
mod approval;
mod barrier;
mod build;
mod deployment;
mod failure;
mod http;
mod inputs;
mod interrupt;
mod laws;
mod made;
mod notice;
mod parallel;
mod policy;
mod rollback;
mod scope;
mod seed;
mod sequence;
mod timeline;
mod timeout;
mod when;
mod world;
