//! Events: the core group and events.k8s.io name the same fields differently.

use crate::object::Object;
use crate::ops::prepare::put;
use serde_json::Value;

const NAMES: &[(&str, &str)] = &[
    ("/involvedObject", "/regarding"),
    ("/message", "/note"),
    ("/reportingComponent", "/reportingController"),
    ("/source", "/deprecatedSource"),
    ("/firstTimestamp", "/deprecatedFirstTimestamp"),
    ("/lastTimestamp", "/deprecatedLastTimestamp"),
    ("/count", "/deprecatedCount"),
];

pub(super) fn to_events(event: &mut Value) {
    for (core, events) in NAMES {
        let value = event.remove(core);
        put(event, events, value);
    }
}

pub(super) fn to_core(event: &mut Value) {
    for (core, events) in NAMES {
        let value = event.remove(events);
        put(event, core, value);
    }
}
