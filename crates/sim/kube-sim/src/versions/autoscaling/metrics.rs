//! Metrics as annotations of version 1 hold them: flat, with other names for their fields.

use crate::object::Object;
use serde_json::{Value, json};

/// A field of version 1, and where it is in version 2.
type Field = (&'static str, &'static str);

/// In the order in which the server writes them.
const SPECS: &[(&str, &[Field])] = &[
    (
        "object",
        &[
            ("target", "describedObject"),
            ("metricName", "metric/name"),
            ("targetValue", "target/value"),
            ("selector", "metric/selector"),
            ("averageValue", "target/averageValue"),
        ],
    ),
    (
        "pods",
        &[
            ("metricName", "metric/name"),
            ("targetAverageValue", "target/averageValue"),
            ("selector", "metric/selector"),
        ],
    ),
    (
        "resource",
        &[
            ("name", "name"),
            ("targetAverageUtilization", "target/averageUtilization"),
            ("targetAverageValue", "target/averageValue"),
        ],
    ),
    (
        "containerResource",
        &[
            ("name", "name"),
            ("targetAverageUtilization", "target/averageUtilization"),
            ("targetAverageValue", "target/averageValue"),
            ("container", "container"),
        ],
    ),
    (
        "external",
        &[
            ("metricName", "metric/name"),
            ("metricSelector", "metric/selector"),
            ("targetValue", "target/value"),
            ("targetAverageValue", "target/averageValue"),
        ],
    ),
];

const STATUSES: &[(&str, &[Field])] = &[
    (
        "object",
        &[
            ("target", "describedObject"),
            ("metricName", "metric/name"),
            ("currentValue", "current/value"),
            ("selector", "metric/selector"),
            ("averageValue", "current/averageValue"),
        ],
    ),
    (
        "pods",
        &[
            ("metricName", "metric/name"),
            ("currentAverageValue", "current/averageValue"),
            ("selector", "metric/selector"),
        ],
    ),
    (
        "resource",
        &[
            ("name", "name"),
            ("currentAverageUtilization", "current/averageUtilization"),
            ("currentAverageValue", "current/averageValue"),
        ],
    ),
    (
        "containerResource",
        &[
            ("name", "name"),
            ("currentAverageUtilization", "current/averageUtilization"),
            ("currentAverageValue", "current/averageValue"),
            ("container", "container"),
        ],
    ),
    (
        "external",
        &[
            ("metricName", "metric/name"),
            ("metricSelector", "metric/selector"),
            ("currentValue", "current/value"),
            ("currentAverageValue", "current/averageValue"),
        ],
    ),
];

pub(super) fn spec_to_v1(metric: &Value) -> String {
    flat(metric, SPECS)
}

pub(super) fn status_to_v1(metric: &Value) -> String {
    flat(metric, STATUSES)
}

/// Version 2 says besides what kind of target it is.
pub(super) fn spec_to_v2(metric: &Value) -> Value {
    let mut out = deep(metric, SPECS);
    for (key, _) in SPECS {
        let has = |field: &str| out.at(&format!("/{key}/target/{field}")).is_some();
        let kind = match () {
            () if has("averageUtilization") => "Utilization",
            () if has("averageValue") => "AverageValue",
            () if has("value") => "Value",
            () => continue,
        };
        out.set(&format!("/{key}/target/type"), kind);
    }
    out
}

pub(super) fn status_to_v2(metric: &Value) -> Value {
    deep(metric, STATUSES)
}

fn flat(metric: &Value, table: &[(&str, &[Field])]) -> String {
    let mut parts = vec![("type", metric["type"].to_string())];
    for (key, fields) in table {
        let Some(source) = metric.get(*key).filter(|source| source.is_object()) else { continue };
        let said = fields.iter().filter_map(|(old, new)| {
            let value = source.at(&format!("/{new}")).filter(|value| !value.is_null())?;
            let text = match *old {
                "target" => chosen(value, &["kind", "name", "apiVersion"]),
                _ => value.to_string(),
            };
            Some((*old, text))
        });
        parts.push((key, written(said)));
    }
    written(parts)
}

/// Fields of an object as JSON, in the order told.
pub(super) fn chosen(object: &Value, fields: &[&'static str]) -> String {
    written(fields.iter().filter_map(|field| Some((*field, object.get(*field)?.to_string()))))
}

/// An object whose fields are JSON already.
pub(super) fn written<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

fn deep(metric: &Value, table: &[(&str, &[Field])]) -> Value {
    let mut out = json!({"type": metric["type"]});
    for (key, fields) in table {
        let Some(source) = metric.get(*key).filter(|source| source.is_object()) else { continue };
        for (old, new) in *fields {
            if let Some(value) = source.get(*old).filter(|value| !value.is_null()) {
                out.set(&format!("/{key}/{new}"), value.clone());
            }
        }
    }
    out
}
