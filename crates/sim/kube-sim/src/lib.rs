//! A Kubernetes API server with controllers, faults and a virtual clock (architecture §7).
//!
//! [`KubeSim`] is one cluster. Its API is a tower service: mounted on a socket for `kubectl`, `helm` and delegates, or called in
//! process. Nothing here starts threads or reads another clock than the one it was given: on a virtual runtime a rollout of
//! ten minutes takes no time.
//!
//! What holds the parts together is [`Cluster`]: objects under one lock with one counter of revisions. The HTTP layer and the
//! controllers come through the same operations, which apply the defaults, the checks and the field owners of the real server.
//! Facts about kinds are data (`data/`), made from documents of a real kube-apiserver 1.34 and from the Go types.

mod apply;
mod bootstrap;
mod cluster;
mod config;
pub mod controller;
mod controllers;
mod custom;
mod defaults;
mod error;
pub mod faults;
mod http;
mod ids;
mod internal;
mod json;
pub mod kind;
mod metrics;
mod object;
mod ops;
mod registry;
mod schema;
mod secure;
pub mod selectors;
mod sim;
mod store;
mod strategy;
mod validate;
mod versions;
mod warnings;
mod watch;
mod workload;

pub use cluster::Cluster;
pub use config::{Config, Limits, Token};
pub use error::{ApiError, Cause, Details};
pub use object::{Object, micro_time_text, time_text};
pub use ops::delete::{DeleteOptions, Deleted, Propagation};
pub use ops::patch::Patch;
pub use secure::{Identity, IdentityError};
pub use sim::KubeSim;
pub use store::{Action, Change};
pub use watch::Subscription;
pub use workload::{Behaviour, LogLine, PlainWorkloads, USAGE_WINDOW, Usage, Workloads};
