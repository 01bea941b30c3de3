//! What the crate promises, as tables and laws.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what tests call fails like tests")]

mod edit;
mod laws;
mod parse;
mod reader;
mod scalars;
mod write;
