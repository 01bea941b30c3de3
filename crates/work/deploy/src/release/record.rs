use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use windlass_cluster::Json;
use windlass_manifest::{Object, ObjectKey};

/// The form in which records are written.
pub(crate) const SCHEMA: u32 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Status {
    InProgress,
    Succeeded,
    Failed,
    RolledBack,
    /// Succeeded once; a later release took its place. A canary: deleted.
    Superseded,
}

impl Status {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InProgress => "in-progress",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::RolledBack => "rolled-back",
            Self::Superseded => "superseded",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Strategy {
    Rolling,
    Canary,
    Progressive,
    BlueGreen,
    Rollback,
}

/// Which of several copies of the workload a release is. Plain releases have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Track {
    Canary,
    Blue,
    Green,
}

impl Track {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Canary => "canary",
            Self::Blue => "blue",
            Self::Green => "green",
        }
    }
}

/// What is told about a release without reading its objects. All of it is shown to people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Meta {
    pub schema: u32,
    pub release: String,
    pub number: u64,
    pub status: Status,
    pub strategy: Strategy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<Track>,
    /// The run.
    pub execution: String,
    pub stage_execution: String,
    /// The task that wrote it: another attempt of the same task goes on with this record.
    pub task: String,
    /// `org/project/pipeline`
    pub pipeline: String,
    pub stage: String,
    pub step: String,
    pub service: String,
    pub environment: String,
    pub infrastructure: String,
    /// RFC 3339.
    pub started_at: String,
    #[serde(default)]
    pub finished_at: Option<String>,
    /// The commit of the main manifest.
    #[serde(default)]
    pub commit: Option<String>,
    #[serde(default)]
    pub commits: BTreeMap<String, String>,
    #[serde(default)]
    pub artifact: Option<String>,
    pub manifest_hash: String,
    /// Kept apart, packed: there may be thousands.
    #[serde(skip)]
    pub resources: Vec<Resource>,
    #[serde(default)]
    pub workloads: Vec<Workload>,
    #[serde(default)]
    pub pruned: Vec<Pruned>,
    /// The release to go back to, fixed when the stage execution wrote its first record.
    #[serde(default)]
    pub previous_successful: Option<u64>,
    /// A rollback: which release it undid and which one it brought back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undid: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<u64>,
    /// Blue/green: the Services and what a swap did to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub services: Option<PrimaryService>,
    /// A progressive canary: who shares the pods, and how far it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<Shift>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One object of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Resource {
    pub key: ObjectKey,
    pub version: String,
    /// Known once it was applied.
    #[serde(default)]
    pub uid: Option<String>,
    /// Its steady state gates the step.
    #[serde(default)]
    pub managed: bool,
    /// Its name carries the version.
    #[serde(default)]
    pub versioned: bool,
    #[serde(default)]
    pub skip_prune: bool,
    /// Belongs to a canary or a color alone, and goes with it.
    #[serde(default)]
    pub own: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Workload {
    pub key: ObjectKey,
    /// As the cluster counts: `deployment.kubernetes.io/revision`, or the name of the ControllerRevision.
    #[serde(default)]
    pub revision: Option<String>,
    #[serde(default)]
    pub replicas: Option<i64>,
}

/// An object that this release took out of the cluster; its manifest is in an earlier record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pruned {
    pub key: ObjectKey,
    pub manifest_ref: u64,
}

/// The Services of blue/green as they were found, and the swap that is wanted of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PrimaryService {
    pub primary: ObjectKey,
    pub stage: ObjectKey,
    pub primary_color: String,
    pub stage_color: String,
    /// The selector of an adopted primary Service, from before it had a color.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted_selector: Option<Json>,
    /// The traffic goes to the stage color of this record.
    #[serde(default)]
    pub swapped: bool,
    /// A swap was begun and not finished.
    #[serde(default)]
    pub pending: bool,
    /// The task that swapped last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swapped_by: Option<String>,
    /// Pods of the other color before they were scaled down, by workload.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scaled_down: BTreeMap<String, u32>,
}

/// Two workloads that share a number of pods (kubernetes-deploy §2.6, progressive canary).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shift {
    /// Pods of both together, fixed by the first phase.
    pub budget: u32,
    pub new: ObjectKey,
    /// Nobody when there was no workload before.
    #[serde(default)]
    pub old: Option<ObjectKey>,
    /// The release that describes the old workload.
    #[serde(default)]
    pub previous: Option<u64>,
    /// What the last phase reached.
    #[serde(default)]
    pub percentage: u32,
}

/// A release: what is told about it, and its objects as they were sent.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub meta: Meta,
    pub objects: Vec<Object>,
}

impl Meta {
    /// Whether it is a release of the plain workloads: what a rollback may return to.
    pub(crate) fn is_plain(&self) -> bool {
        self.track.is_none()
    }

    pub(crate) fn resource(&self, key: &ObjectKey) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.key == *key)
    }

    /// Keeps the uid of an object that was applied.
    pub(crate) fn applied(&mut self, key: &ObjectKey, uid: Option<&str>) {
        if let Some(resource) = self.resources.iter_mut().find(|resource| resource.key == *key) {
            resource.uid = uid.map(str::to_owned).or(resource.uid.take());
        }
    }
}
