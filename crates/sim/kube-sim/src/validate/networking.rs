//! Ingresses, network policies and endpoint slices.

use super::at::At;
use super::field::Problems;
use super::names;
use serde_json::Value;
use std::net::IpAddr;

pub(super) fn check(plural: &str, object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    match plural {
        "ingresses" => ingress(&spec, problems),
        "networkpolicies" => {
            spec.child("podSelector").label_selector(problems);
            for kind in spec.items("policyTypes").iter().filter(|k| !matches!(k.as_str(), "Ingress" | "Egress")) {
                problems.unsupported(&kind.path, kind.value, &["Egress", "Ingress"]);
            }
        }
        "endpointslices" => slice(object, old, problems),
        _ => {}
    }
}

fn ingress(spec: &At<'_>, problems: &mut Problems) {
    let (rules, default) = (spec.child("rules"), spec.child("defaultBackend"));
    if rules.len() == 0 && !default.is_set() {
        let why = "either `defaultBackend` or `rules` must be specified";
        problems.invalid(&spec.path, rules.value, why);
    }
    if default.is_set() {
        backend(&default, problems);
    }
    for rule in rules.elements() {
        let host = rule.text("host");
        if !host.is_empty() {
            if host.parse::<IpAddr>().is_ok() {
                problems.invalid(rule.at("host"), &host.into(), "must be a DNS name, not an IP address");
            }
            let name = host.strip_prefix("*.").unwrap_or(host);
            rule.wrong("host", names::subdomain(name), problems);
        }
        let http = rule.child("http");
        if !http.is_set() {
            continue;
        }
        if http.child("paths").len() == 0 {
            problems.required(http.at("paths"), "");
        }
        for path in http.items("paths") {
            ingress_path(&path, problems);
        }
    }
    if spec.has("ingressClassName") {
        spec.wrong("ingressClassName", names::subdomain(spec.text("ingressClassName")), problems);
    }
}

fn ingress_path(path: &At<'_>, problems: &mut Problems) {
    let (kind, text) = (path.text("pathType"), path.text("path"));
    if !path.has("pathType") {
        problems.required(path.at("pathType"), "pathType must be specified");
        return;
    }
    let absolute = text.starts_with('/');
    match kind {
        "Exact" | "Prefix" => {
            if !absolute {
                problems.invalid(path.at("path"), &text.into(), "must be an absolute path");
            }
            for bad in ["//", "/./", "/../", "%2f", "%2F"] {
                if text.contains(bad) {
                    problems.invalid(path.at("path"), &text.into(), &format!("must not contain '{bad}'"));
                }
            }
            for bad in ["/..", "/."] {
                if text.ends_with(bad) {
                    problems.invalid(path.at("path"), &text.into(), &format!("cannot end with '{bad}'"));
                }
            }
        }
        "ImplementationSpecific" => {
            if !text.is_empty() && !absolute {
                problems.invalid(path.at("path"), &text.into(), "must be an absolute path");
            }
        }
        _ => {
            let kinds = ["Exact", "ImplementationSpecific", "Prefix"];
            problems.unsupported(path.at("pathType"), &kind.into(), &kinds);
        }
    }
    backend(&path.child("backend"), problems);
}

fn backend(backend: &At<'_>, problems: &mut Problems) {
    let (resource, service) = (backend.child("resource"), backend.child("service"));
    match (resource.is_set(), service.is_set()) {
        (true, true) => problems.invalid(&backend.path, &"".into(), "cannot set both resource and service backends"),
        (false, false) => problems.invalid(&backend.path, &"".into(), "resource or service backend is required"),
        (true, false) => {}
        (false, true) => {
            let name = service.text("name");
            if name.is_empty() {
                problems.required(service.at("name"), "");
            } else {
                service.wrong("name", names::label_1035(name), problems);
            }
            let port = service.child("port");
            match (port.text("name").is_empty(), port.int("number").unwrap_or(0) == 0) {
                (false, false) => {
                    problems.invalid(&backend.path, &"".into(), "cannot set both port name & port number");
                }
                (false, true) => port.wrong("name", names::port_name(port.text("name")), problems),
                (true, false) => port.port_number("number", problems),
                (true, true) => problems.required(&backend.path, "port name or number is required"),
            }
        }
    }
}

fn slice(object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let root = At { value: object, path: String::new() };
    root.one_of("addressType", &["FQDN", "IPv4", "IPv6"], problems);
    let mut seen: Vec<&str> = Vec::new();
    for port in root.items("ports") {
        let name = port.text("name");
        if !name.is_empty() {
            port.wrong("name", names::label(name), problems);
        }
        if seen.contains(&name) {
            problems.duplicate(port.at("name"), &name.into());
        }
        seen.push(name);
        port.one_of("protocol", &["SCTP", "TCP", "UDP"], problems);
    }
    let endpoints = root.child("endpoints");
    if endpoints.len() > 1_000 {
        problems.too_many(&endpoints.path, endpoints.len(), 1_000);
    }
    for endpoint in endpoints.elements() {
        let addresses = endpoint.child("addresses");
        if addresses.len() == 0 {
            problems.required(&addresses.path, "must contain at least 1 address");
        } else if addresses.len() > 100 {
            problems.too_many(&addresses.path, addresses.len(), 100);
        }
        for address in addresses.elements() {
            let parsed = address.as_str().parse::<IpAddr>();
            match (root.text("addressType"), parsed) {
                ("IPv4" | "IPv6", Err(_)) => {
                    let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
                    problems.invalid(&address.path, address.value, why);
                }
                ("IPv4", Ok(IpAddr::V6(_))) => {
                    problems.invalid(&addresses.path, address.value, "must be an IPv4 address");
                }
                ("IPv6", Ok(IpAddr::V4(_))) => {
                    problems.invalid(&addresses.path, address.value, "must be an IPv6 address");
                }
                _ => {}
            }
        }
    }
    if let Some(old) = old {
        super::at::immutable(object, old, "/addressType", "addressType", problems);
    }
}
