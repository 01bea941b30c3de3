//! Options of writes and deletions, from the query and from bodies.

use super::query::Query;
use crate::error::{ApiError, Cause};
use crate::object::Object;
use crate::ops::delete::{DeleteOptions, Propagation};
use crate::ops::{FieldValidation, Write};
use crate::validate::field::Problems;
use http::{HeaderMap, header};
use serde_json::Value;
use windlass_model::Timestamp;

/// Reads how a write is to be done. `kind` names the options in errors: `CreateOptions`.
pub(crate) fn write(kind: &str, query: &Query, headers: &HeaderMap, now: Timestamp) -> Result<Write, ApiError> {
    let mut problems = Problems::default();
    let manager = query.get("fieldManager");
    if kind == "PatchOptions" {
        let force = query.find("force").is_some();
        if is_apply(headers) {
            if manager.is_empty() {
                problems.required("fieldManager", "is required for apply patch");
            }
        } else if force {
            problems.forbidden("force", "may not be specified for non-apply patch");
        }
    }
    check_manager(manager, &mut problems);
    let dry_run = check_dry_run(query, &mut problems);
    let validation = match query.get("fieldValidation") {
        "" | "Warn" => FieldValidation::Warn,
        "Strict" => FieldValidation::Strict,
        "Ignore" => FieldValidation::Ignore,
        other => {
            problems.unsupported("fieldValidation", &Value::from(other), &["", "Ignore", "Strict", "Warn"]);
            FieldValidation::Warn
        }
    };
    refuse(kind, problems)?;
    let manager = if manager.is_empty() { manager_of(headers) } else { manager.to_owned() };
    Ok(Write { dry_run, validation, ..Write::by(&manager, now) })
}

fn refuse(kind: &str, problems: Problems) -> Result<(), ApiError> {
    let causes: Vec<Cause> = problems.causes();
    if causes.is_empty() { Ok(()) } else { Err(ApiError::invalid("meta.k8s.io", kind, "", causes)) }
}

pub(crate) fn is_apply(headers: &HeaderMap) -> bool {
    super::body::media_type(headers) == "application/apply-patch+yaml"
}

fn check_manager(manager: &str, problems: &mut Problems) {
    if manager.len() > 128 {
        problems.too_long("fieldManager", 128);
    }
    if let Some((at, c)) = manager.char_indices().find(|(_, c)| c.is_control()) {
        let why = format!("invalid character U+{:04X} (at position {at})", u32::from(c));
        problems.invalid("fieldManager", &Value::from(manager), &why);
    }
}

fn check_dry_run(query: &Query, problems: &mut Problems) -> bool {
    let wished: Vec<&str> = query.all("dryRun").into_iter().filter(|v| !v.is_empty()).collect();
    if wished.iter().any(|v| *v != "All") {
        problems.unsupported("dryRun", &Value::from(wished.clone()), &["All"]);
    }
    !wished.is_empty()
}

/// Who writes, when the request does not say: the program before the `/` of its User-Agent.
fn manager_of(headers: &HeaderMap) -> String {
    let agent = headers.get(header::USER_AGENT).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let name = agent.split('/').next().unwrap_or_default();
    name.chars().filter(|c| !c.is_control()).take(128).collect()
}

/// Reads how to delete: from the body when there is one, else from the query.
pub(crate) fn delete(query: &Query, body: Option<&Value>) -> Result<DeleteOptions, ApiError> {
    let mut problems = Problems::default();
    let empty = Value::Null;
    let body = body.unwrap_or(&empty);
    let from_query = |name: &str| query.find(name).filter(|v| !v.is_empty()).map(str::to_owned);
    let propagation = body.at("/propagationPolicy").and_then(Value::as_str).map(str::to_owned);
    let propagation = propagation.or_else(|| from_query("propagationPolicy"));
    let orphan = body.at("/orphanDependents").and_then(Value::as_bool);
    let orphan = orphan.or_else(|| from_query("orphanDependents").map(|v| v == "true"));
    if orphan.is_some() && propagation.is_some() {
        let value = Value::from(propagation.clone());
        problems.invalid("propagationPolicy", &value, "orphanDependents and deletionPropagation cannot be both set");
    }
    let propagation = match propagation.as_deref() {
        None => orphan.map(|o| if o { Propagation::Orphan } else { Propagation::Background }),
        Some("Background") => Some(Propagation::Background),
        Some("Foreground") => Some(Propagation::Foreground),
        Some("Orphan") => Some(Propagation::Orphan),
        Some(other) => {
            let supported = ["Foreground", "Background", "Orphan", "nil"];
            problems.unsupported("propagationPolicy", &Value::from(other), &supported);
            None
        }
    };
    let dry_run = check_dry_run(query, &mut problems) || {
        let wished = body.list("/dryRun");
        if wished.iter().any(|v| v != "All") {
            problems.unsupported("dryRun", &Value::from(wished.to_vec()), &["All"]);
        }
        !wished.is_empty()
    };
    refuse("DeleteOptions", problems)?;
    let grace = body.int("/gracePeriodSeconds").or_else(|| from_query("gracePeriodSeconds")?.parse().ok());
    let text = |pointer: &str| body.at(pointer).and_then(Value::as_str).map(str::to_owned);
    Ok(DeleteOptions {
        grace_seconds: grace,
        propagation,
        uid: text("/preconditions/uid"),
        resource_version: text("/preconditions/resourceVersion"),
        dry_run,
        cascades: orphan == Some(false),
    })
}
