//! The controllers of a cluster: what kube-controller-manager, the scheduler and the kubelets do.
//!
//! Each follows the rules of the real one, so that objects end in the same state by the same steps. None keeps anything that
//! it could not find out again from the objects, except what only a running process knows: when exactly a container started.
//! Replication controllers have no controller.

mod autoscaler;
mod claim;
mod condition;
mod cron_job;
mod daemon_set;
mod deployment;
mod disruption;
mod endpoints;
mod event;
mod garbage;
mod job;
mod kubelet;
mod namespace;
mod node;
mod pod;
mod replica_set;
mod revision;
mod scheduler;
mod service_account;
mod stateful_set;
mod volume;

use crate::controller::Controller;
use std::sync::Arc;

/// Who owns the fields that controllers write: they all are one program. Scheduler and kubelets are others.
const MANAGER: &str = "kube-controller-manager";

/// Every controller, in the order in which they get their turn.
pub(crate) fn all() -> Vec<Arc<dyn Controller>> {
    vec![
        Arc::new(namespace::Namespaces),
        Arc::new(service_account::ServiceAccounts),
        Arc::new(node::Nodes::default()),
        Arc::new(volume::Volumes),
        Arc::new(deployment::Deployments),
        Arc::new(replica_set::ReplicaSets),
        Arc::new(stateful_set::StatefulSets),
        Arc::new(daemon_set::DaemonSets),
        Arc::new(cron_job::CronJobs),
        Arc::new(job::Jobs),
        Arc::new(scheduler::Scheduler::default()),
        Arc::new(kubelet::Kubelets::default()),
        Arc::new(disruption::Disruption),
        Arc::new(autoscaler::Autoscalers::default()),
        Arc::new(endpoints::Endpoints),
        Arc::new(garbage::GarbageCollector::default()),
        Arc::new(event::EventTtl),
    ]
}

#[cfg(test)]
mod tests;
