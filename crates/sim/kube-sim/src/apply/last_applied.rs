//! The annotation of client-side apply, for those who move to server-side apply.

use super::compare::compare;
use super::fieldset::FieldSet;
use super::manager::Writer;
use super::typed::{check, fields};
use crate::object::Object;
use serde_json::Value;

pub(crate) const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What `kubectl apply` set last and nobody changed since. Nothing without a readable annotation.
pub(crate) fn owned_fields(live: &Value, writer: Writer<'_>) -> Option<FieldSet> {
    let last: Value = serde_json::from_str(live.annotation(ANNOTATION)?).ok()?;
    if last.api_version() != writer.api_version || check(&last, writer.ty, true).is_err() {
        return None;
    }
    let difference = compare(&last, live, writer.ty);
    let set = fields(&last, writer.ty);
    Some(set.difference(&difference.modified).difference(&difference.added).difference(&difference.removed))
}
