//! Webhooks: who is told about what, and how it went.

mod delivery;
pub(crate) mod payload;

pub use delivery::{Delivery, Outcome};

use crate::{GitSim, RepoName};
use delivery::{Courier, Job};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use windlass_clock::Clock;

/// How many deliveries the log keeps; older ones are forgotten and cannot be sent again.
const LOG: usize = 1_000;

/// Names one webhook of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HookId(pub u64);

/// Where events are sent to.
#[derive(Clone, PartialEq, Eq)]
pub struct Hook {
    pub url: String,
    /// Signs bodies with HMAC-SHA-256; `None` sends no signature.
    pub secret: Option<String>,
    /// `push`, `pull_request`, or `*` for all.
    pub events: Vec<String>,
    /// One repository, or all.
    pub repo: Option<RepoName>,
}

impl Hook {
    /// Push and pull request events of all repositories, signed.
    pub fn new(url: impl Into<String>, secret: impl Into<String>) -> Self {
        let events = vec!["push".to_owned(), "pull_request".to_owned()];
        Self { url: url.into(), secret: Some(secret.into()), events, repo: None }
    }

    fn wants(&self, repo: &RepoName, event: &str) -> bool {
        self.repo.as_ref().is_none_or(|wanted| wanted == repo)
            && self.events.iter().any(|wanted| wanted == event || wanted == "*")
    }
}

impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let secret = self.secret.as_ref().map(|_| "…");
        f.debug_struct("Hook").field("url", &self.url).field("secret", &secret).field("repo", &self.repo).finish()
    }
}

pub(crate) struct Webhooks {
    hooks: Mutex<Vec<(HookId, Hook, Courier)>>,
    log: Arc<Mutex<VecDeque<Delivery>>>,
    counter: AtomicU64,
    clock: Clock,
}

impl Webhooks {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { hooks: Mutex::default(), log: Arc::default(), counter: AtomicU64::new(1), clock }
    }

    fn hooks(&self) -> MutexGuard<'_, Vec<(HookId, Hook, Courier)>> {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> u64 {
        self.counter.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn wants(&self, repo: &RepoName, event: &str) -> bool {
        self.hooks().iter().any(|(_, hook, _)| hook.wants(repo, event))
    }

    /// Queues one event for everybody who wants it.
    pub(crate) fn send(&self, repo: &RepoName, event: &str, action: Option<&str>, body: &serde_json::Value) {
        let body: Arc<str> = body.to_string().into();
        for (id, hook, courier) in self.hooks().iter().filter(|(_, hook, _)| hook.wants(repo, event)) {
            let delivery = Delivery::new(self.next(), *id, hook, repo, event, action, Arc::clone(&body), &self.clock);
            courier.take(Job { delivery, secret: hook.secret.clone() }, &self.log);
        }
    }
}

impl GitSim {
    pub(crate) fn webhooks(&self) -> &Webhooks {
        &self.inner().webhooks
    }

    /// Adds a webhook. Events of one webhook arrive in order; each has one attempt of ten seconds, as at GitHub.
    ///
    /// Must be called inside of a tokio runtime, which carries the deliveries.
    pub fn add_hook(&self, hook: Hook) -> HookId {
        let webhooks = self.webhooks();
        let id = HookId(webhooks.next());
        let courier = Courier::start(Arc::clone(&webhooks.log), webhooks.clock);
        webhooks.hooks().push((id, hook, courier));
        id
    }

    /// Removes a webhook; what is queued for it is still delivered. Answers whether it was there.
    pub fn remove_hook(&self, id: HookId) -> bool {
        let mut hooks = self.webhooks().hooks();
        let before = hooks.len();
        hooks.retain(|(known, ..)| *known != id);
        hooks.len() < before
    }

    /// All webhooks, oldest first.
    pub fn hooks(&self) -> Vec<(HookId, Hook)> {
        self.webhooks().hooks().iter().map(|(id, hook, _)| (*id, hook.clone())).collect()
    }

    /// The last thousand attempts, oldest first.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.webhooks().log.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Sends a delivery of the log once more: same id and body, a new attempt. Answers whether it is still known.
    pub fn redeliver(&self, delivery: u64) -> bool {
        let Some(old) = self.deliveries().into_iter().find(|known| known.id == delivery) else { return false };
        let webhooks = self.webhooks();
        let again = old.again(webhooks.next(), &webhooks.clock);
        let hooks = webhooks.hooks();
        let Some((_, hook, courier)) = hooks.iter().find(|(id, ..)| *id == again.hook) else { return false };
        courier.take(Job { delivery: again, secret: hook.secret.clone() }, &webhooks.log);
        true
    }
}
