//! The families of a service's addresses, as a cluster of IPv4 alone has them.

use super::EXTERNAL;
use crate::error::ApiError;
use crate::object::Object;
use crate::ops::prepare::keep;
use crate::validate::at::At;
use crate::validate::field::Problems;
use crate::validate::service::addresses;
use serde_json::{Value, json};

const POLICY: &str = "/spec/ipFamilyPolicy";
const FAMILIES: &str = "/spec/ipFamilies";
const ADDRESSES: &str = "/spec/clusterIPs";

/// Fills in what follows from the rest. What contradicts itself is told here, before all other checks and without them.
pub(super) fn settle(new: &mut Value, old: Option<&Value>) -> Result<(), ApiError> {
    if new.text("/spec/type") == EXTERNAL || old.is_some_and(|old| prefers_as_before(new, old)) {
        return Ok(());
    }
    // Without addresses and without pods behind it, a service may be of any family.
    let anything = new.text("/spec/clusterIP") == "None" && !has_selector(new);
    policy(new, old, anything);
    let mut problems = Problems::default();
    addresses(&At::root(new, "spec"), &mut problems);
    refuse(new, problems)?;
    let mut problems = Problems::default();
    if let Some(old) = old {
        reduced(new, old, &mut problems);
    }
    counts(new, &mut problems);
    infer(new, &mut problems);
    refuse(new, problems)?;
    if anything {
        free_families(new);
        return Ok(());
    }
    let mut problems = Problems::default();
    configured(new, &mut problems);
    refuse(new, problems)?;
    if new.list(FAMILIES).is_empty() {
        new.set(FAMILIES, json!(["IPv4"]));
    }
    Ok(())
}

/// A problem of the service ends its write.
pub(super) fn refuse(service: &Value, problems: Problems) -> Result<(), ApiError> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid("", "Service", service.name(), problems.causes()))
}

fn has_selector(service: &Value) -> bool {
    service.at("/spec/selector").and_then(Value::as_object).is_some_and(|selector| !selector.is_empty())
}

/// Services that prefer two families stay as they are when the cluster has another number of them.
fn prefers_as_before(new: &Value, old: &Value) -> bool {
    let prefers = |service: &Value| service.text(POLICY) == "PreferDualStack";
    let known = matches!(new.text("/spec/type"), "ClusterIP" | "NodePort" | "LoadBalancer");
    let same = |pointer: &str| new.list(pointer) == old.list(pointer);
    known
        && new.text("/spec/type") == old.text("/spec/type")
        && prefers(new)
        && (old.at(POLICY).is_none() || prefers(old))
        && same(ADDRESSES)
        && same(FAMILIES)
}

fn policy(new: &mut Value, old: Option<&Value>, anything: bool) {
    if new.at(POLICY).is_some() {
        return;
    }
    match old.filter(|old| old.at(POLICY).is_some()) {
        Some(old) => keep(new, old, POLICY),
        None => new.set(POLICY, if anything { "RequireDualStack" } else { "SingleStack" }),
    }
}

/// The second address and the second family go together with the policy that asked for them.
fn reduced(new: &mut Value, old: &Value, problems: &mut Problems) {
    let policy = Value::from(new.text(POLICY));
    for (field, what) in [(ADDRESSES, "cluster IP"), (FAMILIES, "IP family")] {
        let (is, was) = (new.list(field), old.list(field));
        if policy == "SingleStack" {
            if let ([first, _, ..], true) = (is, is == was) {
                let first = json!([first]);
                new.set(field, first);
            }
        } else if !is.is_empty() && is.len() < was.len() {
            let why = format!("must be 'SingleStack' to release the secondary {what}");
            problems.invalid("spec.ipFamilyPolicy", &policy, &why);
        }
    }
}

/// One family is not two.
fn counts(service: &Value, problems: &mut Problems) {
    let policy = service.text(POLICY);
    for (field, what) in [(ADDRESSES, "cluster IPs"), (FAMILIES, "IP families")] {
        if policy == "SingleStack" && service.list(field).len() == 2 {
            let why = format!("must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified");
            problems.invalid("spec.ipFamilyPolicy", &policy.into(), &why);
        }
    }
}

/// Addresses tell their families.
fn infer(service: &mut Value, problems: &mut Problems) {
    let all = service.list(ADDRESSES).to_vec();
    for (i, address) in all.iter().map(|address| address.as_str().unwrap_or_default()).enumerate() {
        if address == "None" {
            break;
        }
        if i < service.list(FAMILIES).len() {
            continue;
        }
        if address.contains(':') {
            let why = "IPv6 is not configured on this cluster";
            problems.invalid(format!("spec.clusterIPs[{i}]"), &Value::Array(all.clone()), why);
        } else {
            let mut families = service.list(FAMILIES).to_vec();
            families.push("IPv4".into());
            service.set(FAMILIES, families);
        }
    }
}

/// Both families, unless the policy wants one.
fn free_families(service: &mut Value) {
    let first = service.text(&format!("{FAMILIES}/0"));
    let (first, second) = if first == "IPv6" { ("IPv6", "IPv4") } else { ("IPv4", "IPv6") };
    match service.list(FAMILIES).len() {
        0 | 1 if service.text(POLICY) != "SingleStack" => service.set(FAMILIES, json!([first, second])),
        0 => service.set(FAMILIES, json!([first])),
        _ => {}
    }
}

/// What is asked for must be there.
fn configured(service: &Value, problems: &mut Problems) {
    if service.text(POLICY) == "RequireDualStack" {
        let why = "this cluster is not configured for dual-stack services";
        problems.invalid("spec.ipFamilyPolicy", &"RequireDualStack".into(), why);
    }
    for (i, family) in service.list(FAMILIES).iter().enumerate().filter(|(_, family)| **family != "IPv4") {
        problems.invalid(format!("spec.ipFamilies[{i}]"), family, "not configured on this cluster");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(spec: Value, old: Option<Value>) -> Result<Value, Vec<String>> {
        let mut service = json!({"spec": spec});
        let old = old.map(|spec| json!({"spec": spec}));
        match settle(&mut service, old.as_ref()) {
            Ok(()) => Ok(json!([service.at(FAMILIES), service.at(POLICY)])),
            Err(error) => Err(error.details.unwrap().causes.into_iter().map(|cause| cause.field).collect()),
        }
    }

    #[test]
    fn families_follow_from_addresses_and_policy() {
        let both = json!(["IPv4", "IPv6"]);
        for (spec, outcome) in [
            (json!({}), json!([["IPv4"], "SingleStack"])),
            (json!({"clusterIP": "None", "clusterIPs": ["None"]}), json!([both, "RequireDualStack"])),
            (
                json!({"clusterIP": "None", "clusterIPs": ["None"], "selector": {"a": "b"}}),
                json!([["IPv4"], "SingleStack"]),
            ),
            (json!({"ipFamilyPolicy": "PreferDualStack"}), json!([["IPv4"], "PreferDualStack"])),
        ] {
            assert_eq!(settled(spec.clone(), None), Ok(outcome), "{spec}");
        }
        assert_eq!(settled(json!({"type": EXTERNAL}), None), Ok(json!([null, null])));
    }

    #[test]
    fn what_a_cluster_of_one_family_cannot_give_is_refused() {
        let headless = json!({"clusterIP": "None", "clusterIPs": ["None"], "ipFamilies": ["IPv4", "IPv6"],
            "ipFamilyPolicy": "RequireDualStack"});
        let mut selecting = headless.clone();
        selecting.set("/selector", json!({"a": "b"}));
        let unmatched = json!({"clusterIP": "1.2.3.4", "clusterIPs": ["1.2.3.4"], "ipFamilyPolicy": "Whatever"});
        for (spec, old, fields) in [
            (selecting.clone(), Some(headless), vec!["spec.ipFamilyPolicy", "spec.ipFamilies[1]"]),
            (unmatched, None, vec!["spec.ipFamilyPolicy"]),
            (json!({"clusterIP": "fd00::1", "clusterIPs": ["fd00::1"]}), None, vec!["spec.clusterIPs[0]"]),
            (json!({"ipFamilies": ["IPv4", "IPv6"]}), None, vec!["spec.ipFamilyPolicy"]),
            (
                json!({"ipFamilies": ["IPv4"], "ipFamilyPolicy": "RequireDualStack"}),
                Some(selecting),
                vec!["spec.ipFamilyPolicy"],
            ),
            (
                json!({"clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"], "ipFamilies": ["IPv6"]}),
                None,
                vec!["spec.clusterIPs[0]"],
            ),
        ] {
            let fields: Vec<String> = fields.into_iter().map(str::to_owned).collect();
            assert_eq!(settled(spec.clone(), old), Err(fields), "{spec}");
        }
    }
}
