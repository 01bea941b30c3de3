//! How the reference writes a scalar.

use crate::{float, scalar::ambiguous};
use serde_json::Number;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

impl Style {
    /// What stands around the text; nothing of a block.
    pub(super) fn quote(self) -> Option<&'static str> {
        match self {
            Self::Plain => Some(""),
            Self::Single => Some("'"),
            Self::Double => Some("\""),
            Self::Literal => None,
        }
    }
}

/// How the writer puts a text that is a value.
pub fn text_style(text: &str) -> crate::Style {
    if is_plain_word(text) {
        return crate::Style::Plain;
    }
    match style(text, false) {
        Style::Plain => crate::Style::Plain,
        Style::Single => crate::Style::SingleQuoted,
        Style::Double => crate::Style::DoubleQuoted,
        Style::Literal => crate::Style::Literal,
    }
}

/// The number as the reference prints it. One without a fraction is an integer, as it was on the way through JSON.
pub(super) fn number(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(f) => float::integer(f).map_or_else(|| float::shortest(f), |integer| integer.to_string()),
        None => number.to_string(),
    }
}

/// Whether a text is plain wherever it stands, and never broken: a word of letters, digits and some signs that starts with
/// a letter and is none that YAML knows. Few texts are not, so that they are told here without a look at all the rules.
pub fn is_plain_word(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/'))
        && (bytes.len() > LONGEST_WORD || !KNOWN_WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)))
}

/// The words with a meaning, in whatever case.
const KNOWN_WORDS: [&str; 9] = ["y", "n", "on", "no", "yes", "off", "null", "true", "false"];
const LONGEST_WORD: usize = 5;

/// The number as the reference prints it when it comes from no JSON: a float stays one.
pub(super) fn own_number(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(f) => float::shortest(f),
        None => number.to_string(),
    }
}

/// The style of a text. A key in one line has no blocks.
pub(super) fn style(text: &str, simple_key: bool) -> Style {
    if is_harmless(text) {
        return if ambiguous(text) { Style::Double } else { Style::Plain };
    }
    let allowed = Allowed::for_text(text);
    if text.contains('\n') {
        return if allowed.block && !simple_key { Style::Literal } else { Style::Double };
    }
    // The reference leaves the key `<<` plain, and could not read it again.
    if ambiguous(text) || (simple_key && text == "<<") {
        return Style::Double;
    }
    match allowed {
        Allowed { plain: true, .. } => Style::Plain,
        Allowed { single: true, .. } => Style::Single,
        _ => Style::Double,
    }
}

/// Whether nothing in a text can be taken for a sign of YAML: told here without a look at all the rules.
fn is_harmless(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = bytes.first().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'_' | b'('));
    starts
        && bytes.last() != Some(&b' ')
        && bytes.iter().all(|b| (b' '..=b'~').contains(b) && !matches!(b, b':' | b'#'))
}

/// What a text may be written as without being read as another.
struct Allowed {
    plain: bool,
    single: bool,
    block: bool,
}

impl Allowed {
    fn for_text(text: &str) -> Self {
        let mut indicator = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut broken) = (false, false);
        let (mut blank_after_break, mut break_after_blank) = (false, false);
        let mut before = None;
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let blank_follows = rest.clone().next().is_none_or(|next| next == ' ' || next == '\t');
            indicator |= match (before, c) {
                (None, c) if "#,[]{}&*!|>'\"%@`".contains(c) => true,
                (None, '?' | ':' | '-') | (Some(_), ':') => blank_follows,
                (Some(before), '#') => before == ' ' || before == '\t' || before == '\0' || is_break(before),
                _ => false,
            };
            // The reference writes the two Unicode breaks as they are, and only YAML 1.1 reads them back.
            special |= !printable(c) || (is_break(c) && c != '\n');
            broken |= c == '\n';
            blank_after_break |= c == ' ' && before == Some('\n');
            break_after_blank |= c == '\n' && before == Some(' ');
            before = Some(c);
        }
        let padded = text.starts_with([' ', '\n']) || text.ends_with([' ', '\n']);
        let quotes_only = break_after_blank || special;
        Self {
            plain: !(indicator || padded || broken || quotes_only),
            single: !(blank_after_break || quotes_only),
            block: !(text.is_empty() || text.ends_with(' ') || quotes_only),
        }
    }
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

pub(super) fn has_break(text: &str) -> bool {
    text.bytes().any(|b| matches!(b, b'\r' | b'\n')) || (!text.is_ascii() && text.contains(is_break))
}

/// What stands in YAML as it is. Characters beyond the basic plane do not, by the reference.
fn printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{fffd}') && c != '\u{feff}'
}

pub(super) fn needs_escape(c: char) -> bool {
    !printable(c) || is_break(c) || c == '"' || c == '\\'
}

pub(super) fn escape(c: char) -> String {
    let short = match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(c);
            return match code {
                0..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{short}")
}
