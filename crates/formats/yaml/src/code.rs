//! The codes of this crate. Each has a page in `docs/errors`.

/// Not YAML.
pub const SYNTAX: &str = "YAML0001";
/// Not UTF-8.
pub const ENCODING: &str = "YAML0002";
/// The text is too long.
pub const TOO_LARGE: &str = "YAML0003";
/// Lists and mappings nested too deep.
pub const TOO_DEEP: &str = "YAML0004";
/// Too much once aliases are replaced.
pub const EXPANDS: &str = "YAML0005";
/// A key twice in one mapping.
pub const DUPLICATE_KEY: &str = "YAML0006";
/// A key that is a list, a mapping or nothing.
pub const BAD_KEY: &str = "YAML0007";
/// An alias of nothing, or of what contains it.
pub const BAD_ALIAS: &str = "YAML0008";
/// `<<` with something other than mappings.
pub const BAD_MERGE: &str = "YAML0009";
/// A value that its tag does not allow.
pub const BAD_TAG: &str = "YAML0010";
/// No document, or several, where one is expected.
pub const ONE_DOCUMENT: &str = "YAML0011";
/// A value of another type than expected.
pub const WRONG_TYPE: &str = "YAML0020";
/// A key that must be there is not.
pub const MISSING_KEY: &str = "YAML0021";
/// A key that nobody reads.
pub const UNKNOWN_KEY: &str = "YAML0022";
/// The right type, but not a value that is allowed.
pub const BAD_VALUE: &str = "YAML0023";
/// A template placeholder was left in the text (pipelines §11.1).
pub const PLACEHOLDER: &str = "SEED-01";
/// More problems were found than are listed.
pub const LEFT_OUT: &str = "YAML0024";
