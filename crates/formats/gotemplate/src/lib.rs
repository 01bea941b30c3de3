//! Go's `text/template` with the functions that manifests use.
//!
//! [`Templates::parse`] reads files into trees that know their places; [`Templates::render`] fills one in. Values are Go's:
//! numbers of values files are floats, kinds do not mix in comparisons, maps are shared so that `set` is seen by all who hold
//! one. Steps, depth and size are limited, and no value can exhaust the stack, whatever it holds. Functions that would look
//! at the machine, the clock or at chance are refused by name (rendering §2; decisions, "Rendering").
//!
//! [`Templates::session`] renders with [`Value`]s of the caller, which have Go's types, with methods where those have any; what
//! comes from outside comes through a [`World`].
//!
//! A text of Go may be no UTF-8, as half a character that `trunc` leaves: it can be encoded and measured here, and other
//! functions see U+FFFD in it.

mod ast;
pub mod code;
mod function;
mod functions;
mod lexer;
mod limits;
mod machine;
mod parser;
mod print;
mod session;
mod source;
mod templates;
mod token;
mod value;
pub mod version;
mod world;

pub use limits::{Dialect, Limits, MissingKey, Options};
pub use session::Session;
pub use templates::{Templates, roomy};
pub use value::{
    Bytes, Element, Field, INTS, LIST, LISTS, List, MAP, Map, Methods, NO_ITEMS, NO_TEXTS, Struct, TEXT_MAP, TEXTS,
    Type, Value,
};
pub use world::{Isolated, World};
