use std::sync::Arc;
use windlass_diagnostic::{Diagnostic, Place};

/// A text and the name people know it by.
#[derive(Debug)]
pub(crate) struct Source {
    pub path: Arc<str>,
    pub text: Arc<str>,
}

/// Bytes from the start of a text.
pub(crate) type Offset = u32;

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Arc<Self> {
        Arc::new(Self { path: path.into(), text: text.into() })
    }

    pub(crate) fn place(&self, at: Offset) -> Place {
        let before = self.text.get(..at as usize).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count();
        Place::new(Arc::clone(&self.path), count(line), count(before[line_start..].chars().count()))
    }

    pub(crate) fn error(&self, code: &'static str, at: Offset, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(code, message).at(self.place(at)))
    }

    /// A piece of the text.
    pub(crate) fn text(&self, at: Offset, end: Offset) -> &str {
        self.text.get(at as usize..end as usize).unwrap_or_default()
    }

    /// A piece of the text on one line, for messages.
    pub(crate) fn piece(&self, start: Offset, end: Offset) -> String {
        const LONGEST: usize = 60;
        let mut short: String = self.text(start, end).split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((cut, _)) = short.char_indices().nth(LONGEST) {
            short.truncate(cut);
            short.push('…');
        }
        short
    }
}
