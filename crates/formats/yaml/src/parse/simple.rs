//! Texts as people and generators mostly write them, read line by line: block mappings and lists, scalars and flow collections in
//! one line, literal blocks, comments, several documents. Everything else is left to the parser that knows all of YAML.
//!
//! What is read here gives the same tokens there: a law of `simple/laws.rs`.

mod flow;
#[cfg(test)]
mod laws;
mod line;
mod literal;

use super::Token;
use crate::Style;
use line::Line;
use std::borrow::Cow;
use std::sync::Arc;
use windlass_diagnostic::Place;

/// Keys up to this length; the parser looks a limited way ahead for the colon.
const LONGEST_KEY: usize = 256;

/// The tokens of a text; nothing when it holds anything that is not simple, or is wrong.
pub(super) fn tokens<'t>(file: &Arc<str>, text: &'t str) -> Option<Vec<Token<'t>>> {
    let plain = |b: &u8| *b == b'\n' || (b' '..=b'~').contains(b);
    if !text.as_bytes().iter().all(plain) || text.len() > u32::MAX as usize {
        return None;
    }
    // A token takes about a dozen characters.
    let tokens = Vec::with_capacity(text.len() / 12);
    let mut reader = Reader { file, text, start: 0, number: 0, tokens, open: Vec::new(), wants: Wants::Document };
    while let Some(line) = reader.next_line() {
        reader.take(line)?;
    }
    reader.end_document()?;
    Some(reader.tokens)
}

struct Reader<'a, 't> {
    file: &'a Arc<str>,
    text: &'t str,
    /// Where the next line starts.
    start: usize,
    /// Of the present line, from 1.
    number: u32,
    tokens: Vec<Token<'t>>,
    open: Vec<Open>,
    wants: Wants,
}

/// A block mapping or list that is not yet closed, and its column.
#[derive(Clone, Copy, PartialEq)]
struct Open {
    column: usize,
    is_list: bool,
}

/// What the text before asks for.
#[derive(Clone, Copy, PartialEq)]
enum Wants {
    /// Anything, even nothing.
    Document,
    /// The content of a document that was announced.
    Content,
    /// The value of a key, on a line of its own, or null in the place of the colon.
    Value {
        line: u32,
        column: u32,
    },
    /// What stands behind a dash.
    Item,
    Nothing,
}

impl<'t> Reader<'_, 't> {
    fn place(&self, column: usize) -> Place {
        Place { file: Arc::clone(self.file), line: self.number, column: column as u32 + 1 }
    }

    fn scalar(&mut self, text: impl Into<Cow<'t, str>>, style: Style, column: usize) {
        let place = self.place(column);
        self.tokens.push(Token::Scalar(text.into(), style, place));
    }

    /// The next line that holds something.
    fn next_line(&mut self) -> Option<Line<'t>> {
        loop {
            let line = self.raw_line()?;
            self.number += 1;
            let content = line.trim_start_matches(' ');
            if !content.is_empty() && !content.starts_with('#') {
                return Some(Line { text: line, column: line.len() - content.len() });
            }
        }
    }

    fn raw_line(&mut self) -> Option<&'t str> {
        let rest = self.text.get(self.start..).filter(|rest| !rest.is_empty())?;
        let length = rest.bytes().position(|b| b == b'\n').unwrap_or(rest.len());
        self.start += length + 1;
        rest.get(..length)
    }

    fn take(&mut self, line: Line<'t>) -> Option<()> {
        if line.column == 0 && (line.text.starts_with("---") || line.text.starts_with("...")) {
            // `--- value` and the end mark are seldom written.
            line.text.starts_with("---").then_some(())?;
            Line { column: 3, ..line }.rest_is_blank().then_some(())?;
            self.end_document()?;
            self.wants = Wants::Content;
            return Some(());
        }
        self.close_to(&line)?;
        self.entry(line)
    }

    fn end_document(&mut self) -> Option<()> {
        match self.wants {
            Wants::Document => return Some(()),
            // An announced document without content.
            Wants::Content => return None,
            Wants::Value { .. } | Wants::Item | Wants::Nothing => {}
        }
        self.null()?;
        for _ in self.open.drain(..) {
            self.tokens.push(Token::End);
        }
        self.tokens.push(Token::DocumentEnd);
        Some(())
    }

    /// What was asked for and did not come. Items that are null are seldom written.
    fn null(&mut self) -> Option<()> {
        match self.wants {
            Wants::Value { line, column } => {
                let place = Place { file: Arc::clone(self.file), line, column };
                self.tokens.push(Token::Scalar(Cow::Borrowed(""), Style::Plain, place));
                self.wants = Wants::Nothing;
                Some(())
            }
            Wants::Item => None,
            _ => Some(()),
        }
    }

    /// Closes what the column of a line closes.
    fn close_to(&mut self, line: &Line<'t>) -> Option<()> {
        let is_item = line.is_item();
        while let Some(last) = self.open.last().copied() {
            let ends = last.column > line.column || (last.column == line.column && last.is_list && !is_item);
            if !ends {
                // A list may stand at the column of its key.
                let goes_on = last.column == line.column && !(is_item && !last.is_list && self.wants_value());
                if goes_on {
                    self.null()?;
                }
                // Otherwise it is deeper, and must be wanted.
                return (goes_on || self.wants_value()).then_some(());
            }
            self.null()?;
            self.tokens.push(Token::End);
            self.open.pop();
        }
        // The first line of a document; below one that has ended there is nothing.
        matches!(self.wants, Wants::Document | Wants::Content).then_some(())
    }

    fn wants_value(&self) -> bool {
        matches!(self.wants, Wants::Value { .. } | Wants::Item)
    }

    /// An item or an entry of a mapping, and what stands behind it in the same line.
    fn entry(&mut self, mut line: Line<'t>) -> Option<()> {
        while line.is_item() {
            self.enter(Open { column: line.column, is_list: true })?;
            let dash = line.column;
            line = line.after(1);
            self.wants = Wants::Item;
            if line.rest_is_blank() {
                return Some(());
            }
            if !line.is_item() && line.key().is_none() {
                return self.value(line, dash);
            }
        }
        let (key, style, length) = line.key()?;
        self.enter(Open { column: line.column, is_list: false })?;
        self.scalar(key, style, line.column);
        let (column, value) = (line.column, line.after(length + 1));
        if value.rest_is_blank() {
            self.wants = Wants::Value { line: self.number, column: (column + length) as u32 + 1 };
            return Some(());
        }
        self.value(value, column)
    }

    /// Opens a collection unless it is open.
    fn enter(&mut self, wanted: Open) -> Option<()> {
        if self.wants == Wants::Nothing {
            return (self.open.last() == Some(&wanted)).then_some(());
        }
        let place = self.place(wanted.column);
        self.tokens.push(if wanted.is_list { Token::List(place) } else { Token::Mapping(place) });
        self.open.push(wanted);
        self.wants = Wants::Nothing;
        Some(())
    }

    /// A value behind a key or dash of a collection at a column.
    fn value(&mut self, line: Line<'t>, outer: usize) -> Option<()> {
        self.wants = Wants::Nothing;
        let rest = line.rest();
        match rest.as_bytes().first()? {
            b'|' => self.literal(line, outer),
            b'[' | b'{' => {
                let end = self.flow(line, 0)?;
                end.rest_is_blank().then_some(())
            }
            b'"' | b'\'' => {
                let (text, style, length) = line.quoted()?;
                line.at(length).rest_is_blank().then_some(())?;
                self.scalar(text, style, line.column);
                Some(())
            }
            _ => {
                let text = line.plain()?;
                self.scalar(text, Style::Plain, line.column);
                Some(())
            }
        }
    }
}
