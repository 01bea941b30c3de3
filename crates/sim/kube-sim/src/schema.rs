//! What a kind's JSON may look like: fields, list types and keys, and Go's rules about what is left out.

pub(crate) mod builtin;
pub(crate) mod decode;
pub(crate) mod encode;
mod moment;
pub(crate) mod protobuf;
pub(crate) mod quantity;
pub(crate) mod structural;
pub(crate) mod types;

pub(crate) use types::{List, ListKind, Scalar, Struct, Type};
