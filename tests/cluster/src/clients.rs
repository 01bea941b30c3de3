//! Unmodified clients, with the same command lines, against a real control plane and against the simulated one.
//!
//! [`scenarios`] are data. A [`Seat`] is a cluster with a client that talks to it; [`same`] compares what two of them said.

mod compare;
mod files;
mod scenario;
mod seat;
mod simulated;

pub use compare::{Difference, same};
pub use files::write;
pub use scenario::{How, Line, Scenario, scenarios};
pub use seat::{Output, Seat};
pub use simulated::SimulatedCluster;

/// What images do in the scenarios, on both clusters.
pub const IMAGES: &str = include_str!("../clients/images.yaml");
