//! The operations of the platform, one file for each noun.
//!
//! Everything the server does goes through here: HTTP routes and the vendor's API parse, call one operation and convert. Runs are
//! decided by the engine and stored in one transaction with what follows; [`performers`] carry out what was decided.

pub mod access;
pub mod api_keys;
mod app;
pub mod approvals;
pub mod audit;
mod bootstrap;
pub mod connectors;
pub mod delegates;
pub mod documents;
mod failure;
mod fresh;
mod housekeeping;
pub mod logs;
mod password;
pub mod performers;
pub mod policies;
mod principal;
pub mod runs;
mod secrets;
pub mod settings;
pub mod triggers;
pub mod users;

pub use app::{App, Parts};
pub use bootstrap::ADMIN;
pub use failure::{Failure, FailureKind, chain};
pub use fresh::simulate as simulate_ids;
pub use principal::Principal;

/// What every operation answers.
pub type Answer<T> = Result<T, Failure>;
