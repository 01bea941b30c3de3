//! A lock in the cluster, so that a release has one writer (kubernetes-deploy §1.11, "Concurrency lock").
//!
//! The holder renews it every ten seconds. Who could not renew for forty seconds stops writing by himself (see [`Fence`]);
//! after sixty the lock may be taken, and never at first sight: clocks differ, but a holder that lives moves. Another attempt of the same task takes it at once: the server gives a task away only
//! when the worker before can no longer hold it.

use crate::client::Cluster;
use crate::error::ClusterError;
use crate::guard::{Fence, FenceError};
use crate::objects::{Address, Delete};
use crate::{FIELD_MANAGER, Json};
use serde_json::json;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use windlass_manifest::Gvk;
use windlass_model::{Millis, Timestamp};

const DURATION: Millis = Millis::from_secs(60);
const RENEW: Millis = Millis::from_secs(10);
const PATIENCE: Millis = Millis::from_secs(40);
/// Two clocks may differ by so much.
const SKEW: Millis = Millis::from_secs(10);
/// Who lives has renewed the lock within it, whatever its clock says.
const STILL: Millis = Millis::from_secs(2 * RENEW.secs());
const ASK_AGAIN: Millis = Millis::from_secs(2);

/// Which lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    pub namespace: String,
    pub name: String,
}

/// Who holds it: one attempt of one task. Its text is `run/task/attempt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub run: String,
    pub task: String,
    pub attempt: u32,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.run, self.task, self.attempt)
    }
}

impl FromStr for Holder {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.splitn(3, '/');
        let (Some(run), Some(task), Some(attempt)) = (parts.next(), parts.next(), parts.next()) else { return Err(()) };
        Ok(Self { run: run.to_owned(), task: task.to_owned(), attempt: attempt.parse().map_err(drop)? })
    }
}

/// Why the lock was not got.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A later attempt of the same task has it.
    #[error("this task was given to another worker: {by} holds the lock of the release")]
    HandedOn { by: String },
}

/// What to do about the lease that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Decision {
    Create,
    /// Ours: an earlier call of the same attempt, or an attempt before.
    Take,
    /// Its holder is gone.
    Expired {
        by: String,
    },
    Wait {
        by: String,
    },
    HandedOn {
        by: String,
    },
}

/// `unchanged`: how long we have seen the same lease.
fn decide(lease: Option<&Json>, holder: &Holder, now: Timestamp, unchanged: Millis) -> Decision {
    let Some(lease) = lease else { return Decision::Create };
    let text = |name: &str| lease.pointer(&format!("/spec/{name}")).and_then(Json::as_str).unwrap_or_default();
    let by = text("holderIdentity").to_owned();
    if by.is_empty() {
        return Decision::Take;
    }
    if let Ok(other) = by.parse::<Holder>()
        && (&other.run, &other.task) == (&holder.run, &holder.task)
    {
        return if other.attempt > holder.attempt { Decision::HandedOn { by } } else { Decision::Take };
    }
    let duration =
        lease.pointer("/spec/leaseDurationSeconds").and_then(Json::as_u64).map_or(DURATION, Millis::from_secs);
    let renewed = Timestamp::parse(text("renewTime")).unwrap_or(Timestamp::from_micros(0));
    let is_old = now.since(renewed) > Millis(duration.0.saturating_add(SKEW.0));
    if (is_old && unchanged > STILL) || unchanged > duration { Decision::Expired { by } } else { Decision::Wait { by } }
}

/// A lock that is held. Dropping it does not give it back; it expires then.
#[derive(Debug)]
pub struct Held {
    cluster: Cluster,
    at: Address,
    holder: Holder,
    fence: Fence,
    lease: Mutex<Json>,
    /// Whose lock had expired.
    pub taken_from: Option<String>,
}

impl Cluster {
    /// Waits for a lock, and tells `waiting` for whom, once for each holder.
    ///
    /// # Errors
    /// When the server cannot be asked, or when the task was given on.
    pub async fn lock(&self, lock: &Lock, holder: &Holder, mut waiting: impl FnMut(&str)) -> Result<Held, LeaseError> {
        let at =
            self.address(&Gvk::new("coordination.k8s.io", "v1", "Lease"), Some(&lock.namespace), &lock.name).await?;
        let clock = self.clock().real();
        let mut seen = (Json::Null, clock.monotonic());
        let mut told = String::new();
        loop {
            let lease = self.get(&at).await?;
            let spec = lease.as_ref().map(|l| l["spec"].clone()).unwrap_or_default();
            if spec != seen.0 {
                seen = (spec, clock.monotonic());
            }
            let unchanged = Millis::from_std(clock.monotonic().saturating_sub(seen.1));
            let sent = clock.monotonic();
            let (written, taken_from) = match decide(lease.as_ref(), holder, clock.now(), unchanged) {
                Decision::HandedOn { by } => return Err(LeaseError::HandedOn { by }),
                Decision::Wait { by } => {
                    if told != by {
                        waiting(&by);
                        told = by;
                    }
                    clock.sleep(ASK_AGAIN).await;
                    continue;
                }
                Decision::Create => (self.create(&at, &body(lock, holder, clock.now(), None)).await, None),
                Decision::Take => (self.replace(&at, &body(lock, holder, clock.now(), lease.as_ref())).await, None),
                Decision::Expired { by } => {
                    (self.replace(&at, &body(lock, holder, clock.now(), lease.as_ref())).await, Some(by))
                }
            };
            match written {
                Ok(lease) => {
                    let fence = Fence::new(clock, PATIENCE);
                    fence.confirm(sent);
                    let (cluster, lease) = (self.clone(), Mutex::new(lease));
                    return Ok(Held { cluster, at, holder: holder.clone(), fence, lease, taken_from });
                }
                // Somebody was faster, or our own answer was lost: look again.
                Err(error) if error.is_conflict() || error.is_already_there() || error.is_not_found() => {
                    clock.sleep(Millis(100)).await;
                    // A namespace that is not there stays away.
                    if error.is_not_found() && lease.is_none() {
                        return Err(error.into());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The form of a `MicroTime`: always six digits, or the API server refuses it.
fn micro_time(at: Timestamp) -> String {
    format!("{:.6}", at.to_jiff())
}

fn body(lock: &Lock, holder: &Holder, now: Timestamp, live: Option<&Json>) -> Json {
    let text = |name: &str| live.and_then(|live| live.pointer(name)?.as_str());
    let transitions = live.and_then(|live| live.pointer("/spec/leaseTransitions")?.as_u64()).unwrap_or(0);
    let same = text("/spec/holderIdentity") == Some(&holder.to_string());
    let acquired = text("/spec/acquireTime").filter(|_| same).map_or_else(|| micro_time(now), str::to_owned);
    let mut metadata = json!({"name": lock.name, "namespace": lock.namespace,
        "labels": {"app.kubernetes.io/managed-by": FIELD_MANAGER}});
    // Of an object that is gone the server makes a new one, unless a uid says which was meant.
    for name in ["resourceVersion", "uid"] {
        if let Some(value) = text(&format!("/metadata/{name}")) {
            metadata[name] = value.into();
        }
    }
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata,
        "spec": {
            "holderIdentity": holder.to_string(), "leaseDurationSeconds": DURATION.secs(),
            "acquireTime": acquired, "renewTime": micro_time(now),
            "leaseTransitions": transitions + u64::from(live.is_some() && !same),
        },
    })
}

impl Held {
    /// Stands before the writes of whoever holds the lock.
    pub fn fence(&self) -> Fence {
        self.fence.clone()
    }

    /// Renews the lock until it is lost. Run it beside the work.
    pub async fn keep(&self) -> FenceError {
        let clock = self.cluster.clock().real();
        loop {
            let renewal = async {
                clock.sleep(RENEW).await;
                // Who was asleep does not renew what others have by now been free to take.
                if self.fence.check().is_ok() {
                    self.renew().await;
                }
            };
            tokio::select! {
                biased;
                why = self.fence.closed() => return why,
                () = renewal => {}
            }
            if let Err(why) = self.fence.check() {
                return why;
            }
        }
    }

    async fn renew(&self) {
        let clock = self.cluster.clock().real();
        let sent = clock.monotonic();
        let lock = Lock { namespace: self.at.namespace.clone().unwrap_or_default(), name: self.at.name.clone() };
        let mut live = self.live();
        // The second time with what was read again.
        for _ in 0..2 {
            match self.cluster.replace(&self.at, &body(&lock, &self.holder, clock.now(), Some(&live))).await {
                Ok(lease) => {
                    *self.lease.lock().unwrap_or_else(PoisonError::into_inner) = lease;
                    self.fence.confirm(sent);
                    return;
                }
                Err(error) if error.is_conflict() || error.is_not_found() => {
                    let Ok(found) = self.cluster.get(&self.at).await else { return };
                    let holder =
                        found.as_ref().and_then(|l| l.pointer("/spec/holderIdentity")?.as_str()).unwrap_or("nobody");
                    if holder != self.holder.to_string() {
                        self.fence.close(FenceError::TakenOver(holder.to_owned()));
                        return;
                    }
                    live = found.unwrap_or_default();
                }
                Err(error) => {
                    tracing::warn!(cluster = self.cluster.name(), %error, "the lock of the release is not renewed");
                    return;
                }
            }
        }
    }

    fn live(&self) -> Json {
        self.lease.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives the lock back. Whatever fails here only makes the next one wait until it expires.
    pub async fn release(self) {
        self.fence.close(FenceError::Released);
        let mut live = self.live();
        // The second time with what was read again: a renewal was under way.
        for _ in 0..2 {
            let text = |name: &str| live.pointer(name).and_then(Json::as_str).map(str::to_owned);
            let how = Delete {
                uid: text("/metadata/uid"),
                resource_version: text("/metadata/resourceVersion"),
                ..Delete::default()
            };
            match self.cluster.delete(&self.at, &how).await {
                Err(error) if error.is_conflict() => {
                    let Ok(Some(found)) = self.cluster.get(&self.at).await else { return };
                    if found.pointer("/spec/holderIdentity").and_then(Json::as_str) != Some(&self.holder.to_string()) {
                        return;
                    }
                    live = found;
                }
                Err(error) => {
                    tracing::debug!(cluster = self.cluster.name(), %error, "the lock of the release is left to expire");
                    return;
                }
                Ok(_) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(run: &str, attempt: u32) -> Holder {
        Holder { run: run.to_owned(), task: "task_1".to_owned(), attempt }
    }

    fn lease(by: &str, renewed: i64) -> Json {
        json!({"spec": {"holderIdentity": by, "leaseDurationSeconds": 60, "renewTime": Timestamp::from_secs(renewed).to_string()}})
    }

    #[test]
    fn who_gets_the_lock() {
        let me = holder("run_a", 2);
        let look = |by: &str, now: i64, unchanged: u64| {
            decide(Some(&lease(by, 1_000)), &me, Timestamp::from_secs(now), Millis::from_secs(unchanged))
        };
        assert_eq!(decide(None, &me, Timestamp::from_secs(1), Millis::ZERO), Decision::Create);
        assert_eq!(look("run_a/task_1/2", 1_001, 0), Decision::Take);
        assert_eq!(look("run_a/task_1/1", 1_001, 0), Decision::Take);
        assert_eq!(look("run_a/task_1/3", 1_001, 0), Decision::HandedOn { by: "run_a/task_1/3".into() });
        let other = "run_b/task_1/1".to_owned();
        assert_eq!(look(&other, 1_065, 0), Decision::Wait { by: other.clone() });
        assert_eq!(look(&other, 1_071, 21), Decision::Expired { by: other.clone() });
        // Our own clock may be the one that is ahead.
        assert_eq!(look(&other, 9_000, 20), Decision::Wait { by: other.clone() });
        // The other's clock is far ahead: what counts is that nothing moves.
        assert_eq!(look(&other, 0, 61), Decision::Expired { by: other });
        assert_eq!(look("", 1_001, 0), Decision::Take);
        assert_eq!(look("kubectl", 1_001, 0), Decision::Wait { by: "kubectl".into() });
    }

    #[test]
    fn times_have_six_digits() {
        assert_eq!(micro_time(Timestamp::from_secs(1_700_000_000)), "2023-11-14T22:13:20.000000Z");
    }

    #[test]
    fn a_holder_keeps_its_text() {
        let text = "run_01/task_02/3";
        assert_eq!(text.parse::<Holder>().unwrap().to_string(), text);
        assert!("somebody".parse::<Holder>().is_err());
    }
}
