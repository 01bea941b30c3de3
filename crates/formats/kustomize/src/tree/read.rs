//! Texts become trees.

use super::{Data, Fields, Id, Node, Origin, Scalar, Tag, Tree};
use std::sync::Arc;
use windlass_diagnostic::{Diagnostics, Place};
use windlass_yaml::{Node as Yaml, Options, ScalarKind, Schema, Style, Token, Value, parse, scalar_kind, scan};

/// The documents of a text; those that hold nothing are left out.
pub(crate) fn documents(file: &str, text: &str) -> Result<Vec<Tree>, Diagnostics> {
    let mut builder = Builder::default();
    if scan(&Arc::from(file), text, &Options::OBJECTS, |token| builder.take(token).is_some()) {
        return Ok(builder.documents);
    }
    // Anchors and tags, or something is wrong: the reader that knows them all.
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

/// Makes trees of tokens. Gives up with nothing.
#[derive(Default)]
struct Builder {
    documents: Vec<Tree>,
    nodes: Vec<Node>,
    open: Vec<Open>,
    root: Option<Id>,
}

enum Open {
    Seq(Vec<Id>, Place),
    Map(Fields, Option<Box<str>>, Place),
}

impl Builder {
    fn take(&mut self, token: Token<'_>) -> Option<()> {
        match token {
            Token::Scalar(text, style, place) => {
                let kind = match style {
                    Style::Plain => scalar_kind(Schema::Objects, &text),
                    _ => ScalarKind::Text,
                };
                if let Some(Open::Map(fields, key @ None, _)) = self.open.last_mut() {
                    let repeated = fields.get(&text).is_some();
                    *key = Some(text.into()).filter(|_| !repeated && kind != ScalarKind::Null);
                    return key.as_ref().map(|_| ());
                }
                let tag = match kind {
                    ScalarKind::Null => Tag::Null,
                    ScalarKind::Bool => Tag::Bool,
                    ScalarKind::Int => Tag::Int,
                    ScalarKind::Float => Tag::Float,
                    ScalarKind::Timestamp => Tag::Timestamp,
                    ScalarKind::Text => Tag::Str,
                };
                self.push(Data::Scalar(Scalar { text: text.into(), tag, style }), place)
            }
            Token::List(place) => self.enter(Open::Seq(Vec::new(), place)),
            Token::Mapping(place) => self.enter(Open::Map(Fields::new(), None, place)),
            Token::End => match self.open.pop()? {
                Open::Seq(items, place) => self.push(Data::Seq(items), place),
                Open::Map(fields, None, place) => self.push(Data::Map(fields), place),
                Open::Map(..) => None,
            },
            Token::DocumentEnd => {
                let nodes = std::mem::take(&mut self.nodes);
                if let Some(root) = self.root.take() {
                    let tree = Tree { nodes, root, shares: false };
                    if !tree.is_null(root) {
                        self.documents.push(tree);
                    }
                }
                Some(())
            }
        }
    }

    /// A list or mapping cannot be a key.
    fn enter(&mut self, open: Open) -> Option<()> {
        if matches!(self.open.last(), Some(Open::Map(_, None, _))) {
            return None;
        }
        self.open.push(open);
        Some(())
    }

    fn push(&mut self, data: Data, place: Place) -> Option<()> {
        let id = Id(u32::try_from(self.nodes.len()).ok()?);
        self.nodes.push(Node { data, origin: Origin { place: Some(place), changes: None } });
        match self.open.last_mut() {
            None => self.root = Some(id),
            Some(Open::Seq(items, _)) => items.push(id),
            Some(Open::Map(fields, key, _)) => fields.push(key.take()?, id),
        }
        Some(())
    }
}
