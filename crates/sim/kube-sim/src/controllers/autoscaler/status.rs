//! What an autoscaler says about itself.

use super::MANAGER;
use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::kind::HORIZONTAL_POD_AUTOSCALERS;
use crate::object::{Object, time_text};
use serde_json::{Value, json};
use windlass_model::Timestamp;

#[derive(Debug)]
pub(super) struct Status {
    new: Value,
    now: Timestamp,
}

impl Status {
    pub(super) fn of(scaler: &Value, now: Timestamp) -> Self {
        Self { new: scaler.get("status").cloned().unwrap_or_else(|| json!({})), now }
    }

    /// Sets a condition where it stands; its time tells when its status changed.
    pub(super) fn condition(&mut self, kind: &str, is_true: bool, reason: &str, told: impl Into<String>) {
        let status = if is_true { "True" } else { "False" };
        let mut all = self.new.list("/conditions").to_vec();
        let at = all.iter().position(|condition| condition.text("/type") == kind).unwrap_or_else(|| {
            all.push(json!({"type": kind}));
            all.len() - 1
        });
        if all[at].text("/status") != status {
            all[at].set("/lastTransitionTime", time_text(self.now));
        }
        all[at].set("/status", status);
        all[at].set("/reason", reason);
        all[at].set("/message", told.into());
        self.new.set("/conditions", all);
    }

    /// After a round that came to no decision: the desired size stays.
    pub(super) fn keep(&mut self, current: i64, metrics: Vec<Value>) {
        let desired = self.new.int("/desiredReplicas").unwrap_or(0);
        self.set(current, desired, metrics, None);
    }

    /// The real one does not say which generation it has seen, and takes away what was said of it.
    pub(super) fn set(&mut self, current: i64, desired: i64, metrics: Vec<Value>, scaled: Option<Timestamp>) {
        let mut status = json!({"desiredReplicas": desired, "currentMetrics": Value::Null});
        if current != 0 {
            status.set("/currentReplicas", current);
        }
        if !metrics.is_empty() {
            status.set("/currentMetrics", metrics);
        }
        let last = scaled.map(|at| Value::from(time_text(at))).or_else(|| self.new.get("lastScaleTime").cloned());
        for (field, value) in [("/lastScaleTime", last), ("/conditions", self.new.get("conditions").cloned())] {
            if let Some(value) = value.filter(|value| !value.is_null()) {
                status.set(field, value);
            }
        }
        self.new = status;
    }

    /// Writes it, when it says something new.
    pub(super) fn write(self, cluster: &Cluster, scaler: &Value) -> Result<(), ApiError> {
        let said = scaler.get("status").cloned().unwrap_or_else(|| json!({}));
        if plain(&said) == plain(&self.new) {
            return Ok(());
        }
        let (namespace, name) = (scaler.namespace(), scaler.name());
        cluster.modify(&HORIZONTAL_POD_AUTOSCALERS, namespace, name, "status", MANAGER, |object| {
            object.set("/status", self.new);
        })?;
        Ok(())
    }
}

/// Without what means the same as its absence.
fn plain(status: &Value) -> Value {
    let mut status = status.clone();
    if let Value::Object(map) = &mut status {
        map.retain(|_, value| !value.is_null() && *value != json!(0) && *value != json!([]));
    }
    status
}
