//! Values as YAML, byte for byte as the reference prints objects (rendering §0.3, correction d).
//!
//! It differs where the reference's output is another value to some reader, or none: the key `<<` has quotes, and the line
//! breaks that YAML 1.2 dropped (U+0085, U+2028, U+2029) are escapes. Keys whose natural order contradicts itself have a
//! fixed order here and a random one there.

mod emitter;
mod order;
mod printable;
mod scalar;

pub(crate) use emitter::{Context, Emitter};
pub use printable::{Printable, Shape};
pub use scalar::{is_plain_word, text_style};

use serde_json::Value as Json;

/// One value as a document. Ends with a line break.
pub fn to_yaml(value: &Json) -> String {
    let mut emitter = Emitter::new();
    emitter.node(value, Context::Root);
    emitter.finish()
}

/// One value as a document, with the items of lists indented below their keys, and floats as they are: `1e+06`.
pub fn to_indented_yaml<'v>(value: impl Printable<'v>) -> String {
    let mut emitter = Emitter::with_indented_lists();
    emitter.node(value, Context::Root);
    emitter.finish()
}

/// One value as a document, and the line at which each of its values starts: of mappings and lists too, each before what is
/// in it, in the order of the text. Lines count from 1.
pub fn to_yaml_with_lines<'v>(value: impl Printable<'v>) -> (String, Vec<usize>) {
    let mut emitter = Emitter::new().noting_lines();
    emitter.node(value, Context::Root);
    emitter.finish_with_lines()
}

/// Keys in the order in which the writer puts them.
pub fn in_key_order<'k>(keys: impl Iterator<Item = &'k str>) -> Vec<&'k str> {
    let mut entries: Vec<(&str, ())> = keys.map(|key| (key, ())).collect();
    order::sort(&mut entries);
    entries.into_iter().map(|(key, ())| key).collect()
}

/// Several values as documents, with `---` between them.
pub fn to_yaml_documents<'v>(values: impl IntoIterator<Item = &'v Json>) -> String {
    print_documents(values)
}

/// The same for whatever can be printed.
pub fn print_documents<'v, V: Printable<'v>>(values: impl IntoIterator<Item = V>) -> String {
    let mut emitter = Emitter::new();
    for (number, value) in values.into_iter().enumerate() {
        if number > 0 {
            emitter.separator();
        }
        emitter.node(value, Context::Root);
        emitter.end_document();
    }
    emitter.into_text()
}
