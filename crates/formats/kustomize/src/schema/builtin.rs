//! The table of Kubernetes 1.21.2.

use super::{Field, Type};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

static TEXT: &str = include_str!("../../data/merge-1.21.table");

static TABLE: LazyLock<Builtin> = LazyLock::new(|| Builtin::read(TEXT));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeId(usize);

#[derive(Debug, Default)]
pub(super) struct Builtin {
    kinds: HashMap<(&'static str, &'static str), TypeId>,
    /// Types have few fields that lead anywhere: they are searched from the start.
    types: Vec<Vec<(&'static str, Entry)>>,
}

#[derive(Debug, Default)]
struct Entry {
    of: Option<TypeId>,
    merge: Option<Arc<[String]>>,
}

impl Builtin {
    pub(super) fn get() -> &'static Self {
        &TABLE
    }

    fn read(text: &'static str) -> Self {
        let mut table = Self::default();
        let lines = || text.lines().filter(|line| !line.starts_with('#'));
        let names: HashMap<&str, TypeId> = lines()
            .filter_map(|line| line.strip_prefix("type "))
            .enumerate()
            .map(|(number, name)| (name, TypeId(number)))
            .collect();
        for line in lines() {
            let words: Vec<&'static str> = line.split_whitespace().collect();
            let last = TypeId(table.types.len().saturating_sub(1));
            match words[..] {
                ["type", _] => table.types.push(Vec::new()),
                ["kind", api_version, kind] => {
                    table.kinds.insert((api_version, kind), last);
                }
                ["merge", field, of, ref keys @ ..] => {
                    let entry = Entry {
                        of: names.get(of).copied(),
                        merge: Some(keys.iter().map(|key| (*key).to_owned()).collect()),
                    };
                    table.add(field, entry);
                }
                ["obj" | "map" | "list", field, of] => {
                    table.add(field, Entry { of: names.get(of).copied(), merge: None });
                }
                _ => {}
            }
        }
        table
    }

    fn add(&mut self, field: &'static str, entry: Entry) {
        if let Some(last) = self.types.last_mut() {
            last.push((field, entry));
        }
    }

    pub(super) fn of_kind(&self, api_version: &str, kind: &str) -> Option<TypeId> {
        self.kinds.get(&(api_version, kind)).copied()
    }

    pub(super) fn field(&self, id: TypeId, name: &str) -> Field {
        let mut fields = self.types.get(id.0).into_iter().flatten();
        match fields.find(|(field, _)| *field == name) {
            Some((_, Entry { of, merge })) => Field { of: of.map(Type::Builtin), merge: merge.clone() },
            None => Field::default(),
        }
    }
}

/// Whether a kind lives outside of namespaces, of the kinds with the versions of its time (rendering §0.4).
pub(super) fn is_cluster_scoped(api_version: &str, kind: &str) -> Option<bool> {
    let (cluster, namespaced): (&[&str], &[&str]) = match api_version {
        "v1" => (
            &["ComponentStatus", "Namespace", "Node", "NodeProxyOptions", "PersistentVolume"],
            &[
                "ConfigMap",
                "Endpoints",
                "Event",
                "LimitRange",
                "PersistentVolumeClaim",
                "Pod",
                "PodAttachOptions",
                "PodExecOptions",
                "PodPortForwardOptions",
                "PodProxyOptions",
                "PodTemplate",
                "ReplicationController",
                "ResourceQuota",
                "Secret",
                "Service",
                "ServiceAccount",
                "ServiceProxyOptions",
            ],
        ),
        "admissionregistration.k8s.io/v1" | "admissionregistration.k8s.io/v1beta1" => {
            (&["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"], &[])
        }
        "apiextensions.k8s.io/v1" | "apiextensions.k8s.io/v1beta1" => (&["CustomResourceDefinition"], &[]),
        "apiregistration.k8s.io/v1" | "apiregistration.k8s.io/v1beta1" => (&["APIService"], &[]),
        "apps/v1" => (&[], &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
        "autoscaling/v1" => (&[], &["HorizontalPodAutoscaler", "Scale"]),
        "autoscaling/v2beta1" | "autoscaling/v2beta2" => (&[], &["HorizontalPodAutoscaler"]),
        "batch/v1" => (&[], &["CronJob", "Job"]),
        "batch/v1beta1" => (&[], &["CronJob"]),
        "certificates.k8s.io/v1" | "certificates.k8s.io/v1beta1" => (&["CertificateSigningRequest"], &[]),
        "coordination.k8s.io/v1" | "coordination.k8s.io/v1beta1" => (&[], &["Lease"]),
        "discovery.k8s.io/v1" | "discovery.k8s.io/v1beta1" => (&[], &["EndpointSlice"]),
        "events.k8s.io/v1" | "events.k8s.io/v1beta1" => (&[], &["Event"]),
        "extensions/v1beta1" => (&[], &["Ingress"]),
        "flowcontrol.apiserver.k8s.io/v1beta1" => (&["FlowSchema", "PriorityLevelConfiguration"], &[]),
        "networking.k8s.io/v1" => (&["IngressClass"], &["Ingress", "NetworkPolicy"]),
        "networking.k8s.io/v1beta1" => (&["IngressClass"], &["Ingress"]),
        "node.k8s.io/v1" | "node.k8s.io/v1beta1" => (&["RuntimeClass"], &[]),
        "policy/v1" => (&[], &["PodDisruptionBudget"]),
        "policy/v1beta1" => (&["PodSecurityPolicy"], &["PodDisruptionBudget"]),
        "rbac.authorization.k8s.io/v1" | "rbac.authorization.k8s.io/v1beta1" => {
            (&["ClusterRole", "ClusterRoleBinding"], &["Role", "RoleBinding"])
        }
        "scheduling.k8s.io/v1" | "scheduling.k8s.io/v1beta1" => (&["PriorityClass"], &[]),
        "storage.k8s.io/v1" => (&["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"], &[]),
        "storage.k8s.io/v1beta1" => {
            (&["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"], &["CSIStorageCapacity"])
        }
        _ => return None,
    };
    if cluster.contains(&kind) {
        return Some(true);
    }
    namespaced.contains(&kind).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::{Builtin, TEXT, Type};

    #[test]
    fn the_table_is_read_whole() {
        let table = Builtin::get();
        assert_eq!(table.types.len(), TEXT.lines().filter(|line| line.starts_with("type ")).count());
        let fields = TEXT.lines().filter(|l| !l.starts_with(['#', 't']) && !l.starts_with("  kind")).count();
        assert_eq!(table.types.iter().map(Vec::len).sum::<usize>(), fields);
        let Some(Type::Builtin(spec)) = table.field(table.of_kind("v1", "Pod").unwrap(), "spec").of else {
            panic!("a pod has a spec")
        };
        assert_eq!(table.field(spec, "containers").merge.as_deref(), Some(&["name".to_owned()][..]));
    }
}
