//! What the crate promises, as tables and laws.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

mod edit;
mod laws;
mod parse;
mod reader;
mod scalars;
mod write;
