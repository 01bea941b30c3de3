//! Ingresses, policies and endpoint slices as rows.

use super::text::{either, selector, some_of};
use super::{Printer, own_age};
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn printer(plural: &str) -> Option<Printer> {
    let printer = |columns, cells| Some(Printer { columns, cells });
    match plural {
        "ingresses" => printer(&["Name", "Class", "Hosts", "Address", "Ports", "Age"], ingress),
        "ingressclasses" => printer(&["Name", "Controller", "Parameters", "Age"], class),
        "networkpolicies" => printer(&["Name", "Pod-Selector", "Age"], |o, now| {
            vec![o.name().into(), selector(o, "/spec/podSelector"), own_age(o, now)]
        }),
        "endpointslices" => printer(&["Name", "AddressType", "Ports", "Endpoints", "Age"], slice),
        _ => None,
    }
}

fn ingress(object: &Value, now: Timestamp) -> Vec<Value> {
    let rules = object.list("/spec/rules");
    let named: Vec<String> = rules.iter().map(|r| r.text("/host").to_owned()).filter(|h| !h.is_empty()).collect();
    let hosts = if named.is_empty() { "*".to_owned() } else { some_of(&named, 3, ",", rules.len().max(named.len())) };
    let addresses: Vec<&str> = object
        .list("/status/loadBalancer/ingress")
        .iter()
        .map(|i| if i.text("/ip").is_empty() { i.text("/hostname") } else { i.text("/ip") })
        .collect();
    let ports = if object.list("/spec/tls").is_empty() { "80" } else { "80, 443" };
    vec![
        object.name().into(),
        either(object.pointer("/spec/ingressClassName"), "<none>"),
        hosts.into(),
        addresses.join(",").into(),
        ports.into(),
        own_age(object, now),
    ]
}

fn class(object: &Value, now: Timestamp) -> Vec<Value> {
    let parameters = object.pointer("/spec/parameters").map_or("<none>".to_owned(), |p| {
        let group = p.text("/apiGroup");
        let kind = if group.is_empty() { p.text("/kind").to_owned() } else { format!("{}.{group}", p.text("/kind")) };
        format!("{kind}/{}", p.text("/name"))
    });
    vec![object.name().into(), object.text("/spec/controller").into(), parameters.into(), own_age(object, now)]
}

fn slice(object: &Value, now: Timestamp) -> Vec<Value> {
    let ports: Vec<String> =
        object.list("/ports").iter().map(|p| p.int("/port").map_or("*".to_owned(), |n| n.to_string())).collect();
    let ports = if ports.is_empty() { "<unset>".to_owned() } else { some_of(&ports, 3, ",", ports.len()) };
    let addresses: Vec<String> = object
        .list("/endpoints")
        .iter()
        .flat_map(|e| e.list("/addresses"))
        .filter_map(|a| a.as_str().map(str::to_owned))
        .collect();
    let endpoints =
        if addresses.is_empty() { "<unset>".to_owned() } else { some_of(&addresses, 3, ",", addresses.len()) };
    vec![object.name().into(), object.text("/addressType").into(), ports.into(), endpoints.into(), own_age(object, now)]
}
