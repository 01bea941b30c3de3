//! Ingresses, policies and endpoint slices as rows.

use super::text::{either, selector, some_of};
use super::{Cells, own_age};
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn cells(plural: &str) -> Option<Cells> {
    let cells: Cells = match plural {
        "ingresses" => ingress,
        "ingressclasses" => class,
        "networkpolicies" => |o, now| vec![o.name().into(), selector(o, "/spec/podSelector"), own_age(o, now)],
        "endpointslices" => slice,
        "servicecidrs" => |o, now| {
            let ranges: Vec<&str> = o.list("/spec/cidrs").iter().filter_map(Value::as_str).collect();
            vec![o.name().into(), ranges.join(",").into(), own_age(o, now)]
        },
        "ipaddresses" => address,
        _ => return None,
    };
    Some(cells)
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
        either(object.at("/spec/ingressClassName"), "<none>"),
        hosts.into(),
        addresses.join(",").into(),
        ports.into(),
        own_age(object, now),
    ]
}

fn class(object: &Value, now: Timestamp) -> Vec<Value> {
    let parameters = object.at("/spec/parameters").map_or("<none>".to_owned(), |p| {
        let group = p.text("/apiGroup");
        let kind = if group.is_empty() { p.text("/kind").to_owned() } else { format!("{}.{group}", p.text("/kind")) };
        format!("{kind}/{}", p.text("/name"))
    });
    vec![object.name().into(), object.text("/spec/controller").into(), parameters.into(), own_age(object, now)]
}

fn address(object: &Value, now: Timestamp) -> Vec<Value> {
    let parent = object.at("/spec/parentRef").map_or("<none>".to_owned(), |p| {
        let (group, namespace) = (p.text("/group"), p.text("/namespace"));
        let kind =
            if group.is_empty() { p.text("/resource").to_owned() } else { format!("{}.{group}", p.text("/resource")) };
        let namespace = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
        format!("{}{namespace}/{}", kind.to_lowercase(), p.text("/name"))
    });
    vec![object.name().into(), parent.into(), own_age(object, now)]
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
