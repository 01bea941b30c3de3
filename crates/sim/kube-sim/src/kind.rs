//! Names of kinds and of single objects.

use std::borrow::Cow;
use std::fmt;

/// What objects are stored under: `deployments` of group `apps`. The empty group is the core group.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupResource {
    pub group: Cow<'static, str>,
    pub resource: Cow<'static, str>,
}

impl GroupResource {
    pub const fn new(group: &'static str, resource: &'static str) -> Self {
        Self { group: Cow::Borrowed(group), resource: Cow::Borrowed(resource) }
    }

    pub fn named(group: &str, resource: &str) -> Self {
        Self { group: Cow::Owned(group.to_owned()), resource: Cow::Owned(resource.to_owned()) }
    }

    pub fn key(&self, namespace: &str, name: &str) -> ObjectKey {
        ObjectKey { kind: self.clone(), namespace: namespace.to_owned(), name: name.to_owned() }
    }
}

/// `deployments.apps`, as error messages of the API say it.
impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.group.is_empty() { f.write_str(&self.resource) } else { write!(f, "{}.{}", self.resource, self.group) }
    }
}

impl fmt::Debug for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One object of the cluster. The namespace of cluster-wide objects is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    pub kind: GroupResource,
    pub namespace: String,
    pub name: String,
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

macro_rules! well_known {
    ($($constant:ident = $group:literal / $resource:literal;)*) => {
        $(pub const $constant: GroupResource = GroupResource::new($group, $resource);)*
    };
}

well_known! {
    CONFIG_MAPS = "" / "configmaps";
    CONTROLLER_REVISIONS = "apps" / "controllerrevisions";
    CRDS = "apiextensions.k8s.io" / "customresourcedefinitions";
    CRON_JOBS = "batch" / "cronjobs";
    DAEMON_SETS = "apps" / "daemonsets";
    DEPLOYMENTS = "apps" / "deployments";
    ENDPOINTS = "" / "endpoints";
    ENDPOINT_SLICES = "discovery.k8s.io" / "endpointslices";
    EVENTS = "" / "events";
    HORIZONTAL_POD_AUTOSCALERS = "autoscaling" / "horizontalpodautoscalers";
    JOBS = "batch" / "jobs";
    LEASES = "coordination.k8s.io" / "leases";
    NAMESPACES = "" / "namespaces";
    NODES = "" / "nodes";
    PERSISTENT_VOLUME_CLAIMS = "" / "persistentvolumeclaims";
    PERSISTENT_VOLUMES = "" / "persistentvolumes";
    PODS = "" / "pods";
    POD_DISRUPTION_BUDGETS = "policy" / "poddisruptionbudgets";
    REPLICA_SETS = "apps" / "replicasets";
    REPLICATION_CONTROLLERS = "" / "replicationcontrollers";
    RESOURCE_QUOTAS = "" / "resourcequotas";
    SECRETS = "" / "secrets";
    SERVICE_ACCOUNTS = "" / "serviceaccounts";
    SERVICES = "" / "services";
    STATEFUL_SETS = "apps" / "statefulsets";
    STORAGE_CLASSES = "storage.k8s.io" / "storageclasses";
}
