//! Go's `fmt` verbs: `Sprintf` for values of the caller.
//!
//! [`sprintf`] reads a format and has each [`Argument`] written by its verb. [`integer`], [`float`] and [`text`] write the simple
//! ones; lists, maps and nothing inside of them are the caller's. What does not fit shows in the text, `%!d(string=x)`, and is
//! no error. The rules are those of Go 1.26; what it answered is in `tests/go`.

mod argument;
mod float;
mod format;
mod integer;
mod number;
mod quote;
mod rest;
mod spec;
mod text;

pub use argument::{Argument, misfit};
pub use float::{Decimal, float, shortest};
pub use format::sprintf;
pub use integer::integer;
pub use number::number;
pub use quote::quoted;
pub use spec::Spec;
pub use text::text;
