//! What every engine promises, on every engine.

mod support;

mod documents;
mod runs;
