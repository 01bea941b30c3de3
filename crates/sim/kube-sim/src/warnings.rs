//! What the API accepts and warns of.

mod pod;

use crate::kind::{
    CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, ENDPOINT_SLICES, GroupResource, JOBS, PERSISTENT_VOLUME_CLAIMS, PODS,
    REPLICA_SETS, REPLICATION_CONTROLLERS, SECRETS, SERVICES, STATEFUL_SETS,
};
use crate::object::Object;
use crate::registry::Resource;
use crate::schema::quantity::Quantity;
use crate::strategy::TEMPLATE_GENERATION;
use crate::validate::names;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;
use std::collections::BTreeSet;

/// Where the pod template of a kind is, as a JSON pointer.
const TEMPLATES: &[(GroupResource, &str)] = &[
    (DEPLOYMENTS, "/spec/template"),
    (REPLICA_SETS, "/spec/template"),
    (STATEFUL_SETS, "/spec/template"),
    (DAEMON_SETS, "/spec/template"),
    (REPLICATION_CONTROLLERS, "/spec/template"),
    (JOBS, "/spec/template"),
    (CRON_JOBS, "/spec/jobTemplate/spec/template"),
    (GroupResource::new("", "podtemplates"), "/template"),
];

/// What to say of an object that was written. `before` is what it was, for changes.
pub(crate) fn of(resource: &Resource, object: &Value, before: Option<&Value>) -> Vec<String> {
    let mut out = Vec::new();
    let named_after = [DEPLOYMENTS, JOBS, CRON_JOBS, REPLICA_SETS].iter().any(|kind| resource.is(kind));
    if before.is_none() && named_after {
        let problems = names::label(object.name());
        if !problems.is_empty() {
            let problems = problems.join(" ");
            out.push(format!("metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [{problems}]"));
        }
    }
    // Templates are looked at when something was asked for anew.
    if before.is_none_or(|before| asks_anew(resource, object, before)) {
        for (_, pointer) in TEMPLATES.iter().filter(|(kind, _)| resource.is(kind)) {
            let path = pointer.trim_start_matches('/').replace('/', ".");
            out.extend(object.at(pointer).map(|t| pod::of(t, &path)).unwrap_or_default());
        }
        if resource.is(&STATEFUL_SETS) {
            for (i, claim) in object.list("/spec/volumeClaimTemplates").iter().enumerate() {
                claim_amounts(claim, &format!("spec.volumeClaimTemplates[{i}]"), &mut out);
            }
        }
    }
    match () {
        // People do not change pods by hand.
        () if resource.is(&PODS) && before.is_none() => out.extend(pod::of(object, "")),
        () if resource.is_custom() => finalizers(object, before, &mut out),
        () if resource.is(&SERVICES) => service(object, &mut out),
        () if resource.is(&SECRETS) => out.extend(certificate(object)),
        () if resource.is(&PERSISTENT_VOLUME_CLAIMS) => {
            claim_amounts(object.get("spec").unwrap_or(&Value::Null), "spec", &mut out);
        }
        () if resource.is(&ENDPOINT_SLICES) && object.text("/addressType") == "FQDN" => {
            out.push("spec.addressType: FQDN endpoints are deprecated".into());
        }
        () if resource.group == "networking.k8s.io" && resource.plural == "ingresses" => {
            const CLASS: &str = "kubernetes.io/ingress.class";
            if before.is_none() && object.annotation(CLASS).is_some() && object.at("/spec/ingressClassName").is_none() {
                out.push(format!("annotation {CLASS:?} is deprecated, please use 'spec.ingressClassName' instead"));
            }
        }
        () => {}
    }
    out
}

/// Daemon sets count their templates by themselves.
fn asks_anew(resource: &Resource, object: &Value, before: &Value) -> bool {
    if resource.is(&DAEMON_SETS) {
        return object.at(TEMPLATE_GENERATION) != before.at(TEMPLATE_GENERATION);
    }
    object.generation() != before.generation() || object.generation() == 0
}

/// Names of new finalizers of custom objects. Those of built-in kinds are refused for the same.
fn finalizers(object: &Value, before: Option<&Value>, out: &mut Vec<String>) {
    const STANDARD: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];
    let is_new = |name: &&str| before.is_none_or(|before| !before.has_finalizer(name));
    let plain = |name: &&str| !name.contains('/') && !STANDARD.contains(name);
    let names: BTreeSet<&str> = object.finalizers().filter(is_new).filter(plain).collect();
    for name in names {
        let path = if name.contains('.') { " including a path (/)" } else { "" };
        out.push(format!(
            "metadata.finalizers: {name:?}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
        ));
    }
}

/// Kinds and versions that are on their way out: said with every answer.
pub(crate) fn deprecated(resource: &Resource) -> Option<String> {
    if let Some(version) = &resource.custom {
        return version.deprecation.clone();
    }
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("", "endpoints") => Some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice".into()),
        ("", "componentstatuses") => Some("v1 ComponentStatus is deprecated in v1.19+".into()),
        _ => None,
    }
}

fn service(service: &Value, out: &mut Vec<String>) {
    let kind = service.text("/spec/type");
    let external = !service.list("/spec/externalIPs").is_empty();
    if kind == "ClusterIP" && service.text("/spec/clusterIP") == "None" {
        if !service.text("/spec/loadBalancerIP").is_empty() {
            out.push("spec.loadBalancerIP is ignored for headless services".into());
        }
        if external {
            out.push("spec.externalIPs is ignored for headless services".into());
        }
        if service.text("/spec/sessionAffinity") != "None" {
            out.push("spec.SessionAffinity is ignored for headless services".into());
        }
    }
    if kind == "ExternalName" && external {
        out.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".into());
    }
    if kind != "ExternalName" && !service.text("/spec/externalName").is_empty() {
        out.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".into());
    }
}

/// Whether certificate and key are PEM at all; nobody checks more than that here.
fn certificate(secret: &Value) -> Option<String> {
    if secret.text("/type") != "kubernetes.io/tls" {
        return None;
    }
    let is_pem = |pointer: &str| {
        let bytes = BASE64.decode(secret.text(pointer)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains("-----BEGIN ")
    };
    match (is_pem("/data/tls.crt"), is_pem("/data/tls.key")) {
        (false, _) => Some("tls: failed to find any PEM data in certificate input".into()),
        (true, false) => Some("tls: failed to find any PEM data in key input".into()),
        (true, true) => None,
    }
}

fn claim_amounts(spec: &Value, path: &str, out: &mut Vec<String>) {
    let spec = spec.get("spec").unwrap_or(spec);
    for of in ["requests", "limits"] {
        fractions(spec.at(&format!("/resources/{of}")), &["storage"], &format!("{path}.resources.{of}"), out);
    }
}

/// Amounts that are whole bytes or a mistake.
fn fractions(amounts: Option<&Value>, names: &[&str], path: &str, out: &mut Vec<String>) {
    for name in names {
        let Some(text) = amounts.and_then(|a| a.get(*name)).and_then(Value::as_str) else { continue };
        if Quantity::parse(text).is_ok_and(|q| q.nano % 1_000_000_000 != 0) {
            out.push(format!("{path}[{name}]: fractional byte value {text:?} is invalid, must be an integer"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use serde_json::json;

    #[test]
    fn templates_of_daemon_sets_are_looked_at_when_they_change() {
        let resource = Registry::default().stored(&DAEMON_SETS).unwrap();
        let set = |generation: i64, template: &str| {
            json!({"metadata": {"generation": generation, "annotations": {"deprecated.daemonset.template.generation": template}},
                "spec": {"template": {"spec": {"terminationGracePeriodSeconds": -1}}}})
        };
        let told = |new: &Value, old: &Value| of(&resource, new, Some(old)).len();
        assert_eq!(told(&set(2, "1"), &set(1, "1")), 0);
        assert_eq!(told(&set(2, "2"), &set(1, "1")), 1);
        assert_eq!(of(&resource, &set(1, "1"), None).len(), 1);
    }

    #[test]
    fn plain_names_of_new_finalizers_are_told() {
        let widget = |names: &[&str]| json!({"metadata": {"finalizers": names}});
        let mut out = Vec::new();
        let names = ["plain", "kubernetes", "example.test", "example.test/hold", "old"];
        finalizers(&widget(&names), Some(&widget(&["old"])), &mut out);
        assert_eq!(
            out,
            [
                "metadata.finalizers: \"example.test\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers",
                "metadata.finalizers: \"plain\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers",
            ]
        );
    }
}
