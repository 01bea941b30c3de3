//! Jobs: the labels by which a job finds its pods.

use crate::object::Object;
use serde_json::Value;

pub(super) fn create(job: &mut Value) {
    const TEMPLATE: &str = "/spec/template/metadata/labels";
    const OWN: &str = "/metadata/labels";
    // A job without labels of its own shows those of its template.
    let shared = job.at(OWN).is_some_and(|own| Some(own) == job.at(TEMPLATE));
    if job.at("/spec/manualSelector") != Some(&Value::Bool(true)) {
        let (uid, name) = (job.uid().to_owned(), job.name().to_owned());
        let labels = job.make(TEMPLATE);
        for (label, value) in [
            ("job-name", &name),
            ("batch.kubernetes.io/job-name", &name),
            ("controller-uid", &uid),
            ("batch.kubernetes.io/controller-uid", &uid),
        ] {
            labels.entry(label).or_insert_with(|| value.as_str().into());
        }
        let selector = job.make("/spec/selector/matchLabels");
        selector.entry("batch.kubernetes.io/controller-uid").or_insert_with(|| uid.into());
    }
    if let (true, Some(labels)) = (shared, job.at(TEMPLATE).cloned()) {
        job.set(OWN, labels);
    }
}
