//! Namespaces.

use crate::object::Object;
use serde_json::{Value, json};

pub(super) fn create(namespace: &mut Value) {
    namespace.set("/status/phase", "Active");
    if !namespace.list("/spec/finalizers").iter().any(|f| f == "kubernetes") {
        let mut finalizers = namespace.list("/spec/finalizers").to_vec();
        finalizers.push("kubernetes".into());
        namespace.set("/spec/finalizers", json!(finalizers));
    }
    // A generated name is known only now.
    let name = namespace.name().to_owned();
    namespace.set("/metadata/labels/kubernetes.io~1metadata.name", name);
}
