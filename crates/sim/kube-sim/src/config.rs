//! How a simulated cluster is set up.

use crate::faults::FaultPlan;
use crate::workload::{PlainWorkloads, Workloads};
use serde_json::Value;
use std::sync::Arc;
use windlass_clock::Clock;

/// Everything a [`crate::KubeSim`] starts from.
#[derive(Clone, Debug)]
pub struct Config {
    pub clock: Clock,
    /// Decides uids, generated names and random faults.
    pub seed: u64,
    pub tokens: Vec<Token>,
    pub limits: Limits,
    pub workloads: Arc<dyn Workloads>,
    pub faults: FaultPlan,
    /// Objects that are there from the start.
    pub objects: Vec<Value>,
    /// How many nodes the cluster has.
    pub nodes: u32,
    /// Whether the controllers run; without them the API server stands alone.
    pub controllers: bool,
}

impl Config {
    /// An empty cluster with two nodes and the controllers on.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            seed: 1,
            tokens: Vec::new(),
            limits: Limits::default(),
            workloads: Arc::new(PlainWorkloads),
            faults: FaultPlan::default(),
            objects: Vec::new(),
            nodes: 2,
            controllers: true,
        }
    }

    /// Adds a token of the group `system:masters`.
    #[must_use]
    pub fn admin_token(mut self, token: &str) -> Self {
        self.tokens.push(Token {
            token: token.to_owned(),
            user: "admin".to_owned(),
            groups: vec!["system:masters".to_owned()],
        });
        self
    }

    /// Adds a token of a user whose rights come from roles in the cluster.
    #[must_use]
    pub fn user_token(mut self, user: &str, token: &str) -> Self {
        self.tokens.push(Token { token: token.to_owned(), user: user.to_owned(), groups: Vec::new() });
        self
    }
}

/// A bearer token and whom it stands for.
#[derive(Clone)]
pub struct Token {
    pub token: String,
    pub user: String,
    pub groups: Vec<String>,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("user", &self.user).field("groups", &self.groups).finish_non_exhaustive()
    }
}

/// Sizes that keep the simulation within bounds.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Past changes kept for watches and pages.
    pub history: usize,
    /// Bytes of a request's body.
    pub body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { history: 4_096, body: 3 * 1024 * 1024 }
    }
}
