//! What every namespace has from the start: the service account `default`, and the certificate of the API server.

use super::MANAGER;
use crate::cluster::Cluster;
use crate::controller::Controller;
use crate::error::ApiError;
use crate::kind::{CONFIG_MAPS, GroupResource, NAMESPACES, ObjectKey, SERVICE_ACCOUNTS};
use crate::object::Object;
use crate::store::{Action, Change};
use serde_json::json;
use windlass_model::Millis;

const NAME: &str = "serviceaccount-controller";
const ROOT_CA: &str = "kube-root-ca.crt";
/// There is no certificate behind the simulated API server; a real one without a certificate file publishes the same.
const NO_CERTIFICATE: &str = "";

#[derive(Debug)]
pub(super) struct ServiceAccounts;

impl Controller for ServiceAccounts {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watches(&self) -> Vec<GroupResource> {
        vec![NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS]
    }

    fn keys(&self, _: &Cluster, change: &Change) -> Vec<ObjectKey> {
        let key = &change.key;
        if key.kind == NAMESPACES {
            return vec![key.clone()];
        }
        let is_ours =
            key.name == "default" && key.kind == SERVICE_ACCOUNTS || key.name == ROOT_CA && key.kind == CONFIG_MAPS;
        let has_gone = change.action == Action::Deleted;
        if is_ours && has_gone { vec![NAMESPACES.key("", &key.namespace)] } else { Vec::new() }
    }

    fn reconcile(&self, cluster: &Cluster, key: &ObjectKey) -> Result<Option<Millis>, ApiError> {
        let Some(namespace) = cluster.get(&NAMESPACES, "", &key.name) else { return Ok(None) };
        if namespace.is_deleting() {
            return Ok(None);
        }
        let own = |name: &str| json!({"name": name, "namespace": key.name});
        if cluster.get(&SERVICE_ACCOUNTS, &key.name, "default").is_none() {
            let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": own("default")});
            cluster.create(&SERVICE_ACCOUNTS, account, MANAGER)?;
        }
        if cluster.get(&CONFIG_MAPS, &key.name, ROOT_CA).is_none() {
            let mut map = json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": own(ROOT_CA), "data": {"ca.crt": NO_CERTIFICATE},
            });
            map.set(
                "/metadata/annotations/kubernetes.io~1description",
                "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
            );
            cluster.create(&CONFIG_MAPS, map, "root-ca-cert-publisher")?;
        }
        Ok(None)
    }
}
