//! What of a pod matters to a verification.

use windlass_model::{Json, Timestamp};

pub(super) fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

pub(super) fn list<'a>(object: &'a Json, pointer: &str) -> &'a [Json] {
    object.pointer(pointer).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn moment(object: &Json, pointer: &str) -> Option<Timestamp> {
    Timestamp::parse(text(object, pointer))
}

pub(super) fn name(pod: &Json) -> &str {
    text(pod, "/metadata/name")
}

pub(super) fn label<'a>(pod: &'a Json, name: &str) -> &'a str {
    let labels = pod.pointer("/metadata/labels");
    labels.and_then(|labels| labels.get(name)).and_then(Json::as_str).unwrap_or_default()
}

/// Neither on its way out nor at its end.
pub(super) fn lives(pod: &Json) -> bool {
    text(pod, "/metadata/deletionTimestamp").is_empty() && !matches!(text(pod, "/status/phase"), "Succeeded" | "Failed")
}

/// Since when it is Ready, or since when it is not.
pub(super) fn readiness(pod: &Json) -> (bool, Option<Timestamp>) {
    let ready = list(pod, "/status/conditions").iter().find(|condition| text(condition, "/type") == "Ready");
    match ready {
        Some(ready) => (text(ready, "/status") == "True", moment(ready, "/lastTransitionTime")),
        None => (false, None),
    }
}

/// The images it asks for, in a fixed order.
pub(super) fn images(pod: &Json) -> Vec<&str> {
    let mut images: Vec<&str> =
        list(pod, "/spec/containers").iter().map(|container| text(container, "/image")).collect();
    images.sort_unstable();
    images
}
