//! Kubernetes objects as values: identity, schema facts, merges, order, versions, health and diff.
//!
//! Everything here is a function from values to values. It never asks a cluster, a file or a clock: what it needs to know
//! about live objects and about the time is an argument. Objects are [`serde_json::Value`]s; nothing relies on the order
//! of their keys.

pub mod bluegreen;
pub mod canary;
pub mod code;
pub mod diff;
mod field;
pub mod health;
pub mod identity;
pub mod image;
pub mod merge;
pub mod names;
pub mod object;
pub mod order;
pub mod parse;
pub mod references;
pub mod scaler;
pub mod schema;
pub mod set;
pub mod stamp;
pub mod version;
pub mod well_known;
pub mod workload;

pub use identity::{Gvk, ObjectKey, ObjectRef};
pub use object::Object;

/// A Kubernetes object, or a part of one.
pub type Json = serde_json::Value;

/// A JSON object.
pub type JsonMap = serde_json::Map<String, Json>;
