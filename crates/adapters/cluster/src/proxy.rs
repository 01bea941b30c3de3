//! What a pod answers to a plain request, asked through the API server: its own network need not be reachable.

use crate::call::{Call, encode};
use crate::client::Cluster;
use crate::error::ClusterError;
use windlass_manifest::Gvk;

impl Cluster {
    /// The answer of a pod to `GET path` on one of its ports, as text.
    ///
    /// # Errors
    /// When the server cannot be asked or refuses (`pods/proxy`), or when the pod does not answer.
    pub async fn pod_text(&self, namespace: &str, pod: &str, port: u16, path: &str) -> Result<String, ClusterError> {
        let at = self.address(&Gvk::new("", "v1", "Pod"), Some(namespace), &format!("{pod}:{port}")).await?;
        let mut to = at.path("proxy");
        for part in path.split('/').filter(|part| !part.is_empty() && *part != "..") {
            to.push('/');
            encode(&mut to, part);
        }
        let call = Call::get(to, format!("ask {namespace}/Pod/{pod} on port {port}")).accept("text/plain,*/*");
        Ok(String::from_utf8_lossy(&self.bytes(&call).await?).into_owned())
    }
}
