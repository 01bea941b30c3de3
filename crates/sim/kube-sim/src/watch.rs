//! Following changes from a revision on.

use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::store::Change;

/// A place in the stream of changes. It holds no queue: changes are read from the store's window, so a follower that sleeps
/// too long is told so instead of costing memory.
#[derive(Debug)]
pub struct Subscription {
    cluster: Cluster,
    cursor: u64,
    /// The revision at the last look.
    seen: u64,
}

impl Subscription {
    pub(crate) fn new(cluster: Cluster, from: u64) -> Self {
        let seen = cluster.revision();
        Self { cluster, cursor: from, seen }
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The revision up to which changes were delivered.
    pub fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Changes since the last call, oldest first; empty when there are none. The error is 410 `Expired`.
    pub fn ready(&mut self) -> Result<Vec<Change>, ApiError> {
        self.seen = self.cluster.revision();
        let changes = self.cluster.changes_since(self.cursor)?;
        if let Some(last) = changes.last() {
            self.cursor = last.revision;
        }
        Ok(changes)
    }

    /// Waits until something was written since the last call of [`Subscription::ready`].
    pub async fn wait(&mut self) {
        self.seen = self.cluster.moved_from(self.seen).await;
    }

    /// Waits until there are changes. Safe to drop and to call again.
    pub async fn next(&mut self) -> Result<Vec<Change>, ApiError> {
        loop {
            let changes = self.ready()?;
            if !changes.is_empty() {
                return Ok(changes);
            }
            self.wait().await;
        }
    }
}
