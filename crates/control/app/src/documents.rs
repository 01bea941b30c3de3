//! Documents of every kind: apply, get, list, delete. The author's text is what is stored.

mod apply;
mod find;
mod get;
mod govern;
mod parsed;

pub use apply::{Applied, ApplyRequest, Change, Saved};
pub use find::Lookup;
pub use get::{Found, Listed};

pub(crate) use get::key_of;
pub(crate) use govern::warnings;
pub(crate) use parsed::{Parsed, Readings};
