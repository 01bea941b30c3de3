//! Choosing objects by labels and by fields.

mod field;
mod label;
mod label_text;

pub use field::{FieldSelector, FieldTerm};
pub use label::{LabelSelector, Requirement};
