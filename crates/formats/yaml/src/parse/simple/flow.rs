//! Flow collections in one line, of short words and quoted texts.

use super::{Line, Reader};
use crate::{Style, parse::Token};

/// How deep they may be; deeper ones are left to the parser.
const DEEPEST: usize = 8;

impl<'t> Reader<'_, 't> {
    /// Reads one, and gives back the line behind it.
    pub(super) fn flow(&mut self, line: Line<'t>, depth: usize) -> Option<Line<'t>> {
        let is_list = line.rest().starts_with('[');
        let end = if is_list { ']' } else { '}' };
        (depth < DEEPEST).then_some(())?;
        let place = self.place(line.column);
        self.tokens.push(if is_list { Token::List(place) } else { Token::Mapping(place) });
        let mut line = line.after(1);
        if !line.rest().starts_with(end) {
            loop {
                line = if is_list { self.flow_value(line, depth)? } else { self.flow_entry(line, depth)? };
                line = line.after(0);
                if line.rest().starts_with(end) {
                    break;
                }
                line.rest().starts_with(',').then_some(())?;
                line = line.after(1);
            }
        }
        self.tokens.push(Token::End);
        Some(line.at(1))
    }

    fn flow_entry(&mut self, line: Line<'t>, depth: usize) -> Option<Line<'t>> {
        let (key, style, length) = line.key()?;
        self.scalar(key, style, line.column);
        self.flow_value(line.after(length + 1), depth)
    }

    fn flow_value(&mut self, line: Line<'t>, depth: usize) -> Option<Line<'t>> {
        let rest = line.rest();
        match rest.as_bytes().first()? {
            b'[' | b'{' => self.flow(line, depth + 1),
            b'"' | b'\'' => {
                let (text, style, length) = line.quoted()?;
                self.scalar(text, style, line.column);
                Some(line.at(length))
            }
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'/' | b'.' => {
                let in_word =
                    |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b'=' | b'+' | b'%');
                let length = rest.bytes().take_while(|b| in_word(*b)).count();
                self.scalar(rest.get(..length)?, Style::Plain, line.column);
                Some(line.at(length))
            }
            _ => None,
        }
    }
}
