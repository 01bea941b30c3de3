//! Who may do what, as tables and laws.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod authorized;
mod checks;
mod decisions;
mod laws;
mod support;
mod table;
