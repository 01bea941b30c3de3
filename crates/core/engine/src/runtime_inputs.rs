//! Values that are asked for: when a run starts, when a step starts, when somebody approves (pipelines §2).
//!
//! [`asked`] tells what a pipeline wants to know, [`merge`] puts the answers in. A value that came from outside,
//! through a webhook for example, is written so that it can never be read as an expression (pipelines §3.3, SEED-74).

mod asked;
pub mod constraint;
mod merge;
mod sparse;
mod trigger;

pub use asked::{Asked, asked};
pub use merge::{Layer, Merged, Trust, merge};
pub use sparse::of_values;
pub use trigger::{TriggerInputs, TriggerScope, of_trigger};
