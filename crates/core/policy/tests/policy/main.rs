//! Policies as their authors and callers see them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod compiling;
mod deny;
mod governing;
mod inputs;
mod limits;
mod opa;
mod samples;
mod support;
