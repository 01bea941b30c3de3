//! The words of the platform: identifiers, scopes, entities, pipeline documents, tasks.
//!
//! Pure data. Nothing here reads a clock, a file or a socket, and no rule of the engine lives here. Kept small on purpose:
//! every crate above builds on it.

pub mod approval;
pub mod failure;
pub mod id;
pub mod pipeline;
pub mod runtime_input;
pub mod scope;
pub mod selector;
pub mod status;
pub mod task;
pub mod time;

pub use approval::{ApprovalAction, ApprovalActivity, ApprovalSpec, ApproverInput};
pub use failure::{Failure, FailureType};
pub use id::{Identifier, RunId, TaskId};
pub use runtime_input::{InputRule, InputSpec};
pub use scope::{Scope, ScopedRef};
pub use status::Status;
pub use time::{Millis, Timestamp};

/// A JSON value: what documents hold once their places are no longer needed. Objects are sorted by key.
pub type Json = serde_json::Value;
