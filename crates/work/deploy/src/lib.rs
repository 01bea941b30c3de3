//! Everything Windlass does to a Kubernetes cluster: apply, rolling, canary, blue/green, rollback and their smaller relatives.
//!
//! [`KubernetesHandler`] does [`windlass_model::task::Work::Kubernetes`]. Each step decides first (pure functions of rendered
//! objects, live objects and the history of the release) and acts then. It promises (kubernetes-deploy §2):
//!
//! - one writer: every write stands behind the lock of the release in the cluster, and stops with it;
//! - the release record comes before the first change and holds all that a rollback needs;
//! - everything may be interrupted anywhere and done again by another worker: objects are applied by name, numbers and targets
//!   are kept in the record, checkpoints only save time;
//! - what is as it should be is not touched: no new resourceVersion, no restarted pod;
//! - who waits is told why, and failures are told early with pod, reason and log.

mod apply;
mod compare;
mod flags;
mod handler;
mod objects;
mod plan;
mod progress;
mod prune;
mod release;
mod remove;
mod retention;
mod session;
mod steps;
mod stop;
mod wait;

pub use handler::KubernetesHandler;
