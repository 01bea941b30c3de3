//! What the cluster says about its objects.

use crate::Json;
use crate::client::Cluster;
use crate::error::ClusterError;
use crate::objects::Query;
use windlass_manifest::Gvk;

impl Cluster {
    /// The events of a namespace; `fields` narrows them (`involvedObject.name=web`).
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses.
    pub async fn events(&self, namespace: &str, fields: &str) -> Result<Vec<Json>, ClusterError> {
        let of = self.address(&Gvk::new("", "v1", "Event"), Some(namespace), "").await?;
        Ok(self.list(&of, &Query::fields(fields)).await?.items)
    }
}
