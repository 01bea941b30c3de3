//! The crate as its users see it.

mod builtin;
mod judge;
mod laws;
mod support;
