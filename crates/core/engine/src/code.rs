//! The codes of what the engine says. Each has its page among the documented errors.

/// Something in the pipeline that this version cannot run.
pub const UNSUPPORTED: &str = "START0001";
/// A runtime input that has no value when the run starts.
pub const OPEN_INPUT: &str = "START0002";
/// A request to start that does not fit the pipeline.
pub const REQUEST: &str = "START0003";
/// More than a run may hold.
pub const LIMIT: &str = "START0004";
/// A required input has no value.
pub const INPUT_REQUIRED: &str = "INPUT0001";
/// A value does not satisfy its constraint or type.
pub const INPUT_CONSTRAINT: &str = "INPUT0002";
/// A value for something that is not asked for.
pub const INPUT_UNKNOWN: &str = "INPUT0003";
/// A runtime input that is not well formed.
pub const INPUT_FORM: &str = "INPUT0004";
/// A policy warns about a step.
pub const POLICY_WARNING: &str = "STEP0001";

/// All of them, without those of the seed's quirks (`SEED-nn`) and of expressions (`EXPR…`).
pub const ALL: &[&str] = &[
    UNSUPPORTED,
    OPEN_INPUT,
    REQUEST,
    LIMIT,
    INPUT_REQUIRED,
    INPUT_CONSTRAINT,
    INPUT_UNKNOWN,
    INPUT_FORM,
    POLICY_WARNING,
];
