//! What the language promises, as tables.

mod common;
mod vectors;
