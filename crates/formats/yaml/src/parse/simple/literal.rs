//! Literal blocks whose indentation is that of their first line.

use super::{Line, Reader};
use crate::Style;
use std::sync::Arc;
use windlass_diagnostic::Place;

impl<'t> Reader<'_, 't> {
    pub(super) fn literal(&mut self, header: Line<'t>, outer: usize) -> Option<()> {
        let keeps_break = match header.rest() {
            "|" => true,
            "|-" => false,
            _ => return None,
        };
        let mut text = String::new();
        // As the parser has it, the place is that of the first character.
        let mut place = None;
        let mut indent = None;
        let mut breaks = 0;
        loop {
            let before = self.start;
            let Some(line) = self.raw_line() else { break };
            let column = line.len() - line.trim_start_matches(' ').len();
            if column == line.len() {
                // Blanks of a line that holds nothing else may be content.
                indent.filter(|indent| column <= *indent)?;
                breaks += 1;
            } else {
                let indent = *indent.get_or_insert(column);
                if column < indent || indent <= outer {
                    self.start = before;
                    break;
                }
                place.get_or_insert_with(|| Place {
                    file: Arc::clone(self.file),
                    line: self.number + 1,
                    column: indent as u32 + 1,
                });
                text.extend(std::iter::repeat_n('\n', breaks));
                text.push_str(line.get(indent..)?);
                breaks = 1;
            }
            self.number += 1;
        }
        if keeps_break {
            // The end of the text is no line break.
            (self.start <= self.text.len()).then_some(())?;
            text.push('\n');
        }
        self.tokens.push(super::Token::Scalar(text.into(), Style::Literal, place?));
        Some(())
    }
}
