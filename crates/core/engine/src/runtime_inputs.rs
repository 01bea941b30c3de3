//! Values that are asked for: when a run starts, when a step starts, when somebody approves (pipelines §2).

pub mod constraint;
