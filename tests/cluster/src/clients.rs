//! Unmodified clients, with the same command lines, against a real control plane and against the simulated one.
//!
//! [`scenarios`] are data. A [`Desk`] is where they are typed, before one of the clusters; [`same`] compares what was said
//! at two of them.

mod compare;
mod desk;
mod files;
mod scenario;
mod seat;
mod simulated;

pub use compare::{Difference, same};
pub use desk::Desk;
pub use scenario::{How, Line, Scenario, scenarios};
pub use seat::Output;
pub use simulated::SimulatedCluster;

/// What images do in the scenarios, on both clusters.
pub const IMAGES: &str = include_str!("../clients/images.yaml");
