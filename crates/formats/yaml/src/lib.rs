//! YAML as a located tree.
//!
//! [`parse`] reads a text by one of three tables of scalars ([`Schema`]) into [`Node`]s that know file, line and column,
//! how they were written, and their source text. Aliases and `<<` are replaced while the tree is built, and counted before
//! they are copied. [`Reader`] turns a tree into a type while it collects every problem.

pub mod code;
mod edit;
mod float;
mod json;
mod lexis;
mod map;
mod node;
mod options;
mod parse;
mod path;
mod reader;
mod report;
mod scalar;
mod write;

pub use edit::{EditError, Editor};
pub use json::NumberStyle;
pub use map::{Entry, Key, Map};
pub use node::{Node, Span, Style, Value};
pub use options::{Limits, Options, RepeatedKeys, Schema};
pub use parse::{Document, Token, decode, parse, parse_one, placeholders, scan};
pub use path::{Path, Segment};
pub use reader::{Fields, Reader};
pub use report::Report;
pub use scalar::{ScalarKind, scalar_kind, scalar_value};
pub use write::{
    Printable, Shape, in_key_order, is_plain_word, print_documents, text_style, to_indented_yaml, to_yaml,
    to_yaml_documents, to_yaml_with_lines,
};
