//! The steps that need no deployment engine: scripts, calls, verification, tests of connections.
//!
//! Each is a [`windlass_task::Handler`]. None of them reads the environment or a clock of its own: roles hand in what they
//! may reach.

mod answer;
mod connection;
mod http;
mod secret;
mod shell;

pub use connection::{ClusterTest, ConnectionTestHandler, Finding, GitTest, Problem, Reason};
pub use http::HttpHandler;
pub use shell::ShellHandler;
