//! Documents that people write, read with every problem at once.
//!
//! A text may hold several documents, wrapped (`pipeline: …`) or without root key; [`read`] finds out what each is, checks
//! it whole, and answers with the documents and all diagnostics. Nothing is changed silently: what is tolerated although the
//! vendor would refuse it, or read otherwise than the vendor would, is a diagnostic with a stable code (pipelines §11).
//! The author's text stays the truth; what is parsed here is derived from it again whenever it is needed.

mod common;
pub mod entity;
mod kind;
mod pipeline;
mod placeholder;
mod read;
mod rootless;
mod schema;
pub mod step;

pub use entity::Entity;
pub use kind::{Kind, Levels, Words};
pub use placeholder::substitute;
pub use read::{Document, Header, read, read_made};
pub use schema::schema;
