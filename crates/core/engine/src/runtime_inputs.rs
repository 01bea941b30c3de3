//! Values that are asked for: when a run starts, when a step starts, when somebody approves (pipelines §2).
//!
//! [`asked`] tells what a pipeline wants to know, [`merge`] puts the answers in. A value that came from outside, through a
//! webhook for example, is written so that it can never be read as an expression (pipelines §3.3, SEED-74).

mod asked;
pub mod constraint;
mod merge;
mod sparse;
mod trigger;

pub use asked::{Asked, asked};
pub use merge::{Layer, Merged, Trust, merge};
pub use sparse::of_values;
pub use trigger::{TriggerInputs, TriggerScope, of_trigger};

/// The codes of what can be wrong with inputs.
pub mod code {
    /// A required input has no value.
    pub const REQUIRED: &str = "INPUT0001";
    /// A value does not satisfy its constraint or type.
    pub const CONSTRAINT: &str = "INPUT0002";
    /// A value for something that is not asked for.
    pub const UNKNOWN: &str = "INPUT0003";
    /// A runtime input is not well formed.
    pub const FORM: &str = "INPUT0004";
}
