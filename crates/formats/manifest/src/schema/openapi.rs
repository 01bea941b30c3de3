//! OpenAPI v3 schemas ↔ nodes.

mod read;
mod write;

pub(super) use read::{Reader, read};
pub(super) use write::write;

const REFERENCE: &str = "#/components/schemas/";
