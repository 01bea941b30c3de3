//! The steps that need no deployment engine: scripts, calls, verification, tests of connections.
//!
//! Each is a [`windlass_task::Handler`]. None of them reads the environment or a clock of its own: roles hand in what they
//! may reach.
//!
//! **Secrets** have one way. The engine writes tokens into the texts of a task; the delegate opens them
//! (`windlass_secrets::SecretStores::open`) and puts the clear text into the whole `work` before [`windlass_task::Handler::run`];
//! no handler sees a token or knows of bindings. In return handlers keep three promises: clear text goes to where it is used and
//! nowhere else (scripts and their variables into a private file and the environment, never into arguments; headers are marked
//! sensitive; URLs are told without query), checkpoints hold none of it, and what they say themselves does not quote it. What the
//! other side says may: so the delegate masks every line, note, checkpoint and outcome on its way out. Values that a script
//! *makes* and declares secret are listed in `secretOutputVariables` of its output: who passes the output on seals them.

mod answer;
mod connection;
mod http;
mod shell;
mod verify;

pub use connection::{ClusterTest, ConnectionTestHandler, Finding, GitTest, Problem, Reason};
pub use http::HttpHandler;
pub use shell::ShellHandler;
pub use verify::VerifyHandler;
