//! Running controllers: a queue of keys, one reconcile at a time, in an order that the seed and the clock decide.

use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::kind::{GroupResource, ObjectKey};
use crate::store::Change;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use windlass_model::{Millis, Timestamp};

/// Moves objects towards what they ask for.
///
/// A reconcile is one call without awaits: it reads what it needs from the cluster, writes, and says when to be asked again.
/// It gets no data with its key and must be safe to repeat.
pub trait Controller: Send + Sync + fmt::Debug {
    /// Its name in events and logs, as the real one: `deployment-controller`.
    fn name(&self) -> &'static str;

    /// Kinds whose changes it wants to hear of.
    fn watches(&self) -> Vec<GroupResource>;

    /// Whether it wants to hear of changes of a kind: one of those it watches. Who hears of all kinds says so here.
    fn hears(&self, kind: &GroupResource) -> bool {
        self.watches().contains(kind)
    }

    /// Which of its own objects a change concerns. By default the changed object itself.
    fn keys(&self, cluster: &Cluster, change: &Change) -> Vec<ObjectKey> {
        let _ = cluster;
        vec![change.key.clone()]
    }

    /// Does one step for one object, which may be gone. Answers when to look again; nothing for at the next change.
    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError>;
}

/// A failed reconcile is tried again after this time, doubled each time up to [`RETRY_MOST`].
const RETRY_FIRST: Millis = Millis(10);
const RETRY_MOST: Millis = Millis(10_000);
/// Reconciles without a pause before others get a turn.
const TURN: usize = 32;

type Task = (usize, ObjectKey);

/// The controllers of one cluster and their queue.
#[derive(Debug)]
pub struct ControllerManager {
    cluster: Cluster,
    controllers: Vec<Arc<dyn Controller>>,
    queue: VecDeque<Task>,
    queued: BTreeSet<Task>,
    timers: BTreeMap<(Timestamp, u64), Task>,
    /// When a task was asked to run again: only its nearest timer counts.
    due: HashMap<Task, Timestamp>,
    failures: HashMap<Task, u32>,
    count: u64,
}

impl ControllerManager {
    pub fn new(cluster: Cluster, controllers: Vec<Arc<dyn Controller>>) -> Self {
        Self {
            cluster,
            controllers,
            queue: VecDeque::new(),
            queued: BTreeSet::new(),
            timers: BTreeMap::new(),
            due: HashMap::new(),
            failures: HashMap::new(),
            count: 0,
        }
    }

    /// Runs until dropped. Waits for changes and for the clock; starts no task of its own.
    pub async fn run(mut self) {
        let mut changes = self.cluster.subscribe(Some(self.cluster.revision()));
        self.enqueue_all();
        loop {
            match changes.ready() {
                Ok(changes) => changes.iter().for_each(|c| self.notice(c)),
                // Too much happened at once: look at everything again.
                Err(_) => {
                    changes = self.cluster.subscribe(None);
                    self.enqueue_all();
                }
            }
            self.fire(self.cluster.now());
            for _ in 0..TURN {
                let Some(task) = self.queue.pop_front() else { break };
                self.queued.remove(&task);
                self.work(task);
            }
            if !self.queue.is_empty() {
                tokio::task::yield_now().await;
                continue;
            }
            let next = self.timers.keys().next().map(|(at, _)| *at);
            let next = [next, self.cluster.faults().next_edge(self.cluster.now())].into_iter().flatten().min();
            let clock = *self.cluster.clock();
            match next {
                Some(at) => {
                    let pending = std::pin::pin!(changes.wait());
                    let alarm = std::pin::pin!(clock.sleep_until(at));
                    let alarm_rang =
                        matches!(futures::future::select(pending, alarm).await, futures::future::Either::Right(_));
                    if alarm_rang && self.timers.keys().next().is_none_or(|(first, _)| *first > at) {
                        // A fault began or ended: pods and nodes may stand differently.
                        self.enqueue_all();
                    }
                }
                None => changes.wait().await,
            }
        }
    }

    /// Works until nothing is left that the present moment asks for. For tests and for states built without a clock.
    pub fn settle(&mut self) {
        let mut changes = self.cluster.subscribe(None);
        self.enqueue_all();
        loop {
            if let Ok(changes) = changes.ready() {
                changes.iter().for_each(|c| self.notice(c));
            }
            self.fire(self.cluster.now());
            let Some(task) = self.queue.pop_front() else { return };
            self.queued.remove(&task);
            self.work(task);
        }
    }

    fn enqueue(&mut self, task: Task) {
        if self.queued.insert(task.clone()) {
            self.queue.push_back(task);
        }
    }

    fn enqueue_all(&mut self) {
        for (kind, object) in self.cluster.everything() {
            let change = existing(kind, object);
            self.notice(&change);
        }
    }

    fn notice(&mut self, change: &Change) {
        for i in 0..self.controllers.len() {
            let controller = self.controllers[i].clone();
            if controller.hears(&change.key.kind) {
                for key in controller.keys(&self.cluster, change) {
                    self.enqueue((i, key));
                }
            }
        }
    }

    fn fire(&mut self, now: Timestamp) {
        while let Some((&(at, n), _)) = self.timers.iter().next().filter(|((at, _), _)| *at <= now) {
            if let Some(task) = self.timers.remove(&(at, n))
                && self.due.get(&task) == Some(&at)
            {
                self.due.remove(&task);
                self.enqueue(task);
            }
        }
    }

    fn after(&mut self, wait: Millis, task: Task) {
        let at = self.cluster.now() + wait;
        if self.due.get(&task).is_some_and(|d| *d <= at) {
            return;
        }
        self.count += 1;
        self.due.insert(task.clone(), at);
        self.timers.insert((at, self.count), task);
    }

    fn work(&mut self, task: Task) {
        let (i, key) = &task;
        let controller = self.controllers[*i].clone();
        match controller.reconcile(&self.cluster, key) {
            Ok(again) => {
                self.failures.remove(&task);
                if let Some(wait) = again {
                    self.after(wait, task);
                }
            }
            Err(error) => {
                let failures = self.failures.entry(task.clone()).or_default();
                let wait = RETRY_FIRST.0.saturating_mul(1 << (*failures).min(20)).min(RETRY_MOST.0);
                *failures += 1;
                tracing::debug!(controller = controller.name(), %key, %error, "reconcile failed");
                self.after(Millis(wait), task);
            }
        }
    }
}

/// An object that was there already, as if it had just come.
fn existing(kind: GroupResource, object: Arc<Value>) -> Change {
    use crate::object::Object;
    let key = kind.key(object.namespace(), object.name());
    Change { revision: object.revision(), key, action: crate::store::Action::Added, object, before: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::kind::{CONFIG_MAPS, NAMESPACES};
    use crate::object::Object;
    use crate::sim::KubeSim;
    use serde_json::json;
    use windlass_clock::{Clock, virtual_runtime};

    /// Counts up to three in the data of every ConfigMap, one step a minute.
    #[derive(Debug)]
    struct Counter;

    impl Controller for Counter {
        fn name(&self) -> &'static str {
            "counter"
        }

        fn watches(&self) -> Vec<GroupResource> {
            vec![CONFIG_MAPS]
        }

        fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
            let Some(map) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
            let n: u32 = map.text("/data/n").parse().unwrap_or(0);
            let at: i64 = map.text("/data/at").parse().unwrap_or(0);
            let waited = cluster.now().secs() - at;
            if n >= 3 {
                return Ok(None);
            }
            if waited < 60 {
                return Ok(Some(Millis::from_secs(60 - waited.unsigned_abs())));
            }
            let mut next = Value::clone(&map);
            next.set("/data/n", (n + 1).to_string());
            next.set("/data/at", cluster.now().secs().to_string());
            cluster.update(&key.kind, next, self.name())?;
            Ok(None)
        }
    }

    #[test]
    fn reconciles_follow_changes_and_the_clock() {
        virtual_runtime().unwrap().block_on(async {
            let clock = Clock::simulated(Timestamp::from_secs(1_000));
            let sim = KubeSim::new(Config { controllers: false, ..Config::new(clock) }).unwrap();
            let cluster = sim.cluster().clone();
            cluster.create(&NAMESPACES, json!({"metadata": {"name": "n"}}), "test").unwrap();
            cluster.create(&CONFIG_MAPS, json!({"metadata": {"name": "c", "namespace": "n"}}), "test").unwrap();
            let manager = ControllerManager::new(cluster.clone(), vec![Arc::new(Counter)]);
            let done = clock.timeout(Millis::from_secs(600), manager.run()).await;
            assert!(done.is_err(), "a manager never ends by itself");
            let map = cluster.get(&CONFIG_MAPS, "n", "c").unwrap();
            assert_eq!((map.text("/data/n"), map.text("/data/at")), ("3", "1120"));
        });
    }
}
