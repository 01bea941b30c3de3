//! Where a StatefulSet stands, in numbers.

use super::super::pod::{Availability, availability, is_over};
use super::super::revision;
use super::identity;
use crate::object::Object;
use serde_json::{Value, json};
use std::sync::Arc;
use windlass_model::{Millis, Timestamp};

/// What order waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    Leaving,
    Over,
    NotReady,
    /// Ready, but not for long enough.
    Ready,
    Available,
}

impl Health {
    pub(super) fn of(pod: &Value, min_ready_seconds: i64, now: Timestamp) -> Self {
        if pod.is_deleting() {
            return Self::Leaving;
        }
        if is_over(pod) {
            return Self::Over;
        }
        match availability(pod, min_ready_seconds, now) {
            Availability::Not => Self::NotReady,
            Availability::In(_) => Self::Ready,
            Availability::Yes => Self::Available,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    replicas: i64,
    ready: i64,
    available: i64,
    current: i64,
    updated: i64,
    revisions: (String, String),
    /// When the next pod has been ready long enough.
    pub(super) next: Option<Millis>,
}

impl Standing {
    pub(super) fn of(set: &Value, pods: &[Arc<Value>], current: &str, update: &str, now: Timestamp) -> Self {
        let min_ready = set.int("/spec/minReadySeconds").unwrap_or(0);
        let revisions = (current.to_owned(), update.to_owned());
        let mut standing = Self { replicas: 0, ready: 0, available: 0, current: 0, updated: 0, revisions, next: None };
        for pod in pods.iter().filter(|pod| identity::ordinal(set, pod.name()).is_some()) {
            standing.replicas += 1;
            match availability(pod, min_ready, now) {
                Availability::Not => {}
                Availability::In(wait) => {
                    standing.ready += 1;
                    standing.next = Some(standing.next.map_or(wait, |known| known.min(wait)));
                }
                Availability::Yes => {
                    standing.ready += 1;
                    standing.available += 1;
                }
            }
            if !pod.is_deleting() {
                let revision = pod.label(revision::LABEL);
                standing.current += i64::from(revision == Some(current));
                standing.updated += i64::from(revision == Some(update));
            }
        }
        // Everything is new and ready: what was the update is the present.
        let is_rolling = set.text("/spec/updateStrategy/type") != "OnDelete";
        let wanted = set.int("/spec/replicas").unwrap_or(1);
        let is_done = standing.updated == wanted && standing.replicas == wanted && standing.ready == wanted;
        if is_rolling && is_done {
            standing.current = standing.updated;
            standing.revisions.0 = update.to_owned();
        }
        standing
    }

    pub(super) fn status(&self, set: &Value, old: &Value) -> Value {
        let mut status = json!({
            "observedGeneration": set.generation(), "replicas": self.replicas, "availableReplicas": self.available,
            "currentRevision": self.revisions.0, "updateRevision": self.revisions.1,
            "collisionCount": old.int("/collisionCount").unwrap_or(0),
        });
        for (field, number) in
            [("/readyReplicas", self.ready), ("/currentReplicas", self.current), ("/updatedReplicas", self.updated)]
        {
            if number != 0 {
                status.set(field, number);
            }
        }
        status
    }
}
