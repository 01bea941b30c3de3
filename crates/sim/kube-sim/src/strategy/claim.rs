//! Claims of volumes.

use crate::object::Object;
use serde_json::{Value, json};

pub(super) fn create(claim: &mut Value) {
    claim.set("/status/phase", "Pending");
    // Where the data comes from has an old and a new name; each stands for the other.
    let (source, reference) = (claim.at("/spec/dataSource"), claim.at("/spec/dataSourceRef"));
    let names = |from: &Value| {
        let mut out = json!({"kind": from.text("/kind"), "name": from.text("/name")});
        if !from.text("/apiGroup").is_empty() {
            out.set("/apiGroup", from.text("/apiGroup"));
        }
        out
    };
    match (source.map(names), reference.map(|r| (names(r), r.text("/namespace").is_empty()))) {
        (Some(source), None) => claim.set("/spec/dataSourceRef", source),
        (None, Some((reference, true))) => claim.set("/spec/dataSource", reference),
        _ => {}
    }
}
