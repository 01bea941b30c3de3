//! Kubernetes API servers: discovery, objects, server-side apply, watches, logs, leases.
//!
//! Objects are JSON values, kinds are found by discovery at run time. [`Clusters`] turns the access of a connector into a
//! [`Cluster`], whose calls are repeated as kubernetes-deploy §2.9 says and fail with what was tried, where, and why. The
//! transport is any tower service: a socket with TLS, or a simulated API server in this process.

mod access;
pub mod adopt;
mod call;
mod check;
mod client;
mod discovery;
mod error;
mod events;
mod guard;
mod kubeconfig;
mod lease;
mod logs;
mod objects;
mod proxy;
mod retry;
mod scale;
mod skew;
mod watch;

pub use access::{Clusters, ConnectError, Identity, Stand, Through};
pub use check::{Permission, Report};
pub use client::Cluster;
pub use discovery::Discovery;
pub use error::{Cause, ClusterError, Reach, Refusal};
pub use guard::{Fence, FenceError};
pub use lease::{Held, Holder, LeaseError, Lock};
pub use logs::LogOptions;
pub use objects::{Address, Apply, Delete, List, PatchKind, Propagation, Query};
pub use retry::Policy;
pub use watch::{Changes, Event, Watched};

/// A Kubernetes object, or a part of one.
pub type Json = serde_json::Value;

/// The field manager of everything Windlass applies.
pub const FIELD_MANAGER: &str = "windlass";
