//! The document that tells what goes wrong.

use super::Request;
use super::matching::glob;
use crate::object::Object;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use windlass_model::Millis;

/// All faults of one cluster. Names of matchers are globs (`*` and `?`); an empty matcher fits everything.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct FaultPlan {
    pub api: Vec<ApiFault>,
    pub watches: Vec<WatchFault>,
    pub pods: Vec<PodFault>,
    pub nodes: Vec<NodeFault>,
}

/// Why a document is not a plan.
#[derive(Debug, thiserror::Error)]
#[error("not a fault plan")]
pub struct PlanError(#[from] serde_json::Error);

/// Slows requests down, or answers them with an error.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ApiFault {
    #[serde(default)]
    pub on: RequestMatch,
    #[serde(default, deserialize_with = "length")]
    pub latency: Millis,
    /// 409, 429 or 5xx.
    #[serde(default)]
    pub status: Option<u16>,
    /// For 429: what `Retry-After` says.
    #[serde(default = "second", deserialize_with = "length")]
    pub retry_after: Millis,
    /// The share of requests that it strikes, 0 to 1.
    #[serde(default = "always")]
    pub rate: f64,
    /// Strikes this often and then no more.
    #[serde(default)]
    pub next: Option<u32>,
    /// From the start of the plan until it begins.
    #[serde(default, deserialize_with = "length")]
    pub after: Millis,
    /// From the start of the plan until it ends; never when absent.
    #[serde(default, deserialize_with = "maybe_length")]
    pub until: Option<Millis>,
}

/// Ends watches early.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct WatchFault {
    #[serde(default)]
    pub on: RequestMatch,
    #[serde(default, deserialize_with = "maybe_length")]
    pub drop_after: Option<Millis>,
    #[serde(default)]
    pub drop_after_events: Option<u32>,
    /// Ends with 410 `Expired`, so that the client has to list again.
    #[serde(default)]
    pub expired: bool,
    #[serde(default)]
    pub next: Option<u32>,
    /// From the start of the plan until it begins.
    #[serde(default, deserialize_with = "length")]
    pub after: Millis,
    /// From the start of the plan until it ends; never when absent.
    #[serde(default, deserialize_with = "maybe_length")]
    pub until: Option<Millis>,
}

/// What happens to pods. The controllers read it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct PodFault {
    pub on: PodMatch,
    /// The image cannot be pulled; the text ends the message of `ErrImagePull`.
    pub image_pull: Option<String>,
    /// The container starts this much later.
    #[serde(deserialize_with = "length")]
    pub slow_start: Millis,
    /// The readiness probe never succeeds.
    pub never_ready: bool,
    /// The readiness probe comes and goes.
    pub readiness_flaps: Option<FlapFault>,
    /// The process ends by itself, again and again.
    pub crash: Option<CrashFault>,
    /// From the start of the plan until it begins.
    #[serde(default, deserialize_with = "length")]
    pub after: Millis,
    /// From the start of the plan until it ends; never when absent.
    #[serde(default, deserialize_with = "maybe_length")]
    pub until: Option<Millis>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FlapFault {
    #[serde(deserialize_with = "length")]
    pub ready: Millis,
    #[serde(deserialize_with = "length")]
    pub unready: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CrashFault {
    #[serde(deserialize_with = "length")]
    pub after: Millis,
    #[serde(default = "one")]
    pub exit_code: i32,
}

/// A node that does not answer.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NodeFault {
    pub node: String,
    /// From the start of the plan until it begins.
    #[serde(default, deserialize_with = "length")]
    pub after: Millis,
    /// From the start of the plan until it ends; never when absent.
    #[serde(default, deserialize_with = "maybe_length")]
    pub until: Option<Millis>,
}

/// Which requests.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct RequestMatch {
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`.
    pub verbs: Vec<String>,
    /// `pods`, `deployments.apps`.
    pub resources: Vec<String>,
    pub namespaces: Vec<String>,
    pub names: Vec<String>,
    pub users: Vec<String>,
}

/// Which pods.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "camelCase")]
pub struct PodMatch {
    pub namespace: Option<String>,
    pub name: Option<String>,
    /// One of the pod's images.
    pub image: Option<String>,
    pub node: Option<String>,
    pub labels: BTreeMap<String, String>,
}

impl FaultPlan {
    pub fn from_json(document: &Value) -> Result<Self, PlanError> {
        Ok(Self::deserialize(document)?)
    }
}

/// When a fault holds, counted from the start of the plan.
macro_rules! windowed {
    ($($fault:ty),*) => {$(
        impl $fault {
            pub(super) fn holds(&self, passed: Millis) -> bool {
                passed >= self.after && self.until.is_none_or(|until| passed < until)
            }
        }
    )*};
}

windowed!(ApiFault, WatchFault, PodFault, NodeFault);

impl RequestMatch {
    pub(super) fn fits(&self, request: Request<'_>) -> bool {
        let any = |globs: &[String], text: &str| globs.is_empty() || globs.iter().any(|g| glob(g, text));
        any(&self.verbs, request.verb)
            && (any(&self.resources, &request.kind.resource) || any(&self.resources, &request.kind.to_string()))
            && any(&self.namespaces, request.namespace)
            && any(&self.names, request.name)
            && any(&self.users, request.user)
    }
}

impl PodMatch {
    pub(super) fn fits(&self, pod: &Value) -> bool {
        let fits = |wanted: &Option<String>, text: &str| wanted.as_ref().is_none_or(|g| glob(g, text));
        let containers = pod.list("/spec/containers").iter().chain(pod.list("/spec/initContainers"));
        fits(&self.namespace, pod.namespace())
            && fits(&self.name, pod.name())
            && fits(&self.node, pod.text("/spec/nodeName"))
            && self.image.as_ref().is_none_or(|g| containers.into_iter().any(|c| glob(g, c.text("/image"))))
            && self.labels.iter().all(|(k, v)| pod.label(k).is_some_and(|l| glob(v, l)))
    }
}

fn second() -> Millis {
    Millis::from_secs(1)
}

fn always() -> f64 {
    1.0
}

fn one() -> i32 {
    1
}

/// A length of time as people write it (`200ms`), or a number of milliseconds.
#[derive(Deserialize)]
#[serde(untagged)]
enum Length {
    Text(String),
    Millis(u64),
}

impl Length {
    fn read<E: serde::de::Error>(self) -> Result<Millis, E> {
        match self {
            Self::Text(text) => Millis::parse(&text).map_err(E::custom),
            Self::Millis(millis) => Ok(Millis(millis)),
        }
    }
}

fn length<'de, D: Deserializer<'de>>(from: D) -> Result<Millis, D::Error> {
    Length::deserialize(from)?.read()
}

fn maybe_length<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Millis>, D::Error> {
    Option::<Length>::deserialize(from)?.map(Length::read).transpose()
}
