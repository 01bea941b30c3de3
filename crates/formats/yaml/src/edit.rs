//! Changes of a text that keep what they do not touch: comments, order, quotes, blank lines.
//!
//! A change is made in the source between two tokens, and then proved: the new text is read again, and must be the old tree
//! with exactly the wanted change. Where the layout is too strange for that, the edit is refused and the text stays as it was.

mod collection;
mod flow;
mod layout;
mod value;

use layout::Form;

use crate::{Document, Node, NumberStyle, Options, Path, Segment, Value, float, parse};
use serde_json::{Map, Value as Json};
use std::fmt;
use std::sync::Arc;
use windlass_diagnostic::Diagnostics;

/// A text and the changes that were made to it.
#[derive(Clone, Debug)]
pub struct Editor {
    file: Arc<str>,
    text: String,
    options: Options,
    documents: Vec<Document>,
}

/// Why a change was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The text has fewer documents.
    NoDocument { document: usize },
    /// The way to the place ends early.
    NotFound { path: Path },
    /// A key is wanted where there is no mapping, or an index where there is no list.
    WrongKind { path: Path, found: String },
    /// The value is written elsewhere, and other places share it.
    Shared { path: Path, alias: Option<String> },
    /// The text around the place is written in a way that an edit cannot be fitted into.
    Layout { path: Path },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDocument { document } => write!(f, "the text has no document number {document}"),
            Self::NotFound { path } => write!(f, "nothing is at {path}"),
            Self::WrongKind { path, found } => write!(f, "{path} cannot be changed within {found}"),
            Self::Shared { path, alias: Some(alias) } => {
                write!(f, "{path} is shared through the anchor &{alias}: change it where it is written")
            }
            Self::Shared { path, alias: None } => {
                write!(f, "{path} comes through `<<`: change it where it is written")
            }
            Self::Layout { path } => write!(f, "{path} cannot be changed in place: rewrite this part by hand"),
        }
    }
}

impl std::error::Error for EditError {}

impl Editor {
    /// Opens a text.
    ///
    /// # Errors
    /// When it cannot be read; see [`parse`].
    pub fn new(file: impl Into<Arc<str>>, text: impl Into<String>, options: &Options) -> Result<Self, Diagnostics> {
        let (file, text) = (file.into(), text.into());
        let documents = parse(Arc::clone(&file), &text, options)?;
        Ok(Self { file, text, options: *options, documents })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn into_text(self) -> String {
        self.text
    }

    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Gives a place in a document a value. The last step of the path may be a key that is not there yet.
    ///
    /// # Errors
    /// See [`EditError`]; the text is then as before.
    pub fn set(&mut self, document: usize, path: &Path, value: &Json) -> Result<(), EditError> {
        let root = self.root(document)?;
        let change = if root.at(path).is_some() { value::replace } else { collection::add_key };
        self.first_that_fits(document, path, value, change, put)
    }

    /// Puts an item into a list, in front of the one that is at the path, or at the end.
    ///
    /// # Errors
    /// See [`EditError`]; the text is then as before.
    pub fn insert(&mut self, document: usize, path: &Path, value: &Json) -> Result<(), EditError> {
        self.first_that_fits(document, path, value, collection::insert_item, insert)
    }

    /// Takes a key out of its mapping, or an item out of its list.
    ///
    /// # Errors
    /// See [`EditError`]; the text is then as before.
    pub fn remove(&mut self, document: usize, path: &Path) -> Result<(), EditError> {
        let splices = collection::remove(&self.text, self.root(document)?, path)?;
        self.apply(document, path, splices, |tree| remove(tree, &path.0))
    }

    /// Makes a change with the value as a block; where that does not fit, with the value in one line.
    fn first_that_fits(
        &mut self,
        document: usize,
        path: &Path,
        value: &Json,
        change: impl Fn(&str, &Node, &Path, &Json, Form) -> Result<Vec<Splice>, EditError>,
        wanted: impl Fn(&mut Json, &[Segment], &Json) -> Option<()>,
    ) -> Result<(), EditError> {
        let value = &as_read(value);
        let mut last = EditError::Layout { path: path.clone() };
        for form in [Form::Block, Form::Line] {
            let splices = change(&self.text, self.root(document)?, path, value, form)?;
            match self.apply(document, path, splices, |tree| wanted(tree, &path.0, value)) {
                Ok(()) => return Ok(()),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn root(&self, document: usize) -> Result<&Node, EditError> {
        self.documents.get(document).map(|d| &d.root).ok_or(EditError::NoDocument { document })
    }

    fn apply(
        &mut self,
        document: usize,
        path: &Path,
        splices: Vec<Splice>,
        change: impl FnOnce(&mut Json) -> Option<()>,
    ) -> Result<(), EditError> {
        let layout = || EditError::Layout { path: path.clone() };
        let mut wanted: Vec<Json> = self.documents.iter().map(json).collect();
        wanted.get_mut(document).and_then(change).ok_or_else(layout)?;
        let text = spliced(&self.text, splices).ok_or_else(layout)?;
        let documents = parse(Arc::clone(&self.file), &text, &self.options).map_err(|_| layout())?;
        if documents.iter().map(json).ne(wanted) {
            return Err(layout());
        }
        self.text = text;
        self.documents = documents;
        Ok(())
    }
}

fn json(document: &Document) -> Json {
    document.root.to_json(NumberStyle::Typed)
}

/// A value with the numbers that it has once it was written and read: those without a fraction are integers.
fn as_read(value: &Json) -> Json {
    match value {
        Json::Array(items) => items.iter().map(as_read).collect(),
        Json::Object(map) => Json::Object(map.iter().map(|(key, value)| (key.clone(), as_read(value))).collect()),
        Json::Number(n) => {
            let whole = n.as_f64().filter(|_| n.is_f64()).and_then(float::integer);
            Json::Number(whole.unwrap_or_else(|| n.clone()))
        }
        other => other.clone(),
    }
}

/// A part of the text and what takes its place.
#[derive(Debug)]
struct Splice {
    start: usize,
    end: usize,
    text: String,
}

impl Splice {
    fn new(start: usize, end: usize, text: impl Into<String>) -> Self {
        Self { start, end, text: text.into() }
    }
}

/// The text with all splices made, with its own line breaks. Nothing when they overlap.
fn spliced(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|s| s.start);
    let windows = text.contains("\r\n");
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for splice in splices {
        out.push_str(text.get(done..splice.start)?);
        out.push_str(&if windows { splice.text.replace('\n', "\r\n") } else { splice.text });
        done = splice.end.max(splice.start);
    }
    out.push_str(text.get(done..)?);
    Some(out)
}

fn put(tree: &mut Json, path: &[Segment], value: &Json) -> Option<()> {
    let Some((last, parents)) = path.split_last() else {
        *tree = value.clone();
        return Some(());
    };
    match (descend(tree, parents)?, last) {
        (Json::Object(map), Segment::Key(key)) => {
            map.insert(key.to_string(), value.clone());
        }
        (Json::Array(items), Segment::Index(index)) => *items.get_mut(*index)? = value.clone(),
        // A key below nothing makes a mapping of it.
        (nothing @ Json::Null, Segment::Key(key)) => {
            *nothing = Json::Object(Map::from_iter([(key.to_string(), value.clone())]));
        }
        _ => return None,
    }
    Some(())
}

fn insert(tree: &mut Json, path: &[Segment], value: &Json) -> Option<()> {
    let (Segment::Index(index), parents) = path.split_last()? else { return None };
    let items = descend(tree, parents)?.as_array_mut()?;
    if *index > items.len() {
        return None;
    }
    items.insert(*index, value.clone());
    Some(())
}

fn remove(tree: &mut Json, path: &[Segment]) -> Option<()> {
    let (last, parents) = path.split_last()?;
    match (descend(tree, parents)?, last) {
        (Json::Object(map), Segment::Key(key)) => map.remove(&**key).map(drop),
        (Json::Array(items), Segment::Index(index)) if *index < items.len() => {
            items.remove(*index);
            Some(())
        }
        _ => None,
    }
}

fn descend<'t>(tree: &'t mut Json, path: &[Segment]) -> Option<&'t mut Json> {
    path.iter().try_fold(tree, |tree, segment| match segment {
        Segment::Key(key) => tree.get_mut(&**key),
        Segment::Index(index) => tree.get_mut(*index),
    })
}

/// The nodes from the root to the one at `path`, all written here and not behind an alias or `<<`.
fn chain<'n>(root: &'n Node, path: &Path) -> Result<Vec<&'n Node>, EditError> {
    let mut nodes = vec![root];
    let mut node = root;
    for (depth, segment) in path.0.iter().enumerate() {
        let so_far = || Path(path.0[..=depth].to_vec());
        if let Some(alias) = node.alias() {
            return Err(EditError::Shared { path: so_far(), alias: Some(alias.to_owned()) });
        }
        let next = match (&node.value, segment) {
            (Value::Map(map), Segment::Key(key)) => match map.entry(key) {
                Some(entry) if entry.key.merged => return Err(EditError::Shared { path: so_far(), alias: None }),
                found => found.map(|entry| &entry.value),
            },
            (Value::Seq(items), Segment::Index(index)) => items.get(*index),
            _ => return Err(EditError::WrongKind { path: so_far(), found: node.describe() }),
        };
        node = next.ok_or_else(|| EditError::NotFound { path: so_far() })?;
        nodes.push(node);
    }
    Ok(nodes)
}
