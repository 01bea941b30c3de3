//! What the fuzz targets demand: no panic, no hang, bounded memory, and what was read can be written and read again to the same.
//!
//! A finding becomes a test of the room that it was found in, and its bytes a seed in `corpus`.

mod platform;
mod rendering;

pub use platform::{expression, link, log, rego, webhook};
pub use rendering::{chart, kustomization, template, yaml};
