//! Objects without pods of their own.

use super::condition::Condition;
use super::{Cause, Look, Verdict};
use crate::well_known::WAIT_FOR_LOAD_BALANCER;
use crate::{Json, field};

/// In `autoscaling/v1` the conditions are JSON in an annotation.
const CONDITIONS_V1: &str = "autoscaling.alpha.kubernetes.io/conditions";

pub(super) fn scaler(look: &Look<'_>) -> Verdict {
    let name = look.name();
    let annotation = look.text(&["metadata", "annotations", CONDITIONS_V1]);
    let from_annotation: Vec<Json> = annotation.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let conditions = field::list(look.object, &["status", "conditions"]);
    let conditions = if conditions.is_empty() { &from_annotation[..] } else { conditions };
    let find = |name| Condition::find(conditions, name);
    let able = find("AbleToScale");
    if let Some(able) = able.filter(|c| c.is("False") && matches!(c.reason(), "FailedGetScale" | "FailedUpdateScale")) {
        return Verdict::failed(Cause::Condition, format!("{name}: {}", able.why()));
    }
    // Metrics lag behind at the first deployment: worth telling, not a reason to fail.
    let lagging = |reason: &str| {
        (reason.starts_with("FailedGet") && reason.ends_with("Metric"))
            || matches!(reason, "FailedComputeMetricsReplicas" | "InvalidSelector")
    };
    let notice = find("ScalingActive").filter(|c| c.is("False") && lagging(c.reason())).map(Condition::why);
    let is_true = |condition: Option<Condition<'_>>| condition.is_some_and(|c| c.is("True"));
    match notice {
        Some(notice) => Verdict::ready_with(format!("{name}: {notice}")),
        None if is_true(able) || is_true(find("ScalingLimited")) => Verdict::ready(),
        None => Verdict::progressing(format!("{name} has not looked at its target yet")),
    }
}

pub(super) fn volume_claim(look: &Look<'_>) -> Verdict {
    let name = look.name();
    let waits_for_pod = |class: &Json| field::text(class, &["volumeBindingMode"]) == Some("WaitForFirstConsumer");
    match look.text(&["status", "phase"]) {
        Some("Bound") => Verdict::ready(),
        Some("Lost") => Verdict::failed(Cause::Gone, format!("{name} lost its volume")),
        _ if look.related.storage_class.is_some_and(waits_for_pod) => {
            Verdict::ready_with(format!("{name} gets its volume with its first pod"))
        }
        _ => Verdict::progressing(format!("{name} has no volume yet")),
    }
}

pub(super) fn service(look: &Look<'_>) -> Verdict {
    let waits = look.text(&["metadata", "annotations", WAIT_FOR_LOAD_BALANCER]) == Some("true");
    let has_address = !field::list(look.object, &["status", "loadBalancer", "ingress"]).is_empty();
    if waits && look.text(&["spec", "type"]) == Some("LoadBalancer") && !has_address {
        return Verdict::progressing(format!("{} has no address of a load balancer yet", look.name()));
    }
    Verdict::ready()
}

/// Gateways and their routes: what there is of Accepted and Programmed must be true.
pub(super) fn gateway(look: &Look<'_>) -> Verdict {
    let name = look.name();
    let own = field::list(look.object, &["status", "conditions"]);
    let parents = field::list(look.object, &["status", "parents"]);
    let lists = std::iter::once(own).chain(parents.iter().map(|parent| field::list(parent, &["conditions"])));
    let mut waiting = None;
    for list in lists {
        if let Some(refused) = Condition::find(list, "Accepted").filter(|c| c.is("False")) {
            return Verdict::failed(Cause::Condition, format!("{name} is not accepted: {}", refused.why()));
        }
        for condition in ["Accepted", "Programmed"] {
            if let Some(found) = Condition::find(list, condition).filter(|c| !c.is("True")) {
                waiting = Some(format!("{name}: {condition} is not true yet: {}", found.why()));
            }
        }
    }
    waiting.map_or_else(Verdict::ready, Verdict::progressing)
}

pub(super) fn definition(look: &Look<'_>) -> Verdict {
    let name = look.name();
    if let Some(refused) = look.condition("NamesAccepted").filter(|c| c.is("False")) {
        return Verdict::failed(Cause::Condition, format!("{name}: its names are taken: {}", refused.why()));
    }
    if look.is_true("Established") && look.is_true("NamesAccepted") {
        return Verdict::ready();
    }
    Verdict::progressing(format!("{name} is not established yet"))
}

pub(super) fn api_service(look: &Look<'_>) -> Verdict {
    match look.condition("Available") {
        Some(available) if available.is("True") => Verdict::ready(),
        Some(available) => Verdict::progressing(format!("{} is not available: {}", look.name(), available.why())),
        None => Verdict::progressing(format!("{} is not available yet", look.name())),
    }
}

pub(super) fn namespace(look: &Look<'_>) -> Verdict {
    let name = look.name();
    let going = look.object.pointer("/metadata/deletionTimestamp").is_some();
    match look.text(&["status", "phase"]) {
        Some("Terminating") => Verdict::failed(Cause::Gone, format!("{name} is being deleted")),
        _ if going => Verdict::failed(Cause::Gone, format!("{name} is being deleted")),
        Some("Active") => Verdict::ready(),
        _ => Verdict::progressing(format!("{name} is not active yet")),
    }
}
