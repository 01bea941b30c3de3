//! What the admission plugins of a default cluster change in objects on their way in.

use crate::cluster::State;
use crate::error::ApiError;
use crate::kind::{GroupResource, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES};
use crate::object::Object;
use crate::ops::prepare::keep;
use crate::registry::Resource;
use crate::schema::quantity::Quantity;
use serde_json::{Value, json};

const PRIORITY_CLASSES: GroupResource = GroupResource::new("scheduling.k8s.io", "priorityclasses");
const ATTRIBUTE_CLASSES: GroupResource = GroupResource::new("storage.k8s.io", "volumeattributesclasses");
const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// Changes a new object (`old` is nothing) or a changed one.
pub(crate) fn admit(
    state: &State,
    resource: &Resource,
    object: &mut Value,
    old: Option<&Value>,
) -> Result<(), ApiError> {
    match () {
        () if resource.is(&PODS) => {
            tolerations(object);
            match old {
                None => priority(state, object),
                Some(old) => {
                    for field in ["/spec/priority", "/spec/preemptionPolicy"] {
                        if object.at(field).is_none() {
                            keep(object, old, field);
                        }
                    }
                    Ok(())
                }
            }
        }
        () if resource.is(&ATTRIBUTE_CLASSES) && old.is_none() => {
            protect(object, "kubernetes.io/vac-protection");
            Ok(())
        }
        () if resource.is(&PERSISTENT_VOLUME_CLAIMS) && old.is_none() => {
            protect(object, "kubernetes.io/pvc-protection");
            default_storage_class(state, object);
            Ok(())
        }
        () if resource.is(&PERSISTENT_VOLUMES) && old.is_none() => {
            protect(object, "kubernetes.io/pv-protection");
            Ok(())
        }
        () => Ok(()),
    }
}

/// Pods stay for five minutes on nodes that do not answer.
fn tolerations(pod: &mut Value) {
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let tolerated = pod.list("/spec/tolerations").iter().any(|t| {
            (t.text("/key") == key || t.text("/key").is_empty()) && matches!(t.text("/effect"), "NoExecute" | "")
        });
        if !tolerated {
            let mut all = pod.list("/spec/tolerations").to_vec();
            all.push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}));
            pod.set("/spec/tolerations", all);
        }
    }
}

fn priority(state: &State, pod: &mut Value) -> Result<(), ApiError> {
    let wanted = pod.text("/spec/priorityClassName").to_owned();
    let mut classes = state.store.list(&PRIORITY_CLASSES, None);
    let class = match wanted.as_str() {
        "" => classes.find(|c| c.get("globalDefault") == Some(&Value::Bool(true))).cloned(),
        name => Some(classes.find(|c| c.name() == name).cloned().ok_or_else(|| {
            let why = format!("no PriorityClass with name {name} was found");
            ApiError::forbidden(&PODS, pod.name(), &why)
        })?),
    };
    let value = class.as_ref().and_then(|c| c.int("/value")).unwrap_or(0);
    let preemption = class.as_ref().map_or("PreemptLowerPriority", |c| c.text("/preemptionPolicy")).to_owned();
    if let Some(class) = &class {
        let name = class.name().to_owned();
        pod.set("/spec/priorityClassName", name);
    }
    pod.set("/spec/priority", value);
    pod.set("/spec/preemptionPolicy", preemption);
    Ok(())
}

fn protect(object: &mut Value, finalizer: &str) {
    if !object.has_finalizer(finalizer) {
        let mut finalizers = object.list("/metadata/finalizers").to_vec();
        finalizers.push(finalizer.into());
        object.set("/metadata/finalizers", finalizers);
    }
}

/// What is refused of a change that is valid.
pub(crate) fn check_change(state: &State, resource: &Resource, new: &Value, old: &Value) -> Result<(), ApiError> {
    if resource.is(&PERSISTENT_VOLUME_CLAIMS) { resize(state, new, old) } else { Ok(()) }
}

/// A claim grows only when it has its volume, and the class of the volume lets it.
fn resize(state: &State, claim: &Value, old: &Value) -> Result<(), ApiError> {
    const STORAGE: &str = "/spec/resources/requests/storage";
    let size = |claim: &Value| Quantity::parse(claim.text(STORAGE)).map_or(0, |quantity| quantity.nano);
    if size(claim) <= size(old) {
        return Ok(());
    }
    let refused = |why: &str| Err(ApiError::forbidden(&PERSISTENT_VOLUME_CLAIMS, claim.name(), why));
    if old.text("/status/phase") != "Bound" {
        return refused("Only bound persistent volume claims can be expanded");
    }
    let class = claim.text("/spec/storageClassName");
    let mut classes = state.store.list(&STORAGE_CLASSES, None).filter(|found| found.name() == class);
    let grows = classes.any(|found| found.get("allowVolumeExpansion") == Some(&Value::Bool(true)));
    if !class.is_empty() && class == old.text("/spec/storageClassName") && grows {
        return Ok(());
    }
    refused(
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    )
}

fn default_storage_class(state: &State, claim: &mut Value) {
    if claim.at("/spec/storageClassName").is_some() {
        return;
    }
    let is_default = |c: &&std::sync::Arc<Value>| c.annotation(DEFAULT_CLASS) == Some("true");
    if let Some(class) = state.store.list(&STORAGE_CLASSES, None).find(is_default) {
        let name = class.name().to_owned();
        claim.set("/spec/storageClassName", name);
    }
}
