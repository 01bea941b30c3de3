//! Collecting what is wrong, field by field.

use crate::error::{ApiError, Cause};
use crate::object::Object;
use crate::registry::Resource;
use serde_json::Value;

/// Problems in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Cause>);

impl Problems {
    fn add(&mut self, reason: &'static str, field: impl Into<String>, message: String) {
        self.0.push(Cause { reason, message, field: field.into() });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn causes(self) -> Vec<Cause> {
        self.0
    }

    /// What is wrong so far is told once more.
    pub(crate) fn double(&mut self) {
        let again = self.0.clone();
        self.0.extend(again);
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The same, told from below a field.
    pub(crate) fn within(mut self, field: &str) -> Self {
        for cause in &mut self.0 {
            cause.message = cause.message.replace(&format!(": {field}."), ": ");
        }
        self
    }

    /// A value that is not allowed.
    pub(crate) fn invalid(&mut self, field: impl Into<String>, value: &Value, why: &str) {
        self.invalid_shown(field, &show(value), why);
    }

    /// The same for a value that is shown in its own way.
    pub(crate) fn invalid_shown(&mut self, field: impl Into<String>, shown: &str, why: &str) {
        let message =
            if why.is_empty() { format!("Invalid value: {shown}") } else { format!("Invalid value: {shown}: {why}") };
        self.add("FieldValueInvalid", field, message);
    }

    /// A value that is not allowed and not shown either.
    pub(crate) fn invalid_bare(&mut self, field: impl Into<String>, why: &str) {
        self.add("FieldValueInvalid", field, format!("Invalid value: {why}"));
    }

    /// One problem for each reason.
    pub(crate) fn invalid_each(&mut self, field: &str, value: &str, reasons: Vec<String>) {
        for why in reasons {
            self.invalid(field, &Value::from(value), &why);
        }
    }

    pub(crate) fn required(&mut self, field: impl Into<String>, why: &str) {
        let message = if why.is_empty() { "Required value".to_owned() } else { format!("Required value: {why}") };
        self.add("FieldValueRequired", field, message);
    }

    pub(crate) fn forbidden(&mut self, field: impl Into<String>, why: &str) {
        self.add("FieldValueForbidden", field, format!("Forbidden: {why}"));
    }

    pub(crate) fn duplicate(&mut self, field: impl Into<String>, value: &Value) {
        self.add("FieldValueDuplicate", field, format!("Duplicate value: {}", show(value)));
    }

    pub(crate) fn not_found(&mut self, field: impl Into<String>, value: &Value) {
        self.add("FieldValueNotFound", field, format!("Not found: {}", show(value)));
    }

    pub(crate) fn too_long(&mut self, field: impl Into<String>, max: usize) {
        self.add("FieldValueTooLong", field, format!("Too long: may not be more than {max} bytes"));
    }

    pub(crate) fn too_many(&mut self, field: impl Into<String>, found: usize, max: usize) {
        self.add("FieldValueTooMany", field, format!("Too many: {found}: must have at most {max} items"));
    }

    /// A value that is not one of those that are supported; they are shown in the order given.
    pub(crate) fn unsupported(&mut self, field: impl Into<String>, value: &Value, supported: &[&str]) {
        self.unsupported_shown(field, &show(value), supported);
    }

    /// The same for a value that is shown in its own way.
    pub(crate) fn unsupported_shown(&mut self, field: impl Into<String>, shown: &str, supported: &[&str]) {
        let supported: Vec<String> = supported.iter().map(|s| format!("{s:?}")).collect();
        let message = format!("Unsupported value: {shown}: supported values: {}", supported.join(", "));
        self.add("FieldValueNotSupported", field, message);
    }

    pub(crate) fn wrong_type(&mut self, field: impl Into<String>, value: &Value, why: &str) {
        self.add("FieldValueTypeInvalid", field, format!("Invalid value: {}: {why}", show(value)));
    }

    /// 422 when anything is wrong.
    pub(crate) fn refuse(self, resource: &Resource, object: &Value) -> Result<(), ApiError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(ApiError::invalid(&resource.group, &resource.kind, object.name(), self.0))
    }
}

/// A value as messages show it: JSON with sorted keys.
fn show(value: &Value) -> String {
    crate::apply::fieldset::sorted_text(value)
}
