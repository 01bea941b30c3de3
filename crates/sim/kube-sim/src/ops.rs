//! The operations on objects, as steps on the state.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod patch;
pub(crate) mod prepare;
pub(crate) mod read;
pub(crate) mod scale;
pub(crate) mod update;

use crate::object::time_text;
use windlass_model::Timestamp;

/// How a write is done.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    /// Who owns the fields that the write sets.
    pub manager: String,
    pub dry_run: bool,
    /// Empty for the object itself.
    pub subresource: String,
    /// The object comes from an apply: its owners are set.
    pub applied: bool,
    /// A write that found nothing and so creates: the version that it names is not looked at.
    pub creates: bool,
    /// The object comes from what is stored, so that its uid is no condition.
    pub is_patch: bool,
    pub now: Timestamp,
    /// Unknown fields in the body of a patch.
    pub validation: FieldValidation,
}

/// What happens to fields that are unknown or doubled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    #[default]
    Warn,
    Strict,
}

impl Write {
    pub(crate) fn by(manager: &str, now: Timestamp) -> Self {
        Self {
            manager: manager.to_owned(),
            dry_run: false,
            subresource: String::new(),
            applied: false,
            creates: false,
            is_patch: false,
            now,
            validation: FieldValidation::Ignore,
        }
    }

    pub(crate) fn on(mut self, subresource: &str) -> Self {
        subresource.clone_into(&mut self.subresource);
        self
    }

    pub(crate) fn time(&self) -> String {
        time_text(self.now)
    }
}
