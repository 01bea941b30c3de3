//! A whole installation in one thread, on a clock and a network that follow from a seed (architecture §9, "crash").
//!
//! One server, two delegates and three simulated clusters, with no socket and no disk between them. The seed decides who deploys
//! what, and what breaks meanwhile: connections, processes, clocks, images, calls to clusters. Whatever happens, what
//! [`mod@verdict`] demands must hold at the end. The same seed gives the same history to the letter.
// Tests stop where they are wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

pub mod clusters;
pub mod crash;
pub mod documents;
pub mod gate;
pub mod history;
pub mod installation;
pub mod ledger;
pub mod network;
pub mod people;
pub mod plan;
pub mod server;
pub mod signal;
pub mod verdict;
pub mod vitals;
pub mod worker;
pub mod world;

pub use server::Death;
pub use verdict::RunEnd;
pub use world::{Report, play};

use plan::Plan;

/// Plays what a seed decides.
pub fn play_seed(seed: u64, told: bool) -> Report {
    play(seed, &Plan::of(seed), None, told)
}
