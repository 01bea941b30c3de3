//! Pieces of texts. The reference counts bytes, and so may cut a character in two.

use crate::function::Arguments;
use crate::value::Value;

pub(super) fn trunc(arguments: &Arguments) -> Result<Value, String> {
    let (count, text) = (arguments.int(0), arguments.bytes(1));
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let piece = if count < 0 && length + count > 0 {
        &text[at(length + count)..]
    } else if count >= 0 && length > count {
        &text[..at(count)]
    } else {
        text
    };
    Ok(Value::text_of(piece))
}

/// From start to end; a negative start is 0, a negative end the end of the text.
pub(super) fn substr(arguments: &Arguments) -> Result<Value, String> {
    let (start, end, text) = (arguments.int(0), arguments.int(1), arguments.bytes(2));
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let range = if start < 0 {
        (0, end)
    } else if end < 0 || end > length {
        (start, length)
    } else {
        (start, end)
    };
    let outside = || format!("slice bounds out of range [{}:{}] with length {length}", range.0, range.1);
    if range.0 > range.1 || range.1 > length || range.1 < 0 {
        return Err(outside());
    }
    text.get(at(range.0)..at(range.1)).map(Value::text_of).ok_or_else(outside)
}

fn at(position: i64) -> usize {
    usize::try_from(position).unwrap_or(0)
}

/// The start of a text and `...`, `width` bytes in all.
pub(super) fn abbrev(text: &[u8], width: usize) -> Vec<u8> {
    if width < 4 || text.len() <= width {
        return text.to_vec();
    }
    [&text[..width - 3], b"..."].concat()
}

/// A piece from the middle, with `...` on both sides.
pub(super) fn abbrev_both(text: &[u8], left: i64, right: i64) -> Vec<u8> {
    let Ok(width) = usize::try_from(right) else { return text.to_vec() };
    if width < 4 || left > 0 && width < 7 || text.len() <= width {
        return text.to_vec();
    }
    let mut offset = usize::try_from(left).unwrap_or(0).min(text.len());
    if text.len() - offset < width - 3 {
        offset = text.len() - (width - 3);
    }
    if offset <= 4 {
        return [&text[..width - 3], b"..."].concat();
    }
    if width < 7 {
        return Vec::new();
    }
    if offset + width - 3 < text.len() {
        let inner = &text[offset..];
        // The inner piece is too narrow for dots of its own when fewer than four bytes are left for it.
        let piece = if width - 3 < 4 { Vec::new() } else { abbrev(inner, width - 3) };
        return [b"...".as_slice(), &piece].concat();
    }
    [b"...".as_slice(), &text[text.len() - (width - 3)..]].concat()
}

/// Lines of at most `width` bytes, broken at blanks; a longer word is broken only when `long` says so.
pub(super) fn wrapped(text: &str, width: i64, line_break: &str, long: bool) -> Vec<u8> {
    let width = usize::try_from(width).unwrap_or(1).max(1);
    let line_break = if line_break.is_empty() { "\n" } else { line_break };
    let (text, mut offset, mut out) = (text.as_bytes(), 0, Vec::new());
    let mut line = |piece: &[u8]| {
        out.extend_from_slice(piece);
        out.extend_from_slice(line_break.as_bytes());
    };
    let mut end = text.len();
    while text.len() - offset > width {
        if text[offset] == b' ' {
            offset += 1;
            continue;
        }
        let window = &text[offset..offset + width + 1];
        if let Some(space) = window.iter().rposition(|byte| *byte == b' ') {
            line(&text[offset..offset + space]);
            offset += space + 1;
        } else if long {
            line(&text[offset..offset + width]);
            offset += width;
        } else if let Some(space) = text[offset + width..].iter().position(|byte| *byte == b' ') {
            line(&text[offset..offset + width + space]);
            offset += width + space + 1;
        } else {
            end = text.len();
            break;
        }
    }
    out.extend_from_slice(&text[offset..end]);
    out
}
