//! Finds where an expression ends (pipelines §3.1).

pub(crate) const OPEN: &str = "<+";

/// Looks for the `>` of a `<+`, with patience for a bounded number of texts that never close.
pub(crate) struct Scanner {
    patience: u32,
}

impl Scanner {
    pub(crate) fn new() -> Self {
        Self { patience: 50 }
    }

    /// So many `<+` were never closed that the rest of the text was not looked at.
    pub(crate) fn gave_up(&self) -> bool {
        self.patience == 0
    }

    /// The offset of the `>` that closes the `<+` at `open`, before `end`. `None`: it is literal text.
    ///
    /// First with quotes and comparisons respected, then, when that does not balance, with every `>` as a closer.
    pub(crate) fn closing(&mut self, text: &str, open: usize, end: usize) -> Option<usize> {
        if self.gave_up() {
            return None;
        }
        let bytes = &text.as_bytes()[..end];
        strict(bytes, open + OPEN.len()).or_else(|| {
            self.patience -= 1;
            lenient(bytes, open + OPEN.len())
        })
    }
}

/// The next `<+` in `start..end`.
pub(crate) fn opening(text: &str, start: usize, end: usize) -> Option<usize> {
    text.get(start..end)?.find(OPEN).map(|at| start + at)
}

pub(crate) fn strict(bytes: &[u8], start: usize) -> Option<usize> {
    const EXPRESSION: u8 = b'<';
    let mut open = vec![EXPRESSION];
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        let inside = *open.last()?;
        if byte == b'<' && bytes.get(at + 1) == Some(&b'+') {
            open.push(EXPRESSION);
            at += 1;
        } else if inside == EXPRESSION {
            match byte {
                b'"' | b'\'' | b'`' => open.push(byte),
                b'>' if !is_comparison(bytes, at) => {
                    open.pop();
                    if open.is_empty() {
                        return Some(at);
                    }
                }
                _ => {}
            }
        } else if byte == b'\\' {
            at += 1;
        } else if byte == inside {
            open.pop();
        }
        at += 1;
    }
    None
}

fn lenient(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 1usize;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'<' && bytes.get(at + 1) == Some(&b'+') {
            depth += 1;
            at += 1;
        } else if byte == b'>' {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
        at += 1;
    }
    None
}

/// A blank before, and a blank or `=` after: then `>` compares.
fn is_comparison(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    matches!(before, Some(b' ' | b'\t')) && matches!(bytes.get(at + 1), Some(b' ' | b'\t' | b'='))
}

#[cfg(test)]
mod tests {
    use super::Scanner;

    /// The expression that starts at the first `<+`, or `-` when that is literal.
    fn found(text: &str) -> &str {
        let open = text.find("<+").unwrap();
        match Scanner::new().closing(text, open, text.len()) {
            Some(close) => &text[open..=close],
            None => "-",
        }
    }

    #[test]
    fn ends_where_the_rule_says() {
        for (text, expected) in [
            ("a <+b> c", "<+b>"),
            ("<+ a > b", "<+ a >"),
            ("<+ a > b >", "<+ a > b >"),
            ("<+ a >= b >", "<+ a >= b >"),
            ("<+ a >\nb", "<+ a >"),
            ("<+a>=b", "<+a>"),
            ("<+\"x>y\">", "<+\"x>y\">"),
            ("<+a.b(\"<+c.d(\"e\")>\")>", "<+a.b(\"<+c.d(\"e\")>\")>"),
            ("<+<+a>.b>", "<+<+a>.b>"),
            ("<+it's> done", "<+it's>"),
            ("<+'it\\'s>'>", "<+'it\\'s>'>"),
            ("a <+ b", "-"),
            ("<+ <+a>", "-"),
            ("<+", "-"),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
