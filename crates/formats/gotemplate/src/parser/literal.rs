//! Texts, characters and numbers as they are written.

use super::{Failed, Parser};
use crate::ast::{Name, Term};
use crate::token::{Kind, Token};
use std::str::Chars;

impl Parser<'_> {
    pub(super) fn text(&self, word: Token<'_>) -> Result<Name, Failed> {
        let inner = word.text.get(1..word.text.len().saturating_sub(1)).unwrap_or_default();
        if word.kind == Kind::Raw {
            return Ok(inner.replace('\r', "").into());
        }
        let text =
            unquote(inner, '"').ok_or_else(|| self.failed(word.at, "this text holds a \\ that means nothing"))?;
        Ok(text.into())
    }

    pub(super) fn character(&self, word: Token<'_>) -> Result<Term, Failed> {
        let inner = word.text.get(1..word.text.len().saturating_sub(1)).unwrap_or_default();
        let text = unquote(inner, '\'').unwrap_or_default();
        let mut all = text.chars();
        match (all.next(), all.next()) {
            (Some(c), None) => Ok(Term::Int(i64::from(u32::from(c)))),
            _ => Err(self.failed(word.at, "between single quotes stands one character; a text takes double quotes")),
        }
    }

    pub(super) fn number(&self, word: Token<'_>) -> Result<Term, Failed> {
        if word.text.ends_with('i') && !word.text.contains(['x', 'X']) {
            return Err(self.failed(word.at, "imaginary numbers have no use here"));
        }
        if let Some(int) = integer(word.text) {
            return Ok(Term::Int(int));
        }
        let bad = || self.failed(word.at, format!("`{}` is no number", word.text));
        let plain = word.text.replace('_', "");
        let unsigned = plain.trim_start_matches(['+', '-']);
        // Rust also reads `inf`, `nan`; Go also reads hexadecimal fractions, and nobody writes them.
        if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            || unsigned.len() > 1 && unsigned.contains(['x', 'X'])
        {
            return Err(bad());
        }
        let float: f64 = plain.parse().map_err(|_| bad())?;
        if !float.is_finite() {
            return Err(bad());
        }
        if !plain.contains(['.', 'e', 'E']) {
            return Err(self.failed(word.at, format!("{} is too large for an integer", word.text)));
        }
        Ok(Term::Float(float))
    }
}

/// An integer as Go writes it: 12, 0x1f, 0b11, 0o17, 017, 1_000.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if let Some(rest) = lower.strip_prefix("0o") {
        (8, rest)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower.as_str())
    };
    if digits.is_empty() || digits.ends_with('_') || digits.contains("__") || digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    i64::try_from(if negative { -value } else { value }).ok()
}

/// A text without its escapes. Nothing when one of them means nothing.
fn unquote(text: &str, quote: char) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let c = rest.next()?;
        let plain = match c {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' => '\\',
            c if c == quote => c,
            'u' => code_point(&mut rest, 4)?,
            'U' => code_point(&mut rest, 8)?,
            'x' | '0'..='7' => {
                // Bytes: several in a row may be one character.
                bytes.push(if c == 'x' { byte(&mut rest, 16, "", 2)? } else { byte(&mut rest, 8, &c.to_string(), 2)? });
                while let Some(next) = next_byte(&mut rest)? {
                    bytes.push(next);
                }
                out.push_str(&String::from_utf8_lossy(&bytes));
                bytes.clear();
                continue;
            }
            _ => return None,
        };
        out.push(plain);
    }
    Some(out)
}

/// Another byte escape right behind the last one.
fn next_byte(rest: &mut Chars<'_>) -> Option<Option<u8>> {
    let text = rest.as_str();
    if let Some(hex) = text.strip_prefix("\\x") {
        *rest = hex.chars();
        return byte(rest, 16, "", 2).map(Some);
    }
    if text.starts_with('\\') && text[1..].starts_with(|c: char| c.is_digit(8)) {
        *rest = text[1..].chars();
        return byte(rest, 8, "", 3).map(Some);
    }
    Some(None)
}

fn byte(rest: &mut Chars<'_>, radix: u32, first: &str, count: usize) -> Option<u8> {
    let digits: String = first.chars().chain(rest.by_ref().take(count)).collect();
    (digits.len() == first.len() + count).then(|| u8::from_str_radix(&digits, radix).ok())?
}

fn code_point(rest: &mut Chars<'_>, count: usize) -> Option<char> {
    let digits: String = rest.by_ref().take(count).collect();
    (digits.len() == count).then(|| char::from_u32(u32::from_str_radix(&digits, 16).ok()?))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_every_base() {
        for (text, wanted) in [
            ("12", Some(12)),
            ("-0x1F", Some(-31)),
            ("0b11", Some(3)),
            ("0o17", Some(15)),
            ("017", Some(15)),
            ("1_000", Some(1000)),
            ("0", Some(0)),
            ("08", None),
            ("1.0", None),
            ("9223372036854775808", None),
        ] {
            assert_eq!(integer(text), wanted, "{text}");
        }
    }

    #[test]
    fn escapes() {
        for (text, wanted) in [
            (r"a\n\t\\", Some("a\n\t\\")),
            (r"\u00e9\U0001F600", Some("é😀")),
            (r"\xc3\xa9", Some("é")),
            (r"\303\251", Some("é")),
            (r"\q", None),
            (r"\u12", None),
        ] {
            assert_eq!(unquote(text, '"').as_deref(), wanted, "{text}");
        }
    }
}
