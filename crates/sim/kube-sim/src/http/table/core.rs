//! The core group as rows, besides pods.

use super::text::{age, count, either, labels, or_none, some_of};
use super::{Cells, own_age};
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn cells(plural: &str) -> Option<Cells> {
    let cells: Cells = match plural {
        "configmaps" => |o, now| {
            let entries = |p: &str| o.at(p).and_then(Value::as_object).map_or(0, serde_json::Map::len);
            vec![o.name().into(), (entries("/data") + entries("/binaryData")).into(), own_age(o, now)]
        },
        "secrets" => |o, now| {
            let entries = o.get("data").and_then(Value::as_object).map_or(0, serde_json::Map::len);
            vec![o.name().into(), o.text("/type").into(), entries.into(), own_age(o, now)]
        },
        "namespaces" => |o, now| vec![o.name().into(), o.text("/status/phase").into(), own_age(o, now)],
        "serviceaccounts" => |o, now| vec![o.name().into(), o.list("/secrets").len().into(), own_age(o, now)],
        "services" => service,
        "endpoints" => |o, now| vec![o.name().into(), endpoints(o).into(), own_age(o, now)],
        "nodes" => node,
        "events" => event,
        "persistentvolumes" => volume,
        "persistentvolumeclaims" => claim,
        "replicationcontrollers" => |o, now| {
            let mut cells: Vec<Value> = vec![o.name().into()];
            for pointer in ["/spec/replicas", "/status/replicas", "/status/readyReplicas"] {
                cells.push(count(o, pointer).into());
            }
            cells.push(own_age(o, now));
            cells.extend(super::text::containers(o, "/spec/template/spec/containers"));
            cells.push(labels(o, "/spec/selector"));
            cells
        },
        "podtemplates" => |o, _| {
            let mut cells: Vec<Value> = vec![o.name().into()];
            cells.extend(super::text::containers(o, "/template/spec/containers"));
            cells.push(labels(o, "/template/metadata/labels"));
            cells
        },
        "resourcequotas" => quota,
        _ => return None,
    };
    Some(cells)
}

fn service(object: &Value, now: Timestamp) -> Vec<Value> {
    let texts = |pointer: &str| -> Vec<String> {
        object.list(pointer).iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    let addresses: Vec<String> = object
        .list("/status/loadBalancer/ingress")
        .iter()
        .map(|i| if i.text("/ip").is_empty() { i.text("/hostname") } else { i.text("/ip") }.to_owned())
        .collect();
    let external = match object.text("/spec/type") {
        "ExternalName" => object.text("/spec/externalName").to_owned(),
        "LoadBalancer" => {
            let all = [addresses, texts("/spec/externalIPs")].concat();
            if all.is_empty() { "<pending>".into() } else { all.join(",") }
        }
        _ => or_none(&texts("/spec/externalIPs").join(",")),
    };
    let port = |p: &Value| match p.int("/nodePort").unwrap_or(0) {
        0 => format!("{}/{}", count(p, "/port"), p.text("/protocol")),
        node => format!("{}:{node}/{}", count(p, "/port"), p.text("/protocol")),
    };
    let ports: Vec<String> = object.list("/spec/ports").iter().map(port).collect();
    vec![
        object.name().into(),
        object.text("/spec/type").into(),
        or_none(object.text("/spec/clusterIPs/0")).into(),
        external.into(),
        or_none(&ports.join(",")).into(),
        own_age(object, now),
        labels(object, "/spec/selector"),
    ]
}

fn endpoints(object: &Value) -> String {
    let (mut shown, mut total) = (Vec::new(), 0);
    for subset in object.list("/subsets") {
        let addresses = subset.list("/addresses");
        let ports = subset.list("/ports");
        total += addresses.len() * ports.len().max(1);
        if ports.is_empty() {
            shown.extend(addresses.iter().map(|a| a.text("/ip").to_owned()));
        }
        for port in ports {
            shown.extend(addresses.iter().map(|a| format!("{}:{}", a.text("/ip"), count(port, "/port"))));
        }
    }
    if object.list("/subsets").is_empty() { "<none>".into() } else { some_of(&shown, 3, ",", total) }
}

fn node(object: &Value, now: Timestamp) -> Vec<Value> {
    let ready = object.list("/status/conditions").iter().find(|c| c.text("/type") == "Ready");
    let mut status = match ready.map(|c| c.text("/status")) {
        Some("True") => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if object.at("/spec/unschedulable") == Some(&Value::Bool(true)) {
        status += ",SchedulingDisabled";
    }
    let labels = object.at("/metadata/labels").and_then(Value::as_object).into_iter().flatten();
    let mut roles: Vec<String> = labels
        .filter_map(|(k, v)| {
            let role = k.strip_prefix("node-role.kubernetes.io/").filter(|r| !r.is_empty());
            let other = (k == "kubernetes.io/role").then(|| v.as_str()).flatten();
            role.or(other).map(str::to_owned)
        })
        .collect();
    roles.sort();
    let address = |kind: &str| {
        let found = object.list("/status/addresses").iter().find(|a| a.text("/type") == kind);
        or_none(found.map_or("", |a| a.text("/address")))
    };
    let info = |field: &str| {
        let text = object.text(&format!("/status/nodeInfo/{field}"));
        if text.is_empty() { "<unknown>" } else { text }.to_owned()
    };
    vec![
        object.name().into(),
        status.into(),
        or_none(&roles.join(",")).into(),
        own_age(object, now),
        object.text("/status/nodeInfo/kubeletVersion").into(),
        address("InternalIP").into(),
        address("ExternalIP").into(),
        info("osImage").into(),
        info("kernelVersion").into(),
        info("containerRuntimeVersion").into(),
    ]
}

fn event(object: &Value, now: Timestamp) -> Vec<Value> {
    // Both groups of events are shown, each with its own names.
    let pick = |core: &str, events: &str| {
        let text = object.text(core);
        if text.is_empty() { object.text(events) } else { text }.to_owned()
    };
    let first = pick("/firstTimestamp", "/deprecatedFirstTimestamp");
    let first = age(if first.is_empty() { object.text("/eventTime") } else { &first }, now);
    let last = pick("/lastTimestamp", "/deprecatedLastTimestamp");
    let mut last = if last.is_empty() { first.clone() } else { age(&last, now) };
    let mut times = object.int("/count").or_else(|| object.int("/deprecatedCount")).filter(|n| *n > 0).unwrap_or(1);
    if let Some(series) = object.get("series") {
        last = age(series.text("/lastObservedTime"), now);
        times = count(series, "/count");
    }
    let (kind, name) =
        (pick("/involvedObject/kind", "/regarding/kind"), pick("/involvedObject/name", "/regarding/name"));
    let target = if name.is_empty() { kind.to_lowercase() } else { format!("{}/{name}", kind.to_lowercase()) };
    let first_of = |pointers: &[&str]| {
        pointers.iter().map(|p| object.text(p)).find(|t| !t.is_empty()).unwrap_or_default().to_owned()
    };
    let component =
        first_of(&["/source/component", "/deprecatedSource/component", "/reportingComponent", "/reportingController"]);
    let host = first_of(&["/source/host", "/deprecatedSource/host", "/reportingInstance"]);
    let source = if host.is_empty() { component } else { format!("{component}, {host}") };
    vec![
        last.into(),
        object.text("/type").into(),
        object.text("/reason").into(),
        target.into(),
        pick("/involvedObject/fieldPath", "/regarding/fieldPath").into(),
        source.into(),
        pick("/message", "/note").trim().into(),
        first.into(),
        times.into(),
        object.name().into(),
    ]
}

fn modes(object: &Value, pointer: &str) -> String {
    let short = |mode: &Value| match mode.as_str() {
        Some("ReadWriteOnce") => "RWO",
        Some("ReadOnlyMany") => "ROX",
        Some("ReadWriteMany") => "RWX",
        Some("ReadWriteOncePod") => "RWOP",
        _ => "",
    };
    let mut seen: Vec<&str> = Vec::new();
    for mode in object.list(pointer).iter().map(short).filter(|m| !m.is_empty()) {
        if !seen.contains(&mode) {
            seen.push(mode);
        }
    }
    seen.join(",")
}

fn phase(object: &Value) -> Value {
    if object.is_deleting() { "Terminating".into() } else { object.text("/status/phase").into() }
}

fn volume(object: &Value, now: Timestamp) -> Vec<Value> {
    let claim =
        object.at("/spec/claimRef").map_or(String::new(), |c| format!("{}/{}", c.text("/namespace"), c.text("/name")));
    vec![
        object.name().into(),
        either(object.at("/spec/capacity/storage"), "0"),
        modes(object, "/spec/accessModes").into(),
        object.text("/spec/persistentVolumeReclaimPolicy").into(),
        phase(object),
        claim.into(),
        object.text("/spec/storageClassName").into(),
        either(object.at("/spec/volumeAttributesClassName"), "<unset>"),
        object.text("/status/reason").into(),
        own_age(object, now),
        either(object.at("/spec/volumeMode"), "<unset>"),
    ]
}

fn claim(object: &Value, now: Timestamp) -> Vec<Value> {
    let bound = !object.text("/spec/volumeName").is_empty();
    let capacity = if bound { either(object.at("/status/capacity/storage"), "0") } else { "".into() };
    vec![
        object.name().into(),
        phase(object),
        object.text("/spec/volumeName").into(),
        capacity,
        if bound { modes(object, "/status/accessModes") } else { String::new() }.into(),
        object.text("/spec/storageClassName").into(),
        either(object.at("/spec/volumeAttributesClassName"), "<unset>"),
        own_age(object, now),
        either(object.at("/spec/volumeMode"), "<unset>"),
    ]
}

fn quota(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut hard: Vec<(&String, &Value)> =
        object.at("/status/hard").and_then(Value::as_object).into_iter().flatten().collect();
    hard.sort_by_key(|(name, _)| name.as_str());
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (name, amount) in hard {
        let used = object.at("/status/used").and_then(|u| u.get(name)).and_then(Value::as_str).unwrap_or("0");
        let text = format!("{name}: {used}/{}", amount.as_str().unwrap_or_default());
        if name.starts_with("limits.") { limits.push(text) } else { requests.push(text) }
    }
    vec![object.name().into(), requests.join(", ").into(), limits.join(", ").into(), own_age(object, now)]
}
