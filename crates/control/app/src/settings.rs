//! Settings: one noun with a typed registry; a value of a narrower scope wins, unless a wider one keeps it to itself (decisions,
//! Settings).

mod change;
mod list;
mod registry;
mod values;

pub use list::{Origin, SettingRow};
pub use registry::{Definition, Kind, all};
pub use values::Values;
