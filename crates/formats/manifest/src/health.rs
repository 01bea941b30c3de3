//! Whether a live object has reached its steady state, and if not, why (kubernetes-deploy §2.3).
//!
//! [`assess`] is a function of what was read from the cluster and of the time. It fails early: a pod whose image cannot be
//! pulled is reported with its name and reason long before a deadline expires. The caller asks again until the verdict
//! stays the same for two evaluations.

mod batch;
mod condition;
mod custom;
mod daemon_set;
mod deployment;
mod events;
mod pod;
mod replica_set;
mod resource;
mod revision;
mod select;
mod stateful_set;

pub use custom::{Conditions, Language};
pub use events::{EventLine, warnings};
pub use pod::instances;
pub use revision::pods_of_new_revision;
pub use select::JsonSelect;

use crate::well_known::OPENSHIFT_APPS;
use crate::{Gvk, Json, field};
use jiff::Timestamp;
use std::fmt;
use std::time::Duration;

/// What was read from the cluster around an object. All of it may be missing; the verdict is coarser then.
#[derive(Clone, Copy, Debug, Default)]
pub struct Related<'a> {
    /// Pods of the workload, of any revision.
    pub pods: &'a [Json],
    /// ReplicaSets of a Deployment.
    pub replica_sets: &'a [Json],
    /// ControllerRevisions of a DaemonSet or StatefulSet.
    pub revisions: &'a [Json],
    /// Events of the object and of its pods.
    pub events: &'a [Json],
    /// The StorageClass of a PersistentVolumeClaim.
    pub storage_class: Option<&'a Json>,
}

/// When a symptom counts as a failure. Each can be set for a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long an image may fail to be pulled, or a container fail to be made.
    pub container_grace: Duration,
    /// Restarts after which a crash loop is a failure.
    pub crash_restarts: u32,
    /// How often a container may run out of memory.
    pub memory_kills: u32,
    /// How long a pod may find no node, unless a cluster autoscaler is at work.
    pub unschedulable: Duration,
    /// How long pods may fail to be created (quota, admission).
    pub replica_failure: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            container_grace: Duration::from_secs(60),
            crash_restarts: 3,
            memory_kills: 2,
            unschedulable: Duration::from_secs(120),
            replica_failure: Duration::from_secs(30),
        }
    }
}

/// What a look at an object says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Steady. The notice is worth a line in the log.
    Ready { notice: Option<String> },
    /// Not yet; the reason is shown while people wait, and told when the time is up.
    Progressing { reason: String },
    /// Will not become ready by waiting.
    Failed(Box<Failed>),
    /// Stopped on purpose.
    Suspended { reason: String },
}

/// Why an object will not become ready.
#[derive(Clone, Debug, PartialEq)]
pub struct Failed {
    pub cause: Cause,
    /// One sentence for people.
    pub message: String,
    pub pod: Option<PodFailure>,
    /// The newest warnings, newest first, at most ten.
    pub events: Vec<EventLine>,
}

/// The pod that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodFailure {
    pub pod: String,
    pub container: Option<String>,
    pub image: Option<String>,
    /// As Kubernetes names it: `ImagePullBackOff`.
    pub reason: String,
    pub message: String,
    pub exit_code: Option<i64>,
    pub restarts: i64,
}

/// What kind of failure it is: decides about the failure type of the step (kubernetes-deploy §2.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// `progressDeadlineSeconds` expired.
    DeadlineExceeded,
    /// The image cannot be pulled or has no valid name.
    Image,
    /// The container cannot be made: a missing ConfigMap or Secret, a command that is not there.
    Container,
    /// The container ends again and again.
    Crash,
    OutOfMemory,
    Unschedulable,
    /// Pods are not created: quota, admission.
    Quota,
    /// A pod or job ended without success.
    Ended,
    /// The object says of itself that it failed.
    Condition,
    /// The object is going away, or what it needs is lost.
    Gone,
}

impl Verdict {
    pub fn ready() -> Self {
        Self::Ready { notice: None }
    }

    pub fn ready_with(notice: impl Into<String>) -> Self {
        Self::Ready { notice: Some(notice.into()) }
    }

    pub fn progressing(reason: impl Into<String>) -> Self {
        Self::Progressing { reason: reason.into() }
    }

    pub fn suspended(reason: impl Into<String>) -> Self {
        Self::Suspended { reason: reason.into() }
    }

    pub fn failed(cause: Cause, message: impl Into<String>) -> Self {
        Self::Failed(Box::new(Failed { cause, message: message.into(), pod: None, events: Vec::new() }))
    }

    pub fn is_ready(&self) -> bool {
        matches!(self, Self::Ready { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready { notice: None } => f.write_str("ready"),
            Self::Ready { notice: Some(notice) } => write!(f, "ready ({notice})"),
            Self::Progressing { reason } => f.write_str(reason),
            Self::Failed(failed) => f.write_str(&failed.message),
            Self::Suspended { reason } => write!(f, "suspended: {reason}"),
        }
    }
}

/// Everything a rule may look at.
#[derive(Clone, Copy)]
struct Look<'a> {
    object: &'a Json,
    related: &'a Related<'a>,
    settings: &'a Settings,
    now: Timestamp,
}

/// Looks at a live object.
///
/// `conditions` evaluates the expressions of annotated custom kinds; [`JsonSelect`] knows the documented form.
pub fn assess(
    object: &Json,
    related: &Related<'_>,
    settings: &Settings,
    conditions: &dyn Conditions,
    now: Timestamp,
) -> Verdict {
    let look = Look { object, related, settings, now };
    let mut verdict = if object.pointer("/metadata/deletionTimestamp").is_some() && !look.is("", "Namespace") {
        Verdict::progressing(format!("{} is being deleted", look.name()))
    } else {
        rule(&look, conditions)
    };
    if let Verdict::Failed(failed) = &mut verdict {
        failed.events = warnings(related.events);
    }
    verdict
}

fn rule(look: &Look<'_>, conditions: &dyn Conditions) -> Verdict {
    if let Some(verdict) = custom::annotated(look, conditions) {
        return verdict;
    }
    let gvk = look.gvk();
    match (&*gvk.group, &*gvk.kind) {
        ("apps", "Deployment") => deployment::assess(look),
        (OPENSHIFT_APPS, "DeploymentConfig") => deployment::assess_config(look),
        ("apps", "StatefulSet") => stateful_set::assess(look),
        ("apps", "DaemonSet") => daemon_set::assess(look),
        ("apps", "ReplicaSet") | ("", "ReplicationController") => replica_set::assess(look),
        ("", "Pod") => pod::assess(look),
        ("batch", "Job") => batch::job(look),
        ("batch", "CronJob") => Verdict::ready(),
        ("autoscaling", "HorizontalPodAutoscaler") => resource::scaler(look),
        ("", "PersistentVolumeClaim") => resource::volume_claim(look),
        ("", "Service") => resource::service(look),
        ("networking.k8s.io" | "extensions", "Ingress") => Verdict::ready(),
        ("gateway.networking.k8s.io", _) => resource::gateway(look),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => resource::definition(look),
        ("apiregistration.k8s.io", "APIService") => resource::api_service(look),
        ("", "Namespace") => resource::namespace(look),
        _ => custom::assess(look),
    }
}

/// A Job that is gone: complete when it was to be removed after its end and had begun, else nobody knows.
pub fn vanished(last_seen: &Json) -> Verdict {
    batch::vanished(last_seen)
}

impl<'a> Look<'a> {
    fn gvk(&self) -> Gvk {
        let text = |name| field::text(self.object, &[name]).unwrap_or_default();
        Gvk::from_api_version(text("apiVersion"), text("kind"))
    }

    fn is(&self, group: &str, kind: &str) -> bool {
        let gvk = self.gvk();
        gvk.group == group && gvk.kind == kind
    }

    /// `Deployment/web`.
    fn name(&self) -> String {
        let text = |path: &[&str]| field::text(self.object, path).unwrap_or_default();
        format!("{}/{}", text(&["kind"]), text(&["metadata", "name"]))
    }

    fn int(&self, path: &[&str]) -> Option<i64> {
        field::int(self.object, path)
    }

    /// A number of the status, where nothing said means zero.
    fn status(&self, name: &str) -> i64 {
        self.int(&["status", name]).unwrap_or(0)
    }

    fn text(&self, path: &[&str]) -> Option<&'a str> {
        field::text(self.object, path)
    }

    /// Nothing when the controller has seen the current generation.
    fn not_observed(&self) -> Option<Verdict> {
        let generation = self.int(&["metadata", "generation"]).unwrap_or(0);
        (self.status("observedGeneration") < generation)
            .then(|| Verdict::progressing(format!("{}: its controller has not seen the change yet", self.name())))
    }

    /// Whether something began longer ago than `limit`. What has no valid time began long ago.
    fn is_older(&self, began: Option<&str>, limit: Duration) -> bool {
        let Some(began) = began.and_then(|text| text.parse::<Timestamp>().ok()) else { return true };
        let age = self.now.as_millisecond().saturating_sub(began.as_millisecond());
        age > i64::try_from(limit.as_millis()).unwrap_or(i64::MAX)
    }
}
