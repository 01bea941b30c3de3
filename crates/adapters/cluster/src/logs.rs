//! Output of containers.

use crate::call::Call;
use crate::client::Cluster;
use crate::error::ClusterError;
use windlass_manifest::Gvk;

/// What of a container's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    pub container: String,
    /// Of the container that ran before the last restart.
    pub previous: bool,
    /// The newest lines.
    pub tail: u32,
}

/// The longest output that is read.
const LIMIT_BYTES: &str = "262144";

impl Cluster {
    /// The newest lines of a container. Nothing when it has none: it has not begun, or its pod is gone.
    ///
    /// # Errors
    /// When the server cannot be asked, or refuses.
    pub async fn logs(&self, namespace: &str, pod: &str, options: &LogOptions) -> Result<Vec<String>, ClusterError> {
        let at = self.address(&Gvk::new("", "v1", "Pod"), Some(namespace), pod).await?;
        let call = Call::get(at.path("log"), format!("read the output of {at}"))
            .query("container", &*options.container)
            .query("previous", if options.previous { "true" } else { "" })
            .query("tailLines", options.tail.to_string())
            .query("limitBytes", LIMIT_BYTES)
            .accept("*/*");
        match self.bytes(&call).await {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()),
            // 400: waiting to start, or there was no container before.
            Err(error) if error.refusal().is_some_and(|refusal| matches!(refusal.status, 400 | 404)) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}
