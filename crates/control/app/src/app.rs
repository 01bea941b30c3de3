use crate::access::{GrantsCache, Refusals};
use crate::delegates::{Declines, Hub};
use crate::runs::Machine;
use crate::triggers::WebhookKey;
use std::sync::Arc;
use windlass_clock::Clock;
use windlass_link::{Pace, Tokens};
use windlass_logs::Logs;
use windlass_secrets::Vault;
use windlass_store::Store;

/// A handle on the platform. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    machine: Machine,
    hub: Hub,
    declines: Declines,
    grants: GrantsCache,
    refusals: Refusals,
}

/// What the role puts together.
#[derive(Debug)]
pub struct Parts {
    pub store: Store,
    pub logs: Logs,
    pub clock: Clock,
    /// Signs the tokens of delegates.
    pub tokens: Tokens,
    /// How often delegates report.
    pub pace: Pace,
    /// Opens and seals the values of secrets.
    pub vault: Vault,
    /// Makes the tokens in the addresses of webhooks.
    pub webhooks: WebhookKey,
    /// The account's identifier.
    pub account: String,
    /// The name of this replica, for leases.
    pub replica: String,
    /// Where people and delegates reach the server.
    pub public_url: String,
    pub version: String,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        let machine = Machine::new(parts.store.clone(), parts.clock);
        let grants = GrantsCache::new(parts.store.changes());
        Self(Arc::new(Inner {
            parts,
            machine,
            hub: Hub::default(),
            declines: Declines::default(),
            grants,
            refusals: Refusals::default(),
        }))
    }

    pub fn store(&self) -> &Store {
        &self.0.parts.store
    }

    /// Business time.
    pub fn clock(&self) -> &Clock {
        &self.0.parts.clock
    }

    pub(crate) fn logs(&self) -> &Logs {
        &self.0.parts.logs
    }

    /// What the role put together.
    pub fn parts(&self) -> &Parts {
        &self.0.parts
    }

    pub(crate) fn grants_cache(&self) -> &GrantsCache {
        &self.0.grants
    }

    pub(crate) fn refusals(&self) -> &Refusals {
        &self.0.refusals
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.0.machine
    }

    /// The connected delegates of this replica.
    pub fn hub(&self) -> &Hub {
        &self.0.hub
    }

    pub(crate) fn declines(&self) -> &Declines {
        &self.0.declines
    }
}
