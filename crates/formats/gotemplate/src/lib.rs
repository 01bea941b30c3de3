//! Go's `text/template` with the functions that manifests use.
//!
//! [`Templates::parse`] reads files into trees that know their places; [`Templates::render`] fills one in. Values are Go's:
//! numbers of values files are floats, kinds do not mix in comparisons, maps are shared so that `set` is seen by all who hold
//! one. Steps, depth and size are limited, and no value can exhaust the stack, whatever it holds. Functions that would look
//! at the machine, the clock or at chance are refused by name (rendering §2; decisions, "Rendering").
//!
//! It differs from the reference where that prints half a character: `trunc`, `substr` and `slice` cut between characters.
//! Every list is a `[]interface {}`: the reference knows lists of texts as a type of their own.

mod ast;
pub mod code;
mod function;
mod functions;
mod lexer;
mod limits;
mod machine;
mod parser;
mod print;
mod source;
mod templates;
mod token;
mod value;

pub use limits::{Limits, MissingKey, Options};
pub use templates::Templates;
