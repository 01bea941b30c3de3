/// Bytes of a text, `start..end`, always on character boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    pub(crate) fn to(self, other: Span) -> Self {
        Self { start: self.start, end: other.end }
    }

    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A byte of a text with its line and column, counted from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    offset: usize,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Cursor {
    pub(crate) const START: Self = Self { offset: 0, line: 1, column: 1 };

    /// The place of a byte. Reads only what lies between, when that is ahead.
    pub(crate) fn to(self, text: &str, offset: usize) -> Self {
        if offset < self.offset {
            return Self::START.to(text, offset);
        }
        let between = text.get(self.offset..offset).unwrap_or_default();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let lines = count(between.bytes().filter(|b| *b == b'\n').count());
        let column = match between.rsplit_once('\n') {
            Some((_, last)) => count(last.chars().count()).saturating_add(1),
            None => self.column.saturating_add(count(between.chars().count())),
        };
        Self { offset, line: self.line.saturating_add(lines), column }
    }
}
