//! The state of a simulated cluster and the writes that its rules allow.
//!
//! One lock guards everything and is never held over an await: each operation is one step that others see whole. Controllers
//! and the HTTP layer come through the same functions, so that both obey the same defaults, checks and field owners.

use crate::config::Limits;
use crate::error::ApiError;
use crate::faults::Faults;
use crate::ids::Ids;
use crate::kind::GroupResource;
use crate::object::Object;
use crate::ops::Write;
use crate::ops::delete::{DeleteOptions, Deleted};
use crate::ops::patch::Patch;
use crate::registry::{Registry, Resource};
use crate::selectors::LabelSelector;
use crate::store::{Change, Store};
use crate::watch::Subscription;
use crate::workload::Workloads;
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use windlass_clock::Clock;
use windlass_model::Timestamp;

/// A handle to one simulated cluster. Cheap to clone; clones share the state.
#[derive(Clone)]
pub struct Cluster(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    /// Wakes followers in the order in which they began to wait: a simulation must repeat itself, and `watch` draws the order by chance.
    changed: Notify,
    clock: Clock,
    workloads: Arc<dyn Workloads>,
    faults: Faults,
}

/// Everything that changes.
#[derive(Debug)]
pub(crate) struct State {
    pub store: Store,
    pub registry: Registry,
    pub ids: Ids,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cluster at revision {}", self.revision())
    }
}

impl Cluster {
    pub(crate) fn new(clock: Clock, seed: u64, limits: Limits, workloads: Arc<dyn Workloads>, faults: Faults) -> Self {
        let state = State { store: Store::new(limits.history), registry: Registry::default(), ids: Ids::new(seed) };
        Self(Arc::new(Inner { state: Mutex::new(state), changed: Notify::new(), clock, workloads, faults }))
    }

    /// Runs one step under the lock and tells followers when it wrote.
    pub(crate) fn step<T>(&self, step: impl FnOnce(&mut State) -> T) -> T {
        let (out, moved) = {
            let mut state = self.lock();
            let before = state.store.revision();
            let out = step(&mut state);
            (out, state.store.revision() != before)
        };
        if moved {
            self.0.changed.notify_waiters();
        }
        out
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A step that panicked left whole objects behind: every write is one insertion.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// What the images of pods do.
    pub fn workloads(&self) -> &dyn Workloads {
        &*self.0.workloads
    }

    pub fn faults(&self) -> &Faults {
        &self.0.faults
    }

    /// The revision of the last write.
    pub fn revision(&self) -> u64 {
        self.lock().store.revision()
    }

    pub fn get(&self, kind: &GroupResource, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.lock().store.get(&kind.key(namespace, name)).cloned()
    }

    /// Objects of a kind, of one namespace or of all, sorted by namespace and name.
    pub fn list(&self, kind: &GroupResource, namespace: Option<&str>) -> Vec<Arc<Value>> {
        self.lock().store.list(kind, namespace).cloned().collect()
    }

    /// Objects of a kind whose labels the selector matches.
    pub fn select(&self, kind: &GroupResource, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Arc<Value>> {
        self.lock().store.list(kind, namespace).filter(|o| selector.matches(o)).cloned().collect()
    }

    /// Objects of any kind that name this uid as an owner.
    pub fn dependents(&self, owner: &str) -> Vec<(GroupResource, Arc<Value>)> {
        let owned = |o: &Arc<Value>| o.owner_references().iter().any(|r| r.text("/uid") == owner);
        self.everything().into_iter().filter(|(_, o)| owned(o)).collect()
    }

    /// Every object of the cluster.
    pub fn everything(&self) -> Vec<(GroupResource, Arc<Value>)> {
        let state = self.lock();
        let kinds: Vec<_> = state.store.kinds().cloned().collect();
        kinds.iter().flat_map(|k| state.store.list(k, None).map(|o| (k.clone(), o.clone()))).collect()
    }

    /// The kind that `apiVersion` and `kind` name, for owner references.
    pub fn kind_of(&self, api_version: &str, kind: &str) -> Option<GroupResource> {
        self.lock().registry.by_kind(api_version, kind).map(|r| r.stored.clone())
    }

    /// Whether objects of the kind live in namespaces. Nothing for a kind that is not served.
    pub fn is_namespaced(&self, kind: &GroupResource) -> Option<bool> {
        self.lock().registry.stored(kind).map(|r| r.namespaced)
    }

    /// Creates an object; `manager` owns its fields. The namespace is that of the object.
    pub fn create(&self, kind: &GroupResource, object: Value, manager: &str) -> Result<Arc<Value>, ApiError> {
        let write = Write::by(manager, self.now());
        self.step(|state| {
            let resource = state.stored_resource(kind)?;
            let object = state.prepare(&resource, object)?;
            let namespace = object.namespace().to_owned();
            state.create(&resource, &namespace, object, &write)
        })
    }

    /// Replaces an object. When it carries a resourceVersion, that must be the stored one (409 `Conflict`).
    pub fn update(&self, kind: &GroupResource, object: Value, manager: &str) -> Result<Arc<Value>, ApiError> {
        self.replace(kind, object, "", manager)
    }

    /// Replaces the status of an object.
    pub fn update_status(&self, kind: &GroupResource, object: Value, manager: &str) -> Result<Arc<Value>, ApiError> {
        self.replace(kind, object, "status", manager)
    }

    fn replace(
        &self,
        kind: &GroupResource,
        object: Value,
        subresource: &str,
        manager: &str,
    ) -> Result<Arc<Value>, ApiError> {
        let write = Write::by(manager, self.now()).on(subresource);
        self.step(|state| {
            let resource = state.stored_resource(kind)?;
            let object = state.prepare_part(&resource, subresource, object)?;
            let (namespace, name) = (object.namespace().to_owned(), object.name().to_owned());
            state.update(&resource, &namespace, &name, &write, |_, _| Ok(object))
        })
    }

    /// Patches an object, or a subresource of it when `subresource` is not empty.
    pub fn patch(
        &self,
        kind: &GroupResource,
        namespace: &str,
        name: &str,
        subresource: &str,
        patch: &Patch,
        manager: &str,
    ) -> Result<Arc<Value>, ApiError> {
        let write = Write::by(manager, self.now()).on(subresource);
        self.step(|state| {
            let resource = state.stored_resource(kind)?;
            state.patch(&resource, namespace, name, patch, &write, &mut Vec::new()).map(|p| p.object)
        })
    }

    /// Changes an object by a function of what is stored: read, change and write are one step, so that there is no conflict.
    pub fn modify(
        &self,
        kind: &GroupResource,
        namespace: &str,
        name: &str,
        subresource: &str,
        manager: &str,
        change: impl FnOnce(&mut Value),
    ) -> Result<Arc<Value>, ApiError> {
        let write = Write::by(manager, self.now()).on(subresource);
        self.step(|state| {
            let resource = state.stored_resource(kind)?;
            let changed = |state: &State, live: &Value| {
                let mut object = live.clone();
                change(&mut object);
                state.prepare_part(&resource, subresource, object)
            };
            state.update(&resource, namespace, name, &write, changed)
        })
    }

    /// Deletes an object, or starts to: finalizers and grace periods hold it back.
    pub fn delete(
        &self,
        kind: &GroupResource,
        namespace: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Deleted, ApiError> {
        let now = self.now();
        self.step(|state| {
            let resource = state.stored_resource(kind)?;
            state.delete(&resource, namespace, name, options, now)
        })
    }

    /// Follows changes after `from`; after now when nothing is given.
    pub fn subscribe(&self, from: Option<u64>) -> Subscription {
        Subscription::new(self.clone(), from.unwrap_or_else(|| self.revision()))
    }

    /// Waits until the revision is another one.
    pub(crate) async fn moved_from(&self, revision: u64) -> u64 {
        loop {
            let changed = self.0.changed.notified();
            let now = self.revision();
            if now != revision {
                return now;
            }
            changed.await;
        }
    }

    pub(crate) fn changes_since(&self, revision: u64) -> Result<Vec<Change>, ApiError> {
        let state = self.lock();
        match state.store.since(revision) {
            Ok(changes) => Ok(changes.cloned().collect()),
            Err(compacted) => {
                Err(ApiError::expired(format!("too old resource version: {revision} ({})", compacted.oldest)))
            }
        }
    }

    /// Forgets past changes: watches that resume from an older revision get 410 `Expired`.
    pub fn forget_history(&self) {
        self.step(|state| state.store.compact());
    }

    /// A number below `below` that the seed decides.
    pub fn random(&self, below: u64) -> u64 {
        self.lock().ids.below(below)
    }

    /// Five letters that the seed decides, as in generated names.
    pub fn random_suffix(&self) -> String {
        self.lock().ids.suffix()
    }
}

impl State {
    pub(crate) fn stored_resource(&self, kind: &GroupResource) -> Result<Arc<Resource>, ApiError> {
        self.registry.stored(kind).ok_or_else(ApiError::no_such_resource)
    }
}
