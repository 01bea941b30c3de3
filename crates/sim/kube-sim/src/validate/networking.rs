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
            for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
                for rule in spec.items(rules) {
                    policy_ports(&rule, problems);
                    for peer in rule.items(peers) {
                        policy_peer(&peer, problems);
                    }
                }
            }
            for kind in spec.items("policyTypes").iter().filter(|k| !matches!(k.as_str(), "Ingress" | "Egress")) {
                problems.unsupported(&kind.path, kind.value, &["Ingress", "Egress"]);
            }
        }
        "endpointslices" => slice(object, old, problems),
        _ => {}
    }
}

fn policy_ports(rule: &At<'_>, problems: &mut Problems) {
    for port in rule.items("ports") {
        if !matches!(port.text("protocol"), "" | "TCP" | "UDP" | "SCTP") {
            problems.unsupported(port.at("protocol"), &port.text("protocol").into(), &["TCP", "UDP", "SCTP"]);
        }
        if port.has("port") {
            port.port_or_name("port", problems);
        }
        let Some(end) = port.int("endPort") else { continue };
        match port.child("port").value {
            Value::Number(start) if start.as_i64().unwrap_or(0) > end => {
                problems.invalid(port.at("endPort"), &start.clone().into(), "must be greater than or equal to `port`");
            }
            Value::String(_) => {
                problems.invalid(port.at("endPort"), &end.into(), "may not be specified when `port` is non-numeric");
            }
            Value::Null => {
                problems.invalid(port.at("endPort"), &end.into(), "may not be specified when `port` is not specified");
            }
            _ => {}
        }
    }
}

fn policy_peer(peer: &At<'_>, problems: &mut Problems) {
    let mut selectors = 0;
    for field in ["podSelector", "namespaceSelector"] {
        if peer.has(field) {
            selectors += 1;
            peer.child(field).label_selector(problems);
        }
    }
    let block = peer.child("ipBlock");
    if block.is_set() {
        let whole = block.text("cidr");
        match (whole.is_empty(), names::network(whole)) {
            (true, _) => problems.required(block.at("cidr"), ""),
            (false, None) => {
                let why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
                problems.invalid(block.at("cidr"), &whole.into(), why);
            }
            (false, Some(outer)) => {
                for except in block.items("except") {
                    match names::network(except.as_str()) {
                        None => {
                            let why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
                            problems.invalid(&except.path, except.value, why);
                        }
                        Some(inner) if !names::is_within(inner, outer) => {
                            problems.invalid(&except.path, except.value, "must be a strict subset of `cidr`");
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        if selectors > 0 {
            problems.forbidden(&peer.path, "may not specify both ipBlock and another peer");
        }
    } else if selectors == 0 {
        problems.required(&peer.path, "must specify a peer");
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
            rule.wrong("host", host_name(host), problems);
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
    for tls in spec.items("tls") {
        for host in tls.items("hosts") {
            problems.invalid_each(&host.path, host.as_str(), host_name(host.as_str()));
        }
    }
    if spec.has("ingressClassName") {
        spec.wrong("ingressClassName", names::subdomain(spec.text("ingressClassName")), problems);
    }
}

fn host_name(host: &str) -> Vec<String> {
    if host.contains('*') { names::wildcard_subdomain(host) } else { names::subdomain(host) }
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
                (_, Ok(_)) => {
                    let text = address.as_str();
                    problems.invalid_each(&address.path, text, names::special_address(text));
                }
                _ => {}
            }
        }
    }
    if let Some(old) = old {
        super::at::immutable(object, old, "/addressType", "addressType", problems);
    }
}
