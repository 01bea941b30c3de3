//! One line, looked at from a column on.

use crate::Style;

#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    /// In bytes, which are characters.
    pub(super) column: usize,
}

impl<'t> Line<'t> {
    pub(super) fn rest(self) -> &'t str {
        self.text.get(self.column..).unwrap_or_default()
    }

    /// The same line some characters on.
    pub(super) fn at(self, length: usize) -> Self {
        Self { column: self.column + length, ..self }
    }

    /// The same, and behind the blanks that follow.
    pub(super) fn after(self, length: usize) -> Self {
        let line = self.at(length);
        line.at(line.rest().bytes().take_while(|b| *b == b' ').count())
    }

    /// Whether nothing follows but a comment, which has a blank before it.
    pub(super) fn rest_is_blank(self) -> bool {
        let rest = self.rest();
        let content = rest.trim_start_matches(' ');
        let after_blank =
            content.len() < rest.len() || self.text.as_bytes().get(self.column.wrapping_sub(1)) == Some(&b' ');
        content.is_empty() || (content.starts_with('#') && after_blank)
    }

    pub(super) fn is_item(self) -> bool {
        matches!(self.rest().as_bytes(), [b'-'] | [b'-', b' ', ..])
    }

    /// The key that starts here, and how many characters it takes; nothing when none does.
    pub(super) fn key(self) -> Option<(&'t str, Style, usize)> {
        let rest = self.rest();
        let (key, style, length) = match rest.as_bytes().first()? {
            b'"' | b'\'' => self.quoted()?,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'/' => {
                let in_key = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/');
                let length = rest.bytes().take_while(|b| in_key(*b)).count();
                (rest.get(..length)?, Style::Plain, length)
            }
            _ => return None,
        };
        let colon = matches!(rest.as_bytes().get(length..), Some([b':'] | [b':', b' ', ..]));
        (colon && length <= super::LONGEST_KEY).then_some((key, style, length))
    }

    /// The text between quotes, without anything to be escaped, and how many characters it takes with them.
    pub(super) fn quoted(self) -> Option<(&'t str, Style, usize)> {
        let rest = self.rest();
        let quote = *rest.as_bytes().first()?;
        let length = rest.bytes().skip(1).position(|b| b == quote)?;
        let text = rest.get(1..=length)?;
        let style = if quote == b'"' { Style::DoubleQuoted } else { Style::SingleQuoted };
        let simple = if quote == b'"' { !text.contains('\\') } else { rest.as_bytes().get(length + 2) != Some(&b'\'') };
        simple.then_some((text, style, length + 2))
    }

    /// A text without quotes that ends with the line or before a comment.
    pub(super) fn plain(self) -> Option<&'t str> {
        let bytes = self.rest().as_bytes();
        let starts = match bytes {
            [b'-', b'-', next, ..] | [b'-', next, ..] if !matches!(next, b'-' | b' ') => true,
            [b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z', ..] => true,
            [b'/' | b'.' | b'_' | b'(' | b'$' | b'+' | b'~' | b'=' | b'\\' | b'^' | b';', ..] => true,
            _ => false,
        };
        let mut end = bytes.len();
        let mut before = b' ';
        for (at, b) in bytes.iter().enumerate() {
            match b {
                b':' if matches!(bytes.get(at + 1), None | Some(b' ')) => return None,
                b'#' if before == b' ' => {
                    end = at;
                    break;
                }
                _ => before = *b,
            }
        }
        let text = self.rest().get(..end)?.trim_end_matches(' ');
        starts.then_some(text)
    }
}
