//! Labels and annotations that tell which release an object belongs to (kubernetes-deploy §1.10).

use crate::names::label_value;
use crate::object::Object;
use crate::well_known::{
    ENVIRONMENT, EXECUTION, MANAGED_BY, RELEASE, RELEASE_NAME, RELEASE_NUMBER, SERVICE, TRACK, WINDLASS,
};
use crate::workload::{self, Step};

/// Who deploys what where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Release {
    pub name: String,
    pub number: u64,
    pub execution: String,
    pub service: String,
    pub environment: String,
}

/// Marks every object of a set as ours, and the pods of managed workloads with the name of the release.
///
/// What changes from run to run stands in annotations of the object only: neither in selectors nor in pod templates, so
/// that a new execution restarts no pods.
pub fn stamp(objects: &mut [Object], release: &Release, step: Step) {
    let name = label_value(&release.name);
    let number = release.number.to_string();
    for object in objects {
        object.set_label(MANAGED_BY, WINDLASS);
        object.set_label(RELEASE, &name);
        for (annotation, value) in [
            (RELEASE_NUMBER, &number),
            (EXECUTION, &release.execution),
            (SERVICE, &release.service),
            (ENVIRONMENT, &release.environment),
        ] {
            if !value.is_empty() {
                object.set_annotation(annotation, value);
            }
        }
        if workload::is_managed(object, step) {
            workload::set_pod_label(object, RELEASE_NAME, &name);
        }
    }
}

/// Marks the pods of a primary workload as `stable`. `live` is the workload as it is in the cluster.
///
/// Its selector gets the label only if the live one has it: selectors cannot change, and an adopted or a new workload
/// must not depend on it.
pub fn mark_stable(object: &mut Object, live: Option<&Object>) {
    workload::set_pod_label(object, TRACK, "stable");
    if let Some(track) = live.and_then(workload::selector).and_then(|s| s.get(TRACK)).and_then(|t| t.as_str()) {
        workload::set_selector_label(object, TRACK, track);
        workload::set_pod_label(object, TRACK, track);
    }
}
