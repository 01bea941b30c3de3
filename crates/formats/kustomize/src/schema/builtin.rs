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
    types: Vec<HashMap<&'static str, Entry>>,
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
                ["type", _] => table.types.push(HashMap::new()),
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
            last.insert(field, entry);
        }
    }

    pub(super) fn of_kind(&self, api_version: &str, kind: &str) -> Option<TypeId> {
        self.kinds.get(&(api_version, kind)).copied()
    }

    pub(super) fn field(&self, id: TypeId, name: &str) -> Field {
        match self.types.get(id.0).and_then(|fields| fields.get(name)) {
            Some(Entry { of, merge }) => Field { of: of.map(Type::Builtin), merge: merge.clone() },
            None => Field::default(),
        }
    }
}

/// Kinds outside of namespaces, each only with the versions of its time (rendering §0.4).
pub(super) fn is_cluster_scoped(api_version: &str, kind: &str) -> bool {
    match kind {
        "ComponentStatus" | "Namespace" | "Node" | "NodeProxyOptions" | "PersistentVolume" => api_version == "v1",
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => {
            v1_or_beta(api_version, "admissionregistration.k8s.io")
        }
        "CustomResourceDefinition" => v1_or_beta(api_version, "apiextensions.k8s.io"),
        "APIService" => v1_or_beta(api_version, "apiregistration.k8s.io"),
        "CertificateSigningRequest" => v1_or_beta(api_version, "certificates.k8s.io"),
        "FlowSchema" | "PriorityLevelConfiguration" => api_version == "flowcontrol.apiserver.k8s.io/v1beta1",
        "IngressClass" => v1_or_beta(api_version, "networking.k8s.io"),
        "RuntimeClass" => v1_or_beta(api_version, "node.k8s.io"),
        "PodSecurityPolicy" => api_version == "policy/v1beta1",
        "ClusterRole" | "ClusterRoleBinding" => v1_or_beta(api_version, "rbac.authorization.k8s.io"),
        "PriorityClass" => v1_or_beta(api_version, "scheduling.k8s.io"),
        "CSIDriver" | "CSINode" | "StorageClass" | "VolumeAttachment" => v1_or_beta(api_version, "storage.k8s.io"),
        _ => false,
    }
}

fn v1_or_beta(api_version: &str, group: &str) -> bool {
    api_version.strip_prefix(group).is_some_and(|version| matches!(version, "/v1" | "/v1beta1"))
}

#[cfg(test)]
mod tests {
    use super::{Builtin, TEXT};

    #[test]
    fn the_table_is_read_whole() {
        let table = Builtin::get();
        assert_eq!(table.types.len(), TEXT.lines().filter(|line| line.starts_with("type ")).count());
        let fields = TEXT.lines().filter(|l| !l.starts_with(['#', 't']) && !l.starts_with("  kind")).count();
        assert_eq!(table.types.iter().map(std::collections::HashMap::len).sum::<usize>(), fields);
        let pod = table.of_kind("v1", "Pod").unwrap();
        let spec = table.types[pod.0]["spec"].of.unwrap();
        assert_eq!(table.types[spec.0]["containers"].merge.as_deref(), Some(&["name".to_owned()][..]));
    }
}
