use crate::access::{GrantsCache, Refusals};
use crate::delegates::{Declines, Hub};
use crate::documents::Readings;
use crate::performers::Hands;
use crate::runs::Machine;
use crate::triggers::WebhookKey;
use crate::{Answer, Failure};
use rand::RngExt as _;
use std::sync::Arc;
use windlass_clock::Clock;
use windlass_link::{Pace, Tokens};
use windlass_logs::{Blobs, Logs};
use windlass_secrets::{Keyring, MasterKey, Vault};
use windlass_store::Store;

/// A handle on the platform. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    machine: Machine,
    hands: Hands,
    hub: Hub,
    declines: Declines,
    grants: GrantsCache,
    refusals: Refusals,
    readings: Readings,
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

impl Parts {
    /// The parts of a server that nobody reaches from outside: of a rehearsal, or of a test. Its keys are new and kept nowhere.
    pub fn unreachable(store: Store, clock: Clock, replica: &str) -> Answer<Self> {
        Ok(Self {
            logs: Logs::open(store.clone(), Blobs::none(), clock),
            store,
            clock,
            tokens: Tokens::new(&rand::rng().random::<[u8; 32]>()),
            pace: Pace::default(),
            vault: Vault::new(Keyring::new(MasterKey::generate("1").map_err(Failure::internal)?)),
            webhooks: WebhookKey::new(rand::rng().random()),
            account: "windlass".to_owned(),
            replica: replica.to_owned(),
            public_url: "https://windlass.invalid".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

impl App {
    pub fn new(parts: Parts) -> Self {
        let hands = Hands::new(parts.replica.clone());
        let machine = Machine::new(parts.store.clone());
        let grants = GrantsCache::new(parts.store.changes());
        Self(Arc::new(Inner {
            parts,
            machine,
            hands,
            hub: Hub::default(),
            declines: Declines::default(),
            grants,
            refusals: Refusals::default(),
            readings: Readings::default(),
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

    pub(crate) fn readings(&self) -> &Readings {
        &self.0.readings
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.0.machine
    }

    pub(crate) fn hands(&self) -> &Hands {
        &self.0.hands
    }

    /// The connected delegates of this replica.
    pub fn hub(&self) -> &Hub {
        &self.0.hub
    }

    pub(crate) fn declines(&self) -> &Declines {
        &self.0.declines
    }
}
