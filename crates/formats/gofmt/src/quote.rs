use std::fmt::Write as _;

/// `%q`: in double quotes, with Go's escapes.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    self::text(&mut out, text, false);
    out
}

/// In double quotes; `ascii` escapes everything else too.
pub(crate) fn text(out: &mut String, text: &str, ascii: bool) {
    out.push('"');
    let mut written = 0;
    for (at, c) in text.char_indices() {
        if !stays(c, '"', ascii) {
            out.push_str(&text[written..at]);
            escape(out, c);
            written = at + c.len_utf8();
        }
    }
    out.push_str(&text[written..]);
    out.push('"');
}

/// A character in single quotes.
pub(crate) fn character(out: &mut String, c: char, ascii: bool) {
    out.push('\'');
    if stays(c, '\'', ascii) {
        out.push(c);
    } else {
        escape(out, c);
    }
    out.push('\'');
}

/// Whether a text can stand between backquotes: on one line, without controls.
pub(crate) fn is_raw(text: &str) -> bool {
    !text.contains(|c: char| matches!(c, '`' | '\u{feff}' | '\u{7f}') || c < ' ' && c != '\t')
}

fn stays(c: char, quote: char, ascii: bool) -> bool {
    c != quote && c != '\\' && is_printable(c) && (c.is_ascii() || !ascii)
}

fn escape(out: &mut String, c: char) {
    let short = match c {
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\u{b}' => 'v',
        '\\' | '"' | '\'' => c,
        c => {
            let code = u32::from(c);
            let _ = match code {
                0..=0x7f => write!(out, "\\x{code:02x}"),
                0x80..=0xffff => write!(out, "\\u{code:04x}"),
                _ => write!(out, "\\U{code:08x}"),
            };
            return;
        }
    };
    out.push('\\');
    out.push(short);
}

/// Letters, marks, numbers, signs, and of spaces the plain one. Rust knows the same ones; its newer Unicode has more of them.
pub(crate) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    // Behind a letter also marks that belong to one are shown as they are.
    let mut room = *b"a\0\0\0\0";
    let length = c.encode_utf8(&mut room[1..]).len();
    str::from_utf8(&room[..=length]).is_ok_and(|text| text.escape_debug().nth(2).is_none())
}
