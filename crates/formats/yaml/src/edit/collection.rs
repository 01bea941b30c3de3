//! Keys and items that come and go.

use super::layout::{Form, column, end_of, is_written, item_start, own_entries};
use super::{EditError, Splice, chain, flow, value};
use crate::lexis::{after_colon, line_end, line_start, next_line, next_token};
use crate::write::Emitter;
use crate::{Node, Path, Segment, Style, Value};
use serde_json::{Value as Json, json};

/// The collection that holds the end of a path, and that end.
fn parent<'n, 'p>(root: &'n Node, path: &'p Path) -> Result<(&'n Node, Path, &'p Segment), EditError> {
    let Some((last, before)) = path.0.split_last() else { return Err(EditError::Layout { path: path.clone() }) };
    let above = Path(before.to_vec());
    let nodes = chain(root, &above)?;
    let node = nodes.last().copied().unwrap_or(root);
    match node.alias() {
        Some(alias) => Err(EditError::Shared { path: path.clone(), alias: Some(alias.to_owned()) }),
        None => Ok((node, above, last)),
    }
}

/// A key that its mapping does not have yet, at the end.
pub(super) fn add_key(
    text: &str,
    root: &Node,
    path: &Path,
    value: &Json,
    form: Form,
) -> Result<Vec<Splice>, EditError> {
    let (map, above, last) = parent(root, path)?;
    let key = match (last, &map.value) {
        (Segment::Key(key), Value::Map(_) | Value::Null) => key,
        (Segment::Index(_), Value::Seq(_)) => return Err(EditError::NotFound { path: path.clone() }),
        _ => return Err(EditError::WrongKind { path: path.clone(), found: map.describe() }),
    };
    if map.as_map().is_none_or(crate::Map::is_empty) {
        return value::replace(text, root, &above, &json!({ &**key: value }), form);
    }
    if map.style == Style::Flow {
        return Ok(append_flow(text, map, &format!("{}: {}", flow::string(key), flow::render(value))));
    }
    let column = column(text, map.span.start());
    let entry = match form {
        Form::Block => Emitter::entry(key, value, column),
        Form::Line => format!("{}: {}", flow::string(key), flow::render(value)),
    };
    Ok(vec![append_lines(text, map, 0, column, &entry)])
}

/// An item in front of the one that the path names, or at the end.
pub(super) fn insert_item(
    text: &str,
    root: &Node,
    path: &Path,
    value: &Json,
    form: Form,
) -> Result<Vec<Splice>, EditError> {
    let (list, above, last) = parent(root, path)?;
    let (Segment::Index(index), Some(items)) = (last, list.as_seq()) else {
        return Err(EditError::WrongKind { path: path.clone(), found: list.describe() });
    };
    let index = *index;
    if index > items.len() {
        return Err(EditError::NotFound { path: path.clone() });
    }
    let layout = || EditError::Layout { path: path.clone() };
    if items.is_empty() {
        return value::replace(text, root, &above, &json!([value]), form);
    }
    if list.style == Style::Flow {
        if index == items.len() {
            return Ok(append_flow(text, list, &flow::render(value)));
        }
        let at = item_start(text, list, index).ok_or_else(layout)?;
        return Ok(vec![Splice::new(at, at, format!("{}, ", flow::render(value)))]);
    }
    let start = list.span.start();
    let column = column(text, start);
    let item = match form {
        Form::Block => Emitter::item(value, column),
        Form::Line => format!("- {}", flow::render(value)),
    };
    match index.checked_sub(1).and_then(|before| items.get(before)) {
        Some(before) => {
            let dash = item_start(text, list, index - 1).ok_or_else(layout)?;
            Ok(vec![append_lines(text, before, dash, column, &item)])
        }
        None => Ok(vec![Splice::new(start, start, format!("{item}\n{}", " ".repeat(column)))]),
    }
}

/// Lines of their own behind a node, which ends at `end` or later.
fn append_lines(text: &str, node: &Node, end: usize, column: usize, lines: &str) -> Splice {
    let indent = " ".repeat(column);
    if keeps_blank_lines(node) && text[..node.span.end()].ends_with('\n') {
        return Splice::new(node.span.end(), node.span.end(), format!("{indent}{lines}\n"));
    }
    let at = line_end(text, end_of(text, node).max(end));
    Splice::new(at, at, format!("\n{indent}{lines}"))
}

/// Whether a node ends with a block scalar whose value takes the blank lines behind it.
fn keeps_blank_lines(node: &Node) -> bool {
    match &node.value {
        Value::Seq(items) => items.last().is_some_and(keeps_blank_lines),
        Value::Map(_) => own_entries(node).last().is_some_and(|entry| keeps_blank_lines(&entry.value)),
        Value::String(text) => {
            matches!(node.style, Style::Literal | Style::Folded) && (text.ends_with("\n\n") || &**text == "\n")
        }
        _ => false,
    }
}

/// An element behind the last one within `[]` or `{}`.
fn append_flow(text: &str, collection: &Node, element: &str) -> Vec<Splice> {
    let inside = &text[..collection.span.end().saturating_sub(1)];
    let at = inside.trim_end().len();
    let separator = match text[..at].chars().next_back() {
        Some('[' | '{') => "",
        Some(',') => " ",
        _ => ", ",
    };
    vec![Splice::new(at, at, format!("{separator}{element}"))]
}

/// Takes an entry or an item away. The last one leaves `{}` or `[]`.
pub(super) fn remove(text: &str, root: &Node, path: &Path) -> Result<Vec<Splice>, EditError> {
    chain(root, path)?;
    let (collection, above, last) = parent(root, path)?;
    let spans = spans(text, collection).ok_or_else(|| EditError::Layout { path: path.clone() })?;
    let at = match last {
        Segment::Index(index) => *index,
        Segment::Key(key) => {
            let wanted = collection.as_map().and_then(|map| map.entry(key)).map(|entry| entry.key.span);
            own_entries(collection).iter().position(|entry| Some(entry.key.span) == wanted).unwrap_or(usize::MAX)
        }
    };
    let Some(&(start, end)) = spans.get(at) else { return Err(EditError::NotFound { path: path.clone() }) };
    if spans.len() == 1 && collection.as_map().is_none_or(|map| map.len() == 1) {
        let empty = if collection.as_map().is_some() { json!({}) } else { json!([]) };
        return value::replace(text, root, &above, &empty, Form::Block);
    }
    if collection.style == Style::Flow {
        let (start, end) = match spans.get(at + 1) {
            Some((next, _)) => (start, *next),
            None => (at.checked_sub(1).map_or(start, |before| spans[before].1), end),
        };
        return Ok(vec![Splice::new(start, end, "")]);
    }
    let line = line_start(text, start);
    if text[line..start].trim().is_empty() {
        return Ok(vec![Splice::new(line, next_line(text, end), "")]);
    }
    // The first entry of a block that starts behind a dash: what follows moves up, unless a comment is in between.
    let rest = line_end(text, end);
    let next = next_token(text, rest);
    if text[rest..next].trim().is_empty() {
        return Ok(vec![Splice::new(start, next, "")]);
    }
    let trimmed = text[..start].trim_end_matches(' ').len();
    Ok(vec![Splice::new(trimmed, rest, "")])
}

/// From where to where each entry or item of a collection is written.
fn spans(text: &str, collection: &Node) -> Option<Vec<(usize, usize)>> {
    if let Some(items) = collection.as_seq() {
        let item = |(i, item)| {
            let start = item_start(text, collection, i)?;
            Some((start, end_of(text, item).max(start + usize::from(collection.style == Style::Block))))
        };
        return items.iter().enumerate().map(item).collect();
    }
    let entry = |entry: &crate::Entry| {
        let key_end = entry.key.span.end();
        let end = if is_written(&entry.value) { end_of(text, &entry.value) } else { key_end };
        let colon = after_colon(text, key_end).unwrap_or(key_end);
        (entry.key.span.start(), if is_written(&entry.value) { end } else { colon.max(end) })
    };
    collection.as_map().map(|_| own_entries(collection).into_iter().map(entry).collect())
}
