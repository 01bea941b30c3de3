//! Events: what controllers tell people. Repeated ones are counted, and all are forgotten after an hour.

use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{EVENTS, GroupResource, ObjectKey};
use crate::object::{Object, time_text};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use windlass_model::{Millis, Timestamp};

/// Whoever writes events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorder<'a> {
    /// `deployment-controller`, `kubelet`.
    pub(super) component: &'a str,
    /// The node of a kubelet; else empty.
    pub(super) host: &'a str,
}

impl<'a> Recorder<'a> {
    pub(super) const fn new(component: &'a str) -> Self {
        Self { component, host: "" }
    }

    pub(super) fn normal(&self, cluster: &Cluster, about: &Value, reason: &str, message: impl AsRef<str>) {
        self.record(cluster, about, "", "Normal", reason, message.as_ref());
    }

    pub(super) fn warning(&self, cluster: &Cluster, about: &Value, reason: &str, message: impl AsRef<str>) {
        self.record(cluster, about, "", "Warning", reason, message.as_ref());
    }

    /// Writes one event, or counts it when it was written before. `field` is a path within the object.
    pub(super) fn record(
        &self,
        cluster: &Cluster,
        about: &Value,
        field: &str,
        severity: &str,
        reason: &str,
        message: &str,
    ) {
        let namespace = if about.namespace().is_empty() { "default" } else { about.namespace() };
        let name = self.name(about, field, severity, reason, message);
        let now = time_text(cluster.now());
        let manager = self.component;
        let written = if cluster.get(&EVENTS, namespace, &name).is_some() {
            cluster.modify(&EVENTS, namespace, &name, "", manager, |event| {
                let count = event.int("/count").unwrap_or(1) + 1;
                event.set("/count", count);
                event.set("/lastTimestamp", now.as_str());
            })
        } else {
            let mut regarding = json!({
                "kind": about.kind(), "name": about.name(), "uid": about.uid(), "apiVersion": about.api_version(),
                "resourceVersion": about.text("/metadata/resourceVersion"),
            });
            for (key, value) in [("/namespace", about.namespace()), ("/fieldPath", field)] {
                if !value.is_empty() {
                    regarding.set(key, value);
                }
            }
            let mut source = json!({"component": self.component});
            if !self.host.is_empty() {
                source.set("/host", self.host);
            }
            let event = json!({
                "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": namespace},
                "involvedObject": regarding, "reason": reason, "message": message, "source": source,
                "firstTimestamp": now, "lastTimestamp": now, "count": 1, "type": severity,
                "reportingComponent": self.component, "reportingInstance": self.host,
            });
            cluster.create(&EVENTS, event, manager)
        };
        // A namespace that goes takes no new events; nobody's work depends on them.
        if let Err(error) = written {
            tracing::debug!(%error, reason, "event not written");
        }
    }

    /// The same for the same event, so that it can be counted.
    fn name(&self, about: &Value, field: &str, severity: &str, reason: &str, message: &str) -> String {
        let mut hash = Sha256::new();
        for part in [self.component, self.host, about.uid(), field, severity, reason, message] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        let digest: String = hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}.{digest}", about.name())
    }
}

/// How long events are kept, as by the real API server.
const KEPT: Millis = Millis::from_secs(3_600);

/// Forgets old events.
#[derive(Debug)]
pub(super) struct EventTtl;

impl Controller for EventTtl {
    fn name(&self) -> &'static str {
        "event-ttl"
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![EVENTS]
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(event) = cluster.get(&key.kind, &key.namespace, &key.name) else { return Ok(None) };
        let written = Timestamp::parse(event.text("/lastTimestamp")).or_else(|| event.created_at());
        let expires = written.unwrap_or_else(|| cluster.now()) + KEPT;
        if expires > cluster.now() {
            return Ok(Some(expires.since(cluster.now())));
        }
        cluster.delete(&key.kind, &key.namespace, &key.name, &Default::default()).map(|_| None)
    }
}
