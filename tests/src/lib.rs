//! Scenario tests: whole processes started as a user would, driven over the command line and HTTP (architecture §9).
//!
//! Nothing here reaches into the server. Waiting is for a condition with a deadline, never for luck.
// Test support: a scenario that cannot be set up fails where it stands.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "test support"
)]

mod balancer;
mod binary;
mod command;
mod forward_proxy;
mod ground;
mod http;
mod landscape;
mod postgres;
mod process;
mod replicas;
mod shelf;
mod site;
mod wait;
mod world;

pub use command::Ran;
pub use forward_proxy::ForwardProxy;
pub use ground::real_clusters;
pub use http::{Reply, send};
pub use landscape::{Landscape, example, node, template};
pub use postgres::Postgres;
pub use process::Process;
pub use replicas::Replicas;
pub use shelf::{Shelf, packed};
pub use site::{Site, tag};
pub use wait::until;
pub use world::World;
