//! Probes, as a container declares them.

use crate::object::Object;
use serde_json::Value;
use windlass_model::{Millis, Timestamp};

/// One kind of probe of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    pub(super) initial: Millis,
    pub(super) period: Millis,
    pub(super) successes: i64,
    pub(super) failures: i64,
    /// What the kubelet says when it fails.
    pub(super) complaint: String,
}

impl Probe {
    /// `kind` is `readinessProbe` or `startupProbe`.
    pub(super) fn of(container: &Value, kind: &str, ip: &str) -> Option<Self> {
        let probe = container.get(kind).filter(|probe| probe.is_object())?;
        let number = |field: &str, default: i64| probe.int(field).unwrap_or(default).max(0);
        let port = |of: &str| match probe.at(of) {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::String(name)) => {
                let named = container.list("/ports").iter().find(|port| port.text("/name") == name);
                named.and_then(|port| port.int("/containerPort")).map_or_else(|| name.clone(), |port| port.to_string())
            }
            _ => String::new(),
        };
        let title = if kind == "startupProbe" { "Startup" } else { "Readiness" };
        let found = match () {
            () if probe.get("httpGet").is_some() => "HTTP probe failed with statuscode: 503".to_owned(),
            () if probe.get("tcpSocket").is_some() => {
                format!("dial tcp {ip}:{}: connect: connection refused", port("/tcpSocket/port"))
            }
            () if probe.get("grpc").is_some() => "service unhealthy (responded with \"NOT_SERVING\")".to_owned(),
            () => "command terminated with exit code 1".to_owned(),
        };
        Some(Self {
            initial: Millis::from_secs(number("/initialDelaySeconds", 0).unsigned_abs()),
            period: Millis::from_secs(number("/periodSeconds", 10).max(1).unsigned_abs()),
            successes: number("/successThreshold", 1).max(1),
            failures: number("/failureThreshold", 3).max(1),
            complaint: format!("{title} probe failed: {found}"),
        })
    }
}

/// How a process stands with its probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Probing {
    /// When the next one is due; nothing when none is needed.
    pub(super) next: Option<Timestamp>,
    pub(super) in_a_row: i64,
    was_good: bool,
}

impl Probing {
    pub(super) fn from(next: Timestamp) -> Self {
        Self { next: Some(next), ..Self::default() }
    }

    /// Counts a result; how often it came in a row.
    pub(super) fn count(&mut self, is_good: bool) -> i64 {
        self.in_a_row = if self.was_good == is_good { self.in_a_row + 1 } else { 1 };
        self.was_good = is_good;
        self.in_a_row
    }
}
