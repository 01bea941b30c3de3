//! Any pipeline on a simulated installation: server, delegate and clusters in one process, in virtual time (architecture §7).
//!
//! A rehearsal is the real server and the real steps over a pretend outside: clusters are [`windlass_kube_sim`], repositories
//! are folders, Prometheus is the metrics of simulated pods, secrets and approvers are invented, scripts and HTTP calls are
//! noted and not made. Nothing outside of the process is touched, and the same rehearsal gives the same report, byte for byte.

mod answers;
mod clusters;
mod difference;
mod documents;
mod fault;
mod live;
mod outside;
mod report;
mod run;
mod state;
mod text;
mod world;

pub use fault::{Fault, FaultError};
pub use live::{LiveError, Source, read_live};
pub use report::{Asked, ClusterReport, NotDone, ObjectChange, Report, Step, WorkloadReport};
pub use run::{RehearseError, rehearse};

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use windlass_kube_sim::faults::FaultPlan;
use windlass_model::{Scope, Timestamp};
use windlass_workloads::Catalog;

/// What is rehearsed, and in which world.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// Everything that is saved in the installation, in this order; the pipeline comes with them.
    pub documents: Vec<Text>,
    /// Values of `{{PLACEHOLDERS}}`.
    pub set: BTreeMap<String, String>,
    /// Settings of the account, as people write them.
    pub settings: BTreeMap<String, String>,
    /// Where documents go that do not say where they belong.
    pub scope: Scope,
    pub pipeline: String,
    /// Values of pipeline variables by name.
    pub inputs: BTreeMap<String, Json>,
    /// Inputs that were different in the run before this one, which went through without a fault and left the clusters as they
    /// are found. Empty: there was none.
    pub deployed: BTreeMap<String, Json>,
    /// When that run started. Default: a week earlier.
    pub deployed_at: Option<Timestamp>,
    /// What images do.
    pub images: Catalog,
    /// Folders that stand for repositories, by the address in the connector.
    pub repositories: Vec<(String, PathBuf)>,
    /// What is in the cluster of a connector at the start.
    pub clusters: BTreeMap<String, Vec<Json>>,
    pub faults: Vec<Fault>,
    /// Faults of the clusters in detail; times count from the start of the run.
    pub plan: FaultPlan,
    pub approvals: Approvals,
    /// When the run starts.
    pub at: Timestamp,
    /// Decides generated names and what happens by chance.
    pub seed: u64,
}

/// A file of documents.
#[derive(Clone, Debug)]
pub struct Text {
    /// The name the author knows it by.
    pub file: String,
    pub text: String,
}

/// What becomes of questions to people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approvals {
    /// Invented members of the groups that are asked approve after a minute.
    #[default]
    Auto,
    /// The rehearsal ends at the first question.
    None,
}
