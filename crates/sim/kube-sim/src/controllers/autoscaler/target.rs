//! What an autoscaler scales, through its scale subresource.

use super::MANAGER;
use crate::cluster::Cluster;
use crate::error::ApiError;
use crate::object::Object;
use crate::ops::Write;
use crate::ops::scale::read_scale;
use crate::registry::Resource;
use serde_json::Value;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Target {
    resource: Arc<Resource>,
    scale: Value,
}

impl Target {
    /// The target that the autoscaler names, as it is now; or why there is none.
    pub(super) fn find(cluster: &Cluster, scaler: &Value) -> Result<Self, String> {
        let wanted = |field: &str| scaler.text(&format!("/spec/scaleTargetRef/{field}"));
        let (version, kind, name) = (wanted("apiVersion"), wanted("kind"), wanted("name"));
        let group = match version.split('/').collect::<Vec<_>>().as_slice() {
            [_] => "",
            [group, _] => *group,
            _ => return Err(format!("unexpected GroupVersion string: {version}")),
        };
        let found = cluster.step(|state| {
            let mut fits = state.registry.all().filter(|r| r.group == group && r.kind == kind);
            let first = fits.next().cloned();
            fits.find(|r| r.version == r.stored_version).cloned().or(first)
        });
        let resource = found.ok_or_else(|| format!("no matches for kind {kind:?} in group {group:?}"))?;
        if resource.subresource("scale").is_none() {
            return Err(ApiError::no_such_resource().message);
        }
        let object = cluster.get(&resource.stored, scaler.namespace(), name);
        let object = object.ok_or_else(|| ApiError::not_found(&resource.group_resource(), name).message)?;
        let scale = read_scale(&resource, &object).map_err(|error| error.message)?;
        Ok(Self { resource, scale })
    }

    pub(super) fn replicas(&self) -> i64 {
        self.scale.int("/spec/replicas").unwrap_or(0)
    }

    /// The pods that it has, as a selector in text.
    pub(super) fn selector(&self) -> &str {
        self.scale.text("/status/selector")
    }

    pub(super) fn resize(&self, cluster: &Cluster, replicas: i64) -> Result<(), ApiError> {
        let write = Write::by(MANAGER, cluster.now());
        let make = |scale: &Value| {
            let mut scale = scale.clone();
            scale.set("/spec/replicas", replicas);
            Ok(scale)
        };
        let (namespace, name) = (self.scale.namespace(), self.scale.name());
        cluster.step(|state| state.set_scale(&self.resource, namespace, name, make, None, &write)).map(drop)
    }
}
