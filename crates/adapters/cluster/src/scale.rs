//! The number of pods, through the subresource that every scalable kind has.

use crate::Json;
use crate::call::Call;
use crate::client::Cluster;
use crate::error::ClusterError;
use crate::objects::{Address, PatchKind};
use serde_json::json;

impl Cluster {
    /// How many pods an object asks for. Nothing when it is not there.
    ///
    /// # Errors
    /// When the server cannot be asked, or when the kind cannot be scaled.
    pub async fn scale(&self, at: &Address) -> Result<Option<u32>, ClusterError> {
        match self.json(&Call::get(at.path("scale"), format!("read the scale of {at}"))).await {
            Ok(scale) => Ok(Some(replicas(&scale))),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sets how many pods an object asks for.
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses.
    pub async fn set_scale(&self, at: &Address, replicas: u32) -> Result<(), ClusterError> {
        let patch = json!({"spec": {"replicas": replicas}});
        self.patch_part(at, "scale", PatchKind::Merge, &patch).await.map(drop)
    }
}

/// Nothing said means zero here: the API server leaves zeros out.
fn replicas(scale: &Json) -> u32 {
    let replicas = scale.pointer("/spec/replicas").and_then(Json::as_u64).unwrap_or(0);
    u32::try_from(replicas).unwrap_or(u32::MAX)
}
