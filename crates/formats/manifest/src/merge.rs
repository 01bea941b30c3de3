//! Patches and merges, as the API server performs them.
//!
//! - [`merge_patch`] is JSON merge patch, [`json_patch`] is JSON patch with the API server's extensions;
//! - [`strategic`] is the strategic merge named `kubernetes` (decisions, Rendering): it honours `$patch`, `$retainKeys`,
//!   `$setElementOrder` and `$deleteFromPrimitiveList`. The merge named `kustomize` keeps other rules and lives apart;
//! - [`three_way`] brings what was applied last, what is wanted now and what is live together.
//!
//! All of them take their input by reference and give a new value, so that a failed merge leaves nothing half done.

mod difference;
mod error;
mod json_merge;
mod json_patch;
mod keyed;
mod strategic;
mod three_way;

pub use difference::difference;
pub use error::{MergeError, Problem};
pub use json_merge::merge_patch;
pub use json_patch::{JsonPatchError, MOST_OPERATIONS, json_patch};
pub use strategic::strategic;
pub use three_way::three_way;

/// Results that are nested deeper are refused. Parsers stop at 128 levels: such an object could never be read again.
const DEEPEST: usize = 100;
