//! Texts become trees.

use super::{Data, Fields, Id, Node, Origin, Scalar, Tag, Tree};
use windlass_diagnostic::Diagnostics;
use windlass_yaml::{Node as Yaml, Options, Style, Value, parse};

/// The documents of a text; those that hold nothing are left out.
pub(crate) fn documents(file: &str, text: &str) -> Result<Vec<Tree>, Diagnostics> {
    let documents = parse(file, text, &Options::OBJECTS)?;
    Ok(documents.iter().map(|document| Tree::read(&document.root)).filter(|tree| !tree.is_null(tree.root)).collect())
}

impl Tree {
    pub(crate) fn read(yaml: &Yaml) -> Self {
        let mut tree = Self { nodes: Vec::new(), root: Id(0), shares: false };
        tree.root = tree.take(yaml);
        tree
    }

    /// Adds what a text says.
    pub(crate) fn take(&mut self, yaml: &Yaml) -> Id {
        let data = match &yaml.value {
            Value::Seq(items) => {
                let mut ids = Vec::with_capacity(items.len());
                for item in items.iter() {
                    ids.push(self.take(item));
                }
                Data::Seq(ids)
            }
            Value::Map(map) => {
                let mut fields = Fields::with_capacity(map.len());
                for (key, value) in map.iter() {
                    let id = self.take(value);
                    fields.push(key.into(), id);
                }
                Data::Map(fields)
            }
            _ => Data::Scalar(scalar(yaml)),
        };
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node { data, origin: Origin::at(Some(&yaml.place)) });
        id
    }
}

fn scalar(yaml: &Yaml) -> Scalar {
    let plain = yaml.style == Style::Plain;
    let tag = match &yaml.value {
        Value::Null => Tag::Null,
        Value::Bool(_) => Tag::Bool,
        Value::Int(_) | Value::Uint(_) => Tag::Int,
        Value::Float(_) => Tag::Float,
        Value::String(s) if yaml.tag().is_none() && plain && yaml.text() != Some(s) => Tag::Timestamp,
        _ => Tag::Str,
    };
    let text = match (&yaml.value, yaml.tag()) {
        // Base64 has been decoded.
        (Value::String(s), Some("!!binary")) => s.clone(),
        _ => yaml.text().unwrap_or_default().into(),
    };
    // An explicit tag counts more than quotes.
    let style = if tag == Tag::Str { yaml.style } else { Style::Plain };
    Scalar { text, tag, style }
}
