use crate::Map;
use std::sync::Arc;
use windlass_diagnostic::Place;

/// A scalar, a list or a mapping, with the place where a person wrote it.
///
/// What stands behind an alias is a copy: the copy itself is placed at the alias, its children where they were written.
/// Copies share their children, so that cloning is cheap.
#[derive(Clone, Debug)]
pub struct Node {
    pub value: Value,
    pub place: Place,
    /// The bytes of the source that hold the content, without tag and anchor. For an alias, the alias.
    pub span: Span,
    pub style: Style,
    pub(crate) raw: Option<Box<str>>,
    pub(crate) properties: Option<Box<Properties>>,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer above `i64::MAX`.
    Uint(u64),
    Float(f64),
    String(Box<str>),
    Seq(Arc<[Node]>),
    Map(Map),
}

/// How a node was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
    /// A list or mapping by indentation.
    Block,
    /// A list in `[]`, a mapping in `{}`.
    Flow,
}

/// A range of bytes in the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// What few nodes have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Properties {
    pub(crate) tag: Option<Box<str>>,
    pub(crate) anchor: Option<Box<str>>,
    pub(crate) alias: Option<Box<str>>,
}

impl Node {
    /// The value below `key`, when this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.get(key)
    }

    /// The item at `index`, when this is a list that long.
    pub fn item(&self, index: usize) -> Option<&Node> {
        self.as_seq()?.get(index)
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(b) => Some(b),
            _ => None,
        }
    }

    pub fn as_i64(&self) -> Option<i64> {
        match self.value {
            Value::Int(i) => Some(i),
            _ => None,
        }
    }

    /// The text of a string; nothing for a number, even though it was written as text too.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    pub fn as_seq(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Seq(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The text of a scalar as its author wrote it, without quotes: `1.10`, `yes`, `~`. Nothing for lists and mappings.
    pub fn text(&self) -> Option<&str> {
        match (&self.raw, &self.value) {
            (Some(raw), _) => Some(raw),
            (None, Value::String(s)) => Some(s),
            _ => None,
        }
    }

    /// The explicit tag, as `!!str`, `!local` or in full.
    pub fn tag(&self) -> Option<&str> {
        self.properties.as_ref()?.tag.as_deref()
    }

    /// The name by which aliases refer to this node.
    pub fn anchor(&self) -> Option<&str> {
        self.properties.as_ref()?.anchor.as_deref()
    }

    /// The name of the alias that this node stands for.
    pub fn alias(&self) -> Option<&str> {
        self.properties.as_ref()?.alias.as_deref()
    }

    /// What it is, for messages: `a list`, `the number 5`.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "nothing".into(),
            Value::Bool(b) => format!("the boolean {b}"),
            Value::Int(_) | Value::Uint(_) | Value::Float(_) => {
                format!("the number {}", shortened(self.text().unwrap_or_default()))
            }
            Value::String(s) => format!("the text {:?}", shortened(s)),
            Value::Seq(_) => "a list".into(),
            Value::Map(_) => "a mapping".into(),
        }
    }
}

/// At most forty characters of a text that somebody else wrote.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        let cut = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Self { start: cut(start), end: cut(end) }
    }

    pub fn start(self) -> usize {
        self.start as usize
    }

    pub fn end(self) -> usize {
        self.end as usize
    }

    /// The part of `text` that it covers; empty when `text` is not the source.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start()..self.end()).unwrap_or_default()
    }
}
