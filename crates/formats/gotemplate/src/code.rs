//! Codes of the diagnostics of this crate.

/// A text that is no template.
pub const SYNTAX: &str = "TPL0001";
/// A function that does not exist.
pub const UNKNOWN_FUNCTION: &str = "TPL0002";
/// A function that exists elsewhere and is not run here.
pub const REFUSED_FUNCTION: &str = "TPL0003";
/// A template that cannot be carried out with these values.
pub const EXECUTION: &str = "TPL0004";
/// The template itself says that something is wrong: `fail`, `required`.
pub const FAILED: &str = "TPL0005";
/// A limit was reached.
pub const LIMIT: &str = "TPL0006";
