//! Services.

use super::at::At;
use super::field::Problems;
use super::{meta, names};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::IpAddr;

const TYPES: &[&str] = &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub(super) fn check(object: &Value, old: Option<&Value>, problems: &mut Problems) {
    let spec = At::root(object, "spec");
    if let Some(old) = old {
        addresses_stay(&spec, &At::root(old, "spec"), problems);
    }
    let kind = spec.text("type");
    let headless = spec.text("clusterIP") == "None";
    let ports = spec.child("ports");
    if ports.len() == 0 && !headless && kind != "ExternalName" {
        problems.required(&ports.path, "");
    }
    match kind {
        "LoadBalancer" | "NodePort" if headless => {
            let why = format!("may not be set to 'None' for {kind} services");
            problems.invalid("spec.clusterIPs[0]", &"None".into(), &why);
        }
        "ExternalName" => external_name(&spec, problems),
        _ => {}
    }
    let mut seen = BTreeSet::new();
    for port in ports.elements() {
        service_port(&port, ports.len() > 1, &mut seen, problems);
    }
    meta::labels("spec.selector", spec.value.get("selector"), problems);
    affinity(&spec, problems);
    if kind != "ExternalName" {
        addresses(&spec, problems);
    }
    for address in spec.items("externalIPs") {
        problems.invalid_each(&address.path, address.as_str(), names::special_address(address.as_str()));
    }
    spec.one_of("type", TYPES, problems);
    if kind == "ClusterIP" {
        for port in ports.elements().iter().filter(|p| p.int("nodePort").unwrap_or(0) != 0) {
            problems.forbidden(port.at("nodePort"), "may not be used when `type` is 'ClusterIP'");
        }
    }
    doubled(&ports, problems);
    if spec.has("loadBalancerSourceRanges") && kind != "LoadBalancer" {
        problems.forbidden("spec.LoadBalancerSourceRanges", "may only be used when `type` is 'LoadBalancer'");
    }
    for (i, range) in spec.items("loadBalancerSourceRanges").iter().enumerate() {
        if names::network(range.as_str().trim()).is_none() {
            let why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
            problems.invalid(format!("spec.LoadBalancerSourceRanges[{i}]"), range.value, why);
        }
    }
    if spec.has("allocateLoadBalancerNodePorts") && kind != "LoadBalancer" {
        problems.forbidden("spec.allocateLoadBalancerNodePorts", "may only be used when `type` is 'LoadBalancer'");
    }
    if spec.has("loadBalancerClass") && kind != "LoadBalancer" {
        problems.forbidden("spec.loadBalancerClass", "may only be used when `type` is 'LoadBalancer'");
    }
    traffic(&spec, problems);
}

fn external_name(spec: &At<'_>, problems: &mut Problems) {
    for field in ["clusterIPs", "ipFamilies"] {
        if spec.child(field).len() > 0 {
            problems.forbidden(spec.at(field), "may not be set for ExternalName services");
        }
    }
    if spec.has("ipFamilyPolicy") {
        problems.forbidden(spec.at("ipFamilyPolicy"), "may not be set for ExternalName services");
    }
    let name = spec.text("externalName").trim_end_matches('.');
    if name.is_empty() {
        problems.required(spec.at("externalName"), "");
    } else {
        problems.invalid_each("spec.externalName", name, names::subdomain(name));
    }
}

fn service_port<'a>(port: &At<'a>, needs_name: bool, seen: &mut BTreeSet<&'a str>, problems: &mut Problems) {
    let name = port.text("name");
    if !name.is_empty() {
        port.wrong("name", names::label(name), problems);
        if !seen.insert(name) {
            problems.duplicate(port.at("name"), &name.into());
        }
    } else if needs_name {
        problems.required(port.at("name"), "");
    }
    port.port_number("port", problems);
    port.one_of("protocol", &["SCTP", "TCP", "UDP"], problems);
    port.port_or_name("targetPort", problems);
    if !port.text("appProtocol").is_empty() {
        port.wrong("appProtocol", names::qualified_name(port.text("appProtocol")), problems);
    }
}

fn affinity(spec: &At<'_>, problems: &mut Problems) {
    spec.one_of("sessionAffinity", &["ClientIP", "None"], problems);
    let config = spec.child("sessionAffinityConfig");
    match spec.text("sessionAffinity") {
        "ClientIP" => {
            let client = config.child("clientIP");
            let seconds = client.int("timeoutSeconds").unwrap_or(0);
            if !(1..=86_400).contains(&seconds) {
                let why = "must be greater than 0 and less than 86400";
                problems.invalid(client.at("timeoutSeconds"), &seconds.into(), why);
            }
        }
        "None" if config.is_set() => {
            problems.forbidden(&config.path, "must not be set when session affinity is None");
        }
        _ => {}
    }
}

/// The addresses of a service against each other and against their families. A cluster looks at them before it hands out more.
pub(crate) fn addresses(spec: &At<'_>, problems: &mut Problems) {
    let (single, all) = (spec.text("clusterIP"), spec.child("clusterIPs"));
    let first = all.elements().first().map_or("", |a| a.as_str());
    match (single.is_empty(), all.len()) {
        (false, 0) => problems.required(&all.path, ""),
        (false, _) if first != single => problems.invalid(&all.path, all.value, "first value must match `clusterIP`"),
        (true, 1..) => problems.invalid(&all.path, all.value, "must be empty when `clusterIP` is not specified"),
        _ => {}
    }
    let mut seen = BTreeSet::new();
    for family in spec.items("ipFamilies") {
        if !matches!(family.as_str(), "IPv4" | "IPv6") {
            problems.unsupported(&family.path, family.value, &["IPv4", "IPv6"]);
        }
        if !seen.insert(family.as_str()) {
            problems.duplicate(&family.path, family.value);
        }
    }
    let policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
    if spec.has("ipFamilyPolicy") && !policies.contains(&spec.text("ipFamilyPolicy")) {
        problems.unsupported(spec.at("ipFamilyPolicy"), spec.child("ipFamilyPolicy").value, &policies);
    }
    let mut wrong = false;
    for (i, address) in all.elements().iter().enumerate() {
        if i > 0 || address.as_str() != "None" {
            wrong |= !is_address(address, problems);
        } else if all.len() > 1 {
            problems.invalid(&all.path, all.value, "'None' must be the first and only value");
            wrong = true;
        }
    }
    if all.len() > 2 {
        problems.invalid(&all.path, all.value, "may only hold up to 2 values");
    }
    if !wrong {
        of_families(spec, &all, problems);
    }
}

fn is_address(address: &At<'_>, problems: &mut Problems) -> bool {
    let is_one = address.as_str().parse::<IpAddr>().is_ok();
    if !is_one {
        let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        problems.invalid(&address.path, address.value, why);
    }
    is_one
}

/// One address for each family, in the order of the families.
fn of_families(spec: &At<'_>, all: &At<'_>, problems: &mut Problems) {
    let is_six = |address: &At<'_>| address.as_str().contains(':');
    let addresses = all.elements();
    if addresses.len() > 1 && addresses.iter().all(is_six) == addresses.iter().any(is_six) {
        problems.invalid(&all.path, all.value, "may specify no more than one IP for each IP family");
    }
    if spec.text("clusterIP") == "None" {
        return;
    }
    for (i, (address, family)) in addresses.iter().zip(spec.items("ipFamilies")).enumerate() {
        let found = if is_six(address) { "IPv6" } else { "IPv4" };
        let family = family.as_str();
        if matches!(family, "IPv4" | "IPv6") && family != found {
            let why = format!("expected an {family} value as indicated by `ipFamilies[{i}]`");
            problems.invalid(&address.path, address.value, &why);
        }
    }
}

fn doubled(ports: &At<'_>, problems: &mut Problems) {
    let (mut outside, mut inside) = (BTreeSet::new(), BTreeSet::new());
    for port in ports.elements() {
        let number = port.int("nodePort").unwrap_or(0);
        if number != 0 && !outside.insert((port.text("protocol"), number)) {
            problems.duplicate(port.at("nodePort"), &number.into());
        }
    }
    for port in ports.elements() {
        let number = port.int("port").unwrap_or(0);
        if !inside.insert((port.text("protocol"), number)) {
            // The key is shown as the server's own type, all fields of it.
            let key = json!({"Name": "", "Protocol": port.text("protocol"), "AppProtocol": null, "Port": number,
                "TargetPort": 0, "NodePort": 0});
            problems.duplicate(&port.path, &key);
        }
    }
}

fn traffic(spec: &At<'_>, problems: &mut Problems) {
    let kind = spec.text("type");
    let outside =
        matches!(kind, "LoadBalancer" | "NodePort") || kind == "ClusterIP" && spec.child("externalIPs").len() > 0;
    let policy = spec.text("externalTrafficPolicy");
    if outside {
        spec.one_of("externalTrafficPolicy", &["Cluster", "Local"], problems);
    } else if !policy.is_empty() {
        let why = "may only be set for externally-accessible services";
        problems.invalid(spec.at("externalTrafficPolicy"), &policy.into(), why);
    }
    let checked = kind == "LoadBalancer" && policy == "Local";
    let port = spec.int("healthCheckNodePort").unwrap_or(0);
    if !checked && port != 0 {
        let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        problems.invalid(spec.at("healthCheckNodePort"), &port.into(), why);
    }
    let inside = spec.text("internalTrafficPolicy");
    if !inside.is_empty() && !matches!(inside, "Cluster" | "Local") {
        problems.unsupported(spec.at("internalTrafficPolicy"), &inside.into(), &["Cluster", "Local"]);
    }
}

/// Addresses that were given stay.
fn addresses_stay(new: &At<'_>, old: &At<'_>, problems: &mut Problems) {
    const WHY: &str = "may not change once set";
    if new.text("type") == "ExternalName" || old.text("type") == "ExternalName" {
        return;
    }
    let headless = |spec: &At<'_>| spec.text("clusterIP") == "None";
    if headless(new) && headless(old) {
        return;
    }
    let (is, was) = (new.child("clusterIPs"), old.child("clusterIPs"));
    let value = |all: &At<'_>, i: usize| all.elements().get(i).map_or(String::new(), |a| a.as_str().to_owned());
    let mut say = |i: usize, why: &str| problems.invalid(format!("{}[{i}]", is.path), is.value, why);
    if is.len() == was.len() {
        for i in (0..was.len()).filter(|i| value(&is, *i) != value(&was, *i)) {
            say(i, WHY);
        }
    } else if is.len() == 0 {
        say(0, "primary clusterIP can not be unset");
    } else if was.len() > 0 && value(&is, 0) != value(&was, 0) {
        say(0, WHY);
    }
}
