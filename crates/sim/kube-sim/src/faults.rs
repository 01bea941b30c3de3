//! What goes wrong, as data.
//!
//! A plan is a document; nothing in it happens by chance: rates draw from the seed, times count from the start of the plan.

mod matching;
mod plan;

pub use plan::{
    ApiFault, CrashFault, FaultPlan, FlapFault, NodeFault, PlanError, PodFault, PodMatch, RequestMatch, WatchFault,
};

use crate::kind::GroupResource;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use windlass_model::{Millis, Timestamp};

/// A request as faults see it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub verb: &'a str,
    pub kind: &'a GroupResource,
    pub namespace: &'a str,
    pub name: &'a str,
    pub user: &'a str,
}

/// What happens to a request before it is served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiEffect {
    pub latency: Millis,
    /// The answer instead of the real one: status and, for 429, seconds to wait.
    pub status: Option<(u16, u32)>,
}

/// What happens to a watch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchEffect {
    pub drop_after: Option<Millis>,
    pub drop_after_events: Option<u32>,
    /// Ends with 410 `Expired` instead of silently.
    pub expired: bool,
}

/// The plan at work. It can be replaced while the cluster runs.
#[derive(Debug)]
pub struct Faults(Mutex<Running>);

#[derive(Debug)]
struct Running {
    plan: FaultPlan,
    started: Timestamp,
    seed: u64,
    draws: u64,
    /// How often each fault of the API has struck.
    struck: HashMap<usize, u32>,
    watches_struck: HashMap<usize, u32>,
}

impl Faults {
    pub fn new(plan: FaultPlan, seed: u64, now: Timestamp) -> Self {
        let (struck, watches_struck) = (HashMap::new(), HashMap::new());
        Self(Mutex::new(Running { plan, started: now, seed, draws: 0, struck, watches_struck }))
    }

    /// Replaces the plan; times and counters start anew.
    pub fn replace(&self, plan: FaultPlan, now: Timestamp) {
        let mut running = self.lock();
        running.plan = plan;
        running.started = now;
        running.struck.clear();
        running.watches_struck.clear();
    }

    pub fn plan(&self) -> FaultPlan {
        self.lock().plan.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to do to a request. Latencies of several faults add up; the first status wins.
    pub fn on_request(&self, request: Request<'_>, now: Timestamp) -> ApiEffect {
        let mut running = self.lock();
        let mut effect = ApiEffect::default();
        for i in 0..running.plan.api.len() {
            let fault = &running.plan.api[i];
            if !fault.on.fits(request) || !fault.holds(now.since(running.started)) {
                continue;
            }
            let (rate, next, latency) = (fault.rate, fault.next, fault.latency);
            let status = fault.status.map(|s| (s, u32::try_from(fault.retry_after.secs()).unwrap_or(u32::MAX)));
            if next.is_some_and(|n| running.struck.get(&i).is_some_and(|s| *s >= n)) || !running.chance(rate) {
                continue;
            }
            *running.struck.entry(i).or_default() += 1;
            effect.latency = Millis(effect.latency.0.saturating_add(latency.0));
            effect.status = effect.status.or(status);
        }
        effect
    }

    /// What to do to a watch that begins now.
    pub fn on_watch(&self, request: Request<'_>, now: Timestamp) -> WatchEffect {
        let mut running = self.lock();
        for i in 0..running.plan.watches.len() {
            let fault = &running.plan.watches[i];
            let spent = fault.next.is_some_and(|n| running.watches_struck.get(&i).is_some_and(|s| *s >= n));
            if !spent && fault.on.fits(request) && fault.holds(now.since(running.started)) {
                let effect = WatchEffect {
                    drop_after: fault.drop_after,
                    drop_after_events: fault.drop_after_events,
                    expired: fault.expired,
                };
                *running.watches_struck.entry(i).or_default() += 1;
                return effect;
            }
        }
        WatchEffect::default()
    }

    /// Faults that strike this pod now.
    pub fn on_pod(&self, pod: &Value, now: Timestamp) -> Vec<PodFault> {
        let running = self.lock();
        let passed = now.since(running.started);
        running.plan.pods.iter().filter(|f| f.on.fits(pod) && f.holds(passed)).cloned().collect()
    }

    /// Whether the node is lost now.
    pub fn node_is_lost(&self, node: &str, now: Timestamp) -> bool {
        let running = self.lock();
        let passed = now.since(running.started);
        running.plan.nodes.iter().any(|f| matching::glob(&f.node, node) && f.holds(passed))
    }

    /// The next moment at which a fault begins or ends: something may have to be looked at again.
    pub fn next_edge(&self, now: Timestamp) -> Option<Timestamp> {
        let running = self.lock();
        let plan = &running.plan;
        let pods = plan.pods.iter().flat_map(|f| [Some(f.after), f.until]);
        let edges = pods.chain(plan.nodes.iter().flat_map(|f| [Some(f.after), f.until])).flatten();
        edges.map(|e| running.started + e).filter(|at| *at > now).min()
    }
}

impl Running {
    fn chance(&mut self, rate: f64) -> bool {
        if rate >= 1.0 {
            return true;
        }
        self.draws += 1;
        // SplitMix64 over seed and count.
        let mut z = self.seed.wrapping_add(self.draws.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        #[allow(clippy::cast_precision_loss)] // 53 bits fit
        let drawn = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        drawn < rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::{CONFIG_MAPS, PODS};
    use serde_json::json;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_secs(seconds)
    }

    fn request<'a>(verb: &'a str, kind: &'a GroupResource) -> Request<'a> {
        Request { verb, kind, namespace: "prod", name: "x", user: "u" }
    }

    #[test]
    fn the_next_two_requests_fail_and_then_it_is_over() {
        let plan = json!({"api": [{"on": {"verbs": ["get"]}, "status": 503, "next": 2, "latency": "200ms"}]});
        let faults = Faults::new(FaultPlan::from_json(&plan).unwrap(), 1, at(0));
        let codes: Vec<_> =
            (0..3).map(|_| faults.on_request(request("get", &PODS), at(1)).status.map(|s| s.0)).collect();
        assert_eq!(codes, [Some(503), Some(503), None]);
        assert_eq!(faults.on_request(request("list", &PODS), at(1)), ApiEffect::default());
    }

    #[test]
    fn a_rate_is_drawn_from_the_seed() {
        let plan = FaultPlan::from_json(&json!({"api": [{"status": 429, "retryAfter": "3s", "rate": 0.5}]})).unwrap();
        let run = |seed| {
            let faults = Faults::new(plan.clone(), seed, at(0));
            (0..1000).map(|_| faults.on_request(request("get", &PODS), at(1)).status).collect::<Vec<_>>()
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
        let struck = run(7).iter().flatten().count();
        assert!((400..600).contains(&struck), "{struck}");
        assert_eq!(run(7).into_iter().flatten().next(), Some((429, 3)));
    }

    #[test]
    fn faults_match_kinds_pods_and_times() {
        let plan = FaultPlan::from_json(&json!({
            "api": [{"on": {"resources": ["configmaps"], "namespaces": ["pr*"]}, "status": 500}],
            "pods": [{"on": {"image": "*/web:v3*", "labels": {"app": "web"}}, "imagePull": "not found", "after": "10s", "until": "20s"}],
            "nodes": [{"node": "node-1", "after": "5s"}],
        }))
        .unwrap();
        let faults = Faults::new(plan, 1, at(100));
        assert!(faults.on_request(request("get", &CONFIG_MAPS), at(101)).status.is_some());
        assert!(faults.on_request(request("get", &PODS), at(101)).status.is_none());
        let pod =
            json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"image": "reg.io/web:v3.1"}]}});
        let strikes = |second| faults.on_pod(&pod, at(second)).len();
        assert_eq!((strikes(105), strikes(110), strikes(120)), (0, 1, 0));
        assert!(!faults.node_is_lost("node-1", at(104)) && faults.node_is_lost("node-1", at(105)));
        assert_eq!(faults.next_edge(at(106)), Some(at(110)));
    }
}
