//! One value in place of another.

use super::layout::{Form, Slot, rendered, slot};
use super::{EditError, Splice, flow};
use crate::lexis::{after_properties, line_end, line_start, next_line};
use crate::{Node, Path, Style};
use serde_json::Value as Json;

pub(super) fn replace(
    text: &str,
    root: &Node,
    path: &Path,
    value: &Json,
    form: Form,
) -> Result<Vec<Splice>, EditError> {
    let slot = slot(text, root, path)?;
    if let Some(quoted) = in_its_quotes(&slot, value) {
        return Ok(vec![Splice::new(slot.start, slot.end, quoted)]);
    }
    let (context, column) = match slot.block {
        Some(block) if !slot.in_flow => block,
        Some(_) => {
            let blank =
                if slot.start == slot.after && !text[..slot.start].ends_with(['[', ',', ' ']) { " " } else { "" };
            return Ok(vec![Splice::new(slot.start, slot.end, format!("{blank}{}", flow::render(value)))]);
        }
        None => {
            let whole = if form == Form::Block { crate::to_yaml(value) } else { flow::render(value) };
            return Ok(vec![Splice::new(slot.start, slot.end, whole.trim_end())]);
        }
    };
    let (first, rest) = rendered(value, form, context, column);
    Ok(behind(text, &slot, &first, rest))
}

/// A text in the quotes that the old text had, where it needs no escapes.
fn in_its_quotes(slot: &Slot, value: &Json) -> Option<String> {
    let text = value.as_str().filter(|_| slot.node.alias().is_none() && slot.node.tag().is_none())?;
    if text.contains(|c: char| c.is_control() || matches!(c, '\\' | '"' | '\u{85}'..='\u{a0}' | '\u{2028}'..)) {
        return None;
    }
    match slot.node.style {
        Style::SingleQuoted => Some(format!("'{}'", text.replace('\'', "''"))),
        Style::DoubleQuoted => Some(format!("\"{text}\"")),
        _ => None,
    }
}

/// Puts a value behind its colon or dash, and its further lines below that line; comments in that line stay.
fn behind(text: &str, slot: &Slot, first: &str, rest: Option<String>) -> Vec<Splice> {
    let head = line_end(text, slot.after);
    let below = |at: usize| rest.as_ref().map(|rest| Splice::new(at, at, format!("\n{rest}")));
    if slot.start > head {
        // The old value has lines of its own: they go, with one line break.
        let (mut from, to) = (line_start(text, slot.start), next_line(text, slot.end));
        if !text[..to].ends_with('\n') {
            from = line_end(text, line_start(text, from - 1));
        }
        let mut splices = vec![Splice::new(slot.after, slot.after, first), Splice::new(from, to, "")];
        splices.extend(below(head));
        return splices;
    }
    let block_scalar = matches!(slot.node.style, Style::Literal | Style::Folded) && slot.node.alias().is_none();
    if block_scalar {
        // Its header stays in this line, its text in the lines below.
        let indicator = after_properties(text, slot.start);
        let header = text[indicator..].find([' ', '\t', '\r', '\n']).map_or(text.len(), |length| indicator + length);
        let text_lines =
            Splice::new(head, slot.end.max(head), rest.map(|rest| format!("\n{rest}")).unwrap_or_default());
        return vec![Splice::new(slot.after, header, first), text_lines];
    }
    let gap = &text[slot.after..slot.start];
    let first = match first.strip_prefix(' ') {
        Some(value) if !gap.is_empty() => format!("{gap}{value}"),
        _ => first.to_owned(),
    };
    let mut splices = vec![Splice::new(slot.after, slot.end, first)];
    splices.extend(below(line_end(text, slot.end)));
    splices
}
