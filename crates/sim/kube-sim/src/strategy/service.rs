//! Services: addresses and ports that the API server hands out.

use crate::cluster::State;
use crate::error::{ApiError, Cause};
use crate::kind::SERVICES;
use crate::object::Object;
use crate::ops::prepare::{keep, put};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn create(state: &mut State, service: &mut Value) -> Result<(), ApiError> {
    if service.text("/spec/type") != "ExternalName" {
        parses(service)?;
    }
    allocate(state, service)?;
    if service.text("/spec/type") == "ExternalName" { Ok(()) } else { in_network(service) }
}

pub(super) fn update(state: &mut State, new: &mut Value, old: &Value) -> Result<(), ApiError> {
    let (was, is) = (old.text("/spec/type").to_owned(), new.text("/spec/type").to_owned());
    if is != "ExternalName" {
        parses(new)?;
    }
    if was != "ExternalName" && is != "ExternalName" {
        // What a client leaves out, it does not mean to change.
        if new.text("/spec/clusterIP").is_empty() && new.list("/spec/clusterIPs").is_empty() {
            keep(new, old, "/spec/clusterIP");
            keep(new, old, "/spec/clusterIPs");
        }
        let changed_ip = new.text("/spec/clusterIP") != old.text("/spec/clusterIP");
        let same_ips = new.at("/spec/clusterIPs") == old.at("/spec/clusterIPs");
        if changed_ip && same_ips {
            let address = new.text("/spec/clusterIP").to_owned();
            new.set("/spec/clusterIPs", json!([address]));
        }
        for field in ["/spec/ipFamilies", "/spec/ipFamilyPolicy"] {
            if new.at(field).is_none() {
                keep(new, old, field);
            }
        }
    } else if is == "ExternalName" {
        for field in ["/spec/clusterIPs", "/spec/ipFamilies", "/spec/ipFamilyPolicy"] {
            if new.at(field) == old.at(field) {
                put(new, field, None);
            }
        }
        if new.text("/spec/clusterIP") == old.text("/spec/clusterIP") {
            put(new, "/spec/clusterIP", None);
        }
    }
    if opens_ports(&was) && opens_ports(&is) {
        keep_node_ports(new, old);
    } else if opens_ports(&was) {
        forget_node_ports(new, old);
    }
    drop_dependent(new, old);
    if new.int("/spec/healthCheckNodePort").is_none() && wants_health_port(new) && wants_health_port(old) {
        keep(new, old, "/spec/healthCheckNodePort");
    }
    allocate(state, new)
}

/// Whether a service uses a field.
type Test = fn(&Value) -> bool;

/// What the server set for the type before, and nobody changed, goes with the type.
fn drop_dependent(new: &mut Value, old: &Value) {
    let uses: [(&str, Test); 4] = [
        ("/spec/healthCheckNodePort", wants_health_port),
        ("/spec/allocateLoadBalancerNodePorts", is_balanced),
        ("/spec/loadBalancerClass", is_balanced),
        ("/spec/externalTrafficPolicy", is_external),
    ];
    for (field, is_used) in uses {
        if is_used(old) && !is_used(new) && new.at(field) == old.at(field) {
            put(new, field, None);
        }
    }
}

fn is_balanced(service: &Value) -> bool {
    service.text("/spec/type") == "LoadBalancer"
}

fn is_external(service: &Value) -> bool {
    let kind = service.text("/spec/type");
    opens_ports(kind) || kind == "ClusterIP" && !service.list("/spec/externalIPs").is_empty()
}

/// An address that is none is told before anything else.
fn parses(service: &Value) -> Result<(), ApiError> {
    let address = service.text("/spec/clusterIP");
    if matches!(address, "" | "None") || address.parse::<std::net::IpAddr>().is_ok() {
        return Ok(());
    }
    let message = format!("Invalid value: {address:?}: must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    let cause = Cause { reason: "FieldValueInvalid", message, field: "spec.clusterIPs[0]".into() };
    Err(ApiError::invalid("", "Service", service.name(), vec![cause]))
}

fn opens_ports(kind: &str) -> bool {
    matches!(kind, "NodePort" | "LoadBalancer")
}

fn wants_health_port(service: &Value) -> bool {
    service.text("/spec/type") == "LoadBalancer" && service.text("/spec/externalTrafficPolicy") == "Local"
}

fn port_key(port: &Value) -> (i64, String) {
    (port.int("/port").unwrap_or(0), port.text("/protocol").to_owned())
}

fn ports(service: &mut Value) -> impl Iterator<Item = &mut Value> {
    service.pointer_mut("/spec/ports").and_then(Value::as_array_mut).into_iter().flatten()
}

fn keep_node_ports(new: &mut Value, old: &Value) {
    let taken: BTreeSet<i64> = new.list("/spec/ports").iter().filter_map(|p| p.int("/nodePort")).collect();
    for port in ports(new) {
        let before = old.list("/spec/ports").iter().find(|p| port_key(p) == port_key(port));
        let number = before.and_then(|p| p.int("/nodePort")).filter(|n| *n != 0 && !taken.contains(n));
        if let (None, Some(number)) = (port.int("/nodePort"), number) {
            port.set("/nodePort", number);
        }
    }
}

/// A service that stops being open outside gives back the ports it did not name anew.
fn forget_node_ports(new: &mut Value, old: &Value) {
    let before: BTreeSet<i64> = old.list("/spec/ports").iter().filter_map(|p| p.int("/nodePort")).collect();
    for port in ports(new) {
        if port.int("/nodePort").is_some_and(|n| before.contains(&n)) {
            port.remove("/nodePort");
        }
    }
}

fn allocate(state: &mut State, service: &mut Value) -> Result<(), ApiError> {
    let kind = service.text("/spec/type").to_owned();
    if kind == "ExternalName" {
        return Ok(());
    }
    if service.text("/spec/clusterIP").is_empty() {
        let named = service.list("/spec/clusterIPs").first().and_then(Value::as_str).map(str::to_owned);
        let address = named.unwrap_or_else(|| free_address(state));
        service.set("/spec/clusterIP", address);
    }
    if service.list("/spec/clusterIPs").is_empty() {
        let address = service.text("/spec/clusterIP").to_owned();
        service.set("/spec/clusterIPs", json!([address]));
    }
    let family = if service.text("/spec/clusterIP").contains(':') { "IPv6" } else { "IPv4" };
    // Without addresses and without pods behind it, a service may be of any family.
    let anything = service.text("/spec/clusterIP") == "None" && service.at("/spec/selector").is_none();
    if anything && service.text("/spec/ipFamilyPolicy").is_empty() {
        service.set("/spec/ipFamilyPolicy", "RequireDualStack");
        let other = if service.text("/spec/ipFamilies/0") == "IPv6" { "IPv4" } else { "IPv6" };
        let first = if other == "IPv6" { "IPv4" } else { "IPv6" };
        service.set("/spec/ipFamilies", json!([first, other]));
    }
    if service.list("/spec/ipFamilies").is_empty() {
        service.set("/spec/ipFamilies", json!([family]));
    }
    if service.text("/spec/ipFamilyPolicy").is_empty() {
        service.set("/spec/ipFamilyPolicy", "SingleStack");
    }
    let unwanted =
        kind == "LoadBalancer" && service.at("/spec/allocateLoadBalancerNodePorts") == Some(&Value::Bool(false));
    if opens_ports(&kind) && !unwanted {
        let mut taken = taken_ports(state);
        taken.extend(service.list("/spec/ports").iter().filter_map(|p| p.int("/nodePort")));
        for port in ports(service) {
            if port.int("/nodePort").is_none() {
                let number = free_port(state, &mut taken)?;
                port.set("/nodePort", number);
            }
        }
    }
    if wants_health_port(service) && service.int("/spec/healthCheckNodePort").is_none() {
        let mut taken = taken_ports(state);
        let number = free_port(state, &mut taken)?;
        service.set("/spec/healthCheckNodePort", number);
    }
    Ok(())
}

/// Addresses that clients choose are of the service network.
fn in_network(service: &Value) -> Result<(), ApiError> {
    let address = service.text("/spec/clusterIP");
    let Ok(parsed) = address.parse::<std::net::Ipv4Addr>() else { return Ok(()) };
    let [first, second, ..] = parsed.octets();
    if first == 10 && (96..112).contains(&second) {
        return Ok(());
    }
    let why = format!("failed to allocate IP {address}: the provided network does not match the current range");
    let message = format!("Invalid value: [{address:?}]: {why}");
    let cause = Cause { reason: "FieldValueInvalid", message, field: "spec.clusterIPs".into() };
    Err(ApiError::invalid("", "Service", service.name(), vec![cause]))
}

fn free_address(state: &mut State) -> String {
    loop {
        let address = state.ids.service_address();
        if !state.store.list(&SERVICES, None).any(|s| s.text("/spec/clusterIP") == address) {
            return address;
        }
    }
}

fn taken_ports(state: &State) -> BTreeSet<i64> {
    let services = state.store.list(&SERVICES, None);
    services.flat_map(|s| s.list("/spec/ports").iter().filter_map(|p| p.int("/nodePort"))).collect()
}

fn free_port(state: &mut State, taken: &mut BTreeSet<i64>) -> Result<i64, ApiError> {
    for _ in 0..2_768 {
        let number = i64::from(state.ids.node_port());
        if taken.insert(number) {
            return Ok(number);
        }
    }
    Err(ApiError::internal("failed to allocate a nodePort: range is full"))
}
