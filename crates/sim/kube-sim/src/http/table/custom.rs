//! Custom kinds as rows: the columns of their definitions.

use super::text::age;
use super::{column, definition, jsonpath, own_age};
use crate::custom::Version;
use crate::object::Object;
use serde_json::Value;
use windlass_model::Timestamp;

pub(super) fn columns(version: &Version) -> Vec<Value> {
    let mut out = vec![column("Name")];
    if version.columns.is_empty() {
        out.push(definition("Age", "date", "", 0));
    }
    for wanted in &version.columns {
        let mut shown = definition(
            wanted.text("/name"),
            wanted.text("/type"),
            wanted.text("/format"),
            wanted.int("/priority").unwrap_or(0),
        );
        shown.set("/description", wanted.text("/description"));
        out.push(shown);
    }
    out
}

pub(super) fn cells(version: &Version, object: &Value, now: Timestamp) -> Vec<Value> {
    let mut out = vec![object.name().into()];
    if version.columns.is_empty() {
        out.push(own_age(object, now));
    }
    out.extend(version.columns.iter().map(|wanted| cell(wanted, object, now)));
    out
}

fn cell(wanted: &Value, object: &Value, now: Timestamp) -> Value {
    let found = jsonpath::find(object, wanted.text("/jsonPath"));
    let Some(first) = found.first() else { return Value::Null };
    match wanted.text("/type") {
        "integer" | "number" | "boolean" => (*first).clone(),
        "date" => match first.as_str() {
            Some(moment) => age(moment, now).into(),
            None => "<unknown>".into(),
        },
        _ => {
            let text = |v: &&Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
            found.iter().map(text).collect::<Vec<_>>().join(",").into()
        }
    }
}
