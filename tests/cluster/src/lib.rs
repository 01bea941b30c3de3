//! A real Kubernetes control plane for tests: its binaries are built once from their Go modules and kept outside of the tree,
//! clusters start in seconds on free ports of this machine, without rights, and end with whoever started them.
//!
//! [`Binaries`] is what is built, [`RealCluster`] one cluster: etcd, API server, controllers, scheduler, and kwok in the place of kubelets, which
//! moves pods as a catalogue of images says. [`differential`] asks such a cluster and the simulated one the same questions, and [`clients`] lets
//! `kubectl` and `helm` do so.
#![allow(clippy::disallowed_methods, reason = "a tool for tests: it starts programs and waits in real time")]

mod binaries;
mod client;
pub mod clients;
mod credentials;
pub mod differential;
mod error;
mod free_ports;
mod nodes;
mod program;
mod real_cluster;
mod stages;

pub use binaries::{Binaries, HELM};
pub use client::{Answer, Client};
pub use error::Error;
pub use real_cluster::{Options, RealCluster};
