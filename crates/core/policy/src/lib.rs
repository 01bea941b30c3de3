//! Governance: Rego policies and the sets that enforce them (pipelines §8).
//!
//! A policy is compiled once ([`compile`]), with every problem at its place. It is evaluated as a pure function of its input,
//! the moment and a seed: the clock, chance and identifiers that Rego offers are replaced, everything that would reach outside
//! is refused by name. [`govern()`] evaluates the sets of a moment and answers with the metadata that clients know.
//!
//! What the author of a policy can waste is bounded: text, nesting, recursion, time, and the size of what builtins make. What is
//! left, large numbers made by arithmetic, is bounded by time only.

mod bounded;
mod builtins;
mod check;
mod compile;
mod deny;
mod evaluate;
mod glob;
mod govern;
pub mod input;
mod kind;
mod metadata;
mod sample;
mod select;
mod set;
mod sprintf;
mod step;
mod time;

pub use compile::{Compiled, compile};
pub use evaluate::{Circumstances, EvaluateError, Finding, Limits};
pub use govern::{ActivePolicy, ActiveSet, Question, govern};
pub use kind::{Action, PolicyType, UnknownKind};
pub use metadata::{Governance, PolicyResult, SetResult, Status};
pub use sample::{SAMPLES, Sample};
pub use select::select;
pub use set::{Policy, PolicySet, PolicyUse, Severity};
pub use step::{FoundSet, NamedSet, StepOutcome, StepRefusal, step_outcome, step_sets};
