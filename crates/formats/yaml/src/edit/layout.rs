//! What surrounds a value in the source.

use super::{EditError, chain};
use crate::lexis::{after_colon, next_token};
use crate::write::{Context, Emitter};
use crate::{Entry, Node, Path, Segment, Style, Value};
use serde_json::Value as Json;

/// A value and the token it stands behind.
pub(super) struct Slot<'n> {
    pub(super) node: &'n Node,
    /// Behind the colon or the dash in front of the value; the start of the value at the root.
    pub(super) after: usize,
    /// Where value, tag and anchor start; `after` when nothing is written.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Within `[]` or `{}`.
    pub(super) in_flow: bool,
    /// What a block that takes its place stands in, and at which column; nothing at the root.
    pub(super) block: Option<(Context, usize)>,
}

pub(super) fn slot<'n>(text: &str, root: &'n Node, path: &Path) -> Result<Slot<'n>, EditError> {
    let nodes = chain(root, path)?;
    let layout = || EditError::Layout { path: path.clone() };
    let (Some(node), ancestors) = (nodes.last(), &nodes[..nodes.len() - 1]) else { return Err(layout()) };
    let in_flow = ancestors.iter().any(|n| n.style == Style::Flow);
    let end = end_of(text, node);
    let (Some(parent), Some(segment)) = (ancestors.last(), path.0.last()) else {
        let start = node.span.start();
        let block_scalar = matches!(node.style, Style::Literal | Style::Folded);
        if block_scalar || node.tag().is_some() || node.anchor().is_some() {
            return Err(layout());
        }
        return Ok(Slot { node, after: start, start, end, in_flow, block: None });
    };
    let (after, block) = match segment {
        Segment::Key(key) => {
            let entry = parent.as_map().and_then(|map| map.entry(key)).ok_or_else(layout)?;
            let after = after_colon(text, entry.key.span.end()).filter(|after| is_written(node) || *after >= end);
            // In `{a}` and behind `? a` a key may have no colon.
            let after = after.or_else(|| (!is_written(node)).then_some(entry.key.span.end())).ok_or_else(layout)?;
            (after, (Context::MapValue, column(text, entry.key.span.start())))
        }
        Segment::Index(index) => {
            let start = item_start(text, parent, *index).ok_or_else(layout)?;
            let dash = usize::from(parent.style == Style::Block);
            (start + dash, (Context::Item, column(text, start)))
        }
    };
    let start = if is_written(node) { next_token(text, after) } else { after };
    if node.anchor().is_some() {
        return Err(EditError::Shared { path: path.clone(), alias: node.anchor().map(Into::into) });
    }
    Ok(Slot { node, after, start, end: end.max(start), in_flow, block: Some(block) })
}

/// Whether anything stands in the source: `a:` has a value that is not written.
pub(super) fn is_written(node: &Node) -> bool {
    node.span.start != node.span.end || !matches!(node.value, Value::Null)
}

/// Where the last token of a node ends. The parser counts the blank lines behind a block scalar to it; we do not.
pub(super) fn end_of(text: &str, node: &Node) -> usize {
    text.get(..node.span.end()).map_or(0, |before| before.trim_end_matches([' ', '\t', '\r', '\n']).len())
}

/// The dash of an item of a block list; in a flow list, where its value starts.
pub(super) fn item_start(text: &str, list: &Node, index: usize) -> Option<usize> {
    let items = list.as_seq()?;
    let block = list.style == Style::Block;
    let start = match index.checked_sub(1) {
        None if block => list.span.start(),
        None => next_token(text, list.span.start() + 1),
        Some(before) => {
            let separator = next_token(text, end_of(text, items.get(before)?));
            if block { separator } else { next_token(text, separator + 1) }
        }
    };
    let expected = if block { text.get(start..)?.starts_with('-') } else { true };
    expected.then_some(start)
}

/// The entries of a mapping that are written in it.
pub(super) fn own_entries(map: &Node) -> Vec<&Entry> {
    let entries = map.as_map().into_iter().flat_map(|map| map.entries().map(|(_, entry)| entry));
    entries.filter(|entry| !entry.key.merged).collect()
}

/// How many characters stand before a byte in its line.
pub(super) fn column(text: &str, at: usize) -> usize {
    text.get(crate::lexis::line_start(text, at)..at).map_or(0, |before| before.chars().count())
}

/// How a new value is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// As the writer does.
    Block,
    /// In one line: fits where comments or odd indentation leave no room for a block.
    Line,
}

/// A value behind a colon or a dash: what goes into that line, and the lines below it.
pub(super) fn rendered(value: &Json, form: Form, context: Context, column: usize) -> (String, Option<String>) {
    if form == Form::Line {
        return (format!(" {}", super::flow::render(value)), None);
    }
    let mut emitter = Emitter::within(context, column);
    emitter.node(value, context);
    let text = emitter.into_text();
    match text.split_once('\n') {
        Some((first, rest)) => (first.to_owned(), Some(rest.trim_end_matches('\n').to_owned())),
        None => (text, None),
    }
}
