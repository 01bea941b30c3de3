//! What the language promises, as tables.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod common;
mod explanations;
mod functors;
mod laws;
mod limits;
mod methods;
mod operators;
mod partial;
mod paths;
mod references;
mod secrets;
mod syntax;
mod unresolved;
mod vectors;
