//! The real OPA, built once by the Go client, and what it answers compared with windlass-policy: `make test-opa`.
#![allow(clippy::disallowed_methods, reason = "starts the Go client and OPA")]

mod calls;
mod compare;
mod error;
mod inputs;
mod opa;
mod ours;
mod program;
mod question;
mod rules;
mod shipped;
mod zones;

pub use compare::{Compared, functions, policies, tally};
pub use error::Error;
pub use opa::Opa;
pub use program::build;
pub use question::{Answer, Question};
