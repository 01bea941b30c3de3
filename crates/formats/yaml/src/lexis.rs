//! Small steps over source text, for places that the parser does not tell.

/// Where the next token starts: behind blanks, line breaks and comments.
pub(crate) fn next_token(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        let rest = text.get(at..).unwrap_or_default();
        let after_blank = at == 0 || text.as_bytes()[at - 1].is_ascii_whitespace();
        if !rest.starts_with('#') || !after_blank {
            return at;
        }
        at += rest.find('\n').unwrap_or(rest.len());
    }
}

/// Behind the colon that follows a key.
pub(crate) fn after_colon(text: &str, key_end: usize) -> Option<usize> {
    let colon = next_token(text, key_end);
    text.get(colon..)?.starts_with(':').then_some(colon + 1)
}

/// Behind tag and anchor, at the content itself.
pub(crate) fn after_properties(text: &str, from: usize) -> usize {
    let mut at = next_token(text, from);
    while text.get(at..).is_some_and(|rest| rest.starts_with(['&', '!'])) {
        let length = text[at..].find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len() - at);
        at = next_token(text, at + length);
    }
    at
}

/// The start of the line that holds a byte.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// The end of the line that holds a byte, in front of its line break.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    at + line.strip_suffix('\r').unwrap_or(line).len()
}

/// Behind the line break that ends a line, or the end of the text.
pub(crate) fn next_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| at + newline + 1)
}
