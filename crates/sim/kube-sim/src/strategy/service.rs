//! Services: addresses and ports that the API server hands out.

mod addresses;
mod families;

use crate::cluster::State;
use crate::error::ApiError;
use crate::kind::SERVICES;
use crate::object::Object;
use crate::ops::prepare::{keep, put};
use serde_json::Value;
use std::collections::BTreeSet;

/// The type of services that have neither addresses nor ports.
const EXTERNAL: &str = "ExternalName";

pub(super) fn create(state: &mut State, service: &mut Value) -> Result<(), ApiError> {
    addresses::align(service, None);
    families::settle(service, None)?;
    addresses::allocate(state, service)?;
    open_ports(state, service)
}

pub(super) fn update(state: &mut State, new: &mut Value, old: &Value) -> Result<(), ApiError> {
    let (was, is) = (old.text("/spec/type").to_owned(), new.text("/spec/type").to_owned());
    addresses::inherit(new, old);
    if opens_ports(&was) && opens_ports(&is) {
        keep_node_ports(new, old);
    }
    if new.int("/spec/healthCheckNodePort").is_none() && wants_health_port(new) && wants_health_port(old) {
        keep(new, old, "/spec/healthCheckNodePort");
    }
    addresses::align(new, Some(old));
    families::settle(new, Some(old))?;
    if was == EXTERNAL {
        addresses::allocate(state, new)?;
    }
    open_ports(state, new)?;
    if was != EXTERNAL && is == EXTERNAL {
        addresses::forget(new, old);
    }
    if opens_ports(&was) && !opens_ports(&is) {
        forget_node_ports(new, old);
    }
    drop_dependent(new, old);
    Ok(())
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

/// Hands out what ports are missing.
fn open_ports(state: &mut State, service: &mut Value) -> Result<(), ApiError> {
    let kind = service.text("/spec/type").to_owned();
    let unwanted =
        is_balanced(service) && service.at("/spec/allocateLoadBalancerNodePorts") == Some(&Value::Bool(false));
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
