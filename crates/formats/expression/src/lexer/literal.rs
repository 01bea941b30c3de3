//! Numbers, strings, template literals, regex literals (pipelines §3.4).

use super::{Lexer, Token, is_name_char};
use crate::ast::TextPart;
use crate::error::{ErrorKind, Fault, Outcome};
use crate::parser;
use crate::span::Span;

impl Lexer<'_, '_> {
    /// `'text'` or `"text"` with escapes; expressions in it are spliced (pipelines §3.3).
    pub(super) fn quoted(&mut self, quote: char) -> Outcome<Vec<TextPart>> {
        self.delimited(quote, false)
    }

    /// `` `text ${expression}` ``
    pub(super) fn template(&mut self) -> Outcome<Vec<TextPart>> {
        self.delimited('`', true)
    }

    fn delimited(&mut self, quote: char, braces: bool) -> Outcome<Vec<TextPart>> {
        let start = self.at;
        self.bump();
        let mut parts = Vec::new();
        let mut literal = String::new();
        loop {
            if let Some(close) = self.nested_end() {
                flush(&mut literal, &mut parts);
                parts.push(TextPart::Expression(self.nested(close)?));
                continue;
            }
            if braces && self.rest().starts_with("${") {
                flush(&mut literal, &mut parts);
                parts.push(TextPart::Expression(self.braced()?));
                continue;
            }
            match self.bump() {
                None => return Err(Fault::syntax(Span::new(start, start + 1), format!("the {quote} is never closed"))),
                Some(c) if c == quote => break,
                Some('\\') => self.escape(quote, &mut literal)?,
                Some(c) => literal.push(c),
            }
        }
        if !literal.is_empty() || parts.is_empty() {
            parts.push(TextPart::Literal(literal));
        }
        Ok(parts)
    }

    /// After a backslash. What is no escape keeps its backslash, so that `'\d'` is a regular expression.
    fn escape(&mut self, quote: char, out: &mut String) -> Outcome<()> {
        let start = self.at - 1;
        match self.bump() {
            Some('\\') => out.push('\\'),
            Some(c) if c == quote => out.push(c),
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let digits = self.rest().get(..4).unwrap_or_default();
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                let Some(c) = code.filter(|_| digits.bytes().all(|b| b.is_ascii_hexdigit())) else {
                    return Err(Fault::syntax(Span::new(start, self.at), "expected four hexadecimal digits after \\u"));
                };
                self.at += 4;
                out.push(c);
            }
            Some(c) => out.extend(['\\', c]),
            None => {}
        }
        Ok(())
    }

    /// `${…}` of a template literal.
    fn braced(&mut self) -> Outcome<crate::ast::Node> {
        let start = self.at;
        let mut depth = 0usize;
        let mut quote = None;
        let mut skip = false;
        for (at, c) in self.rest().char_indices() {
            match (c, quote) {
                _ if skip => skip = false,
                ('\\', Some(_)) => skip = true,
                (c, Some(open)) if c == open => quote = None,
                (_, Some(_)) => {}
                ('"' | '\'', None) => quote = Some(c),
                ('{', None) => depth += 1,
                ('}', None) if depth == 1 => {
                    let node = parser::program(self.source, start + 2, start + at)?;
                    self.at = start + at + 1;
                    return Ok(node);
                }
                ('}', None) => depth -= 1,
                _ => {}
            }
        }
        Err(Fault::syntax(Span::new(start, start + 2), "the ${ is never closed"))
    }

    /// `~/pattern/`: a text without escapes, except `\/`.
    pub(super) fn regex(&mut self) -> Outcome<Vec<TextPart>> {
        let start = self.at;
        self.at += 2;
        let mut pattern = String::new();
        loop {
            match self.bump() {
                None => return Err(Fault::syntax(Span::new(start, start + 2), "the ~/ is never closed")),
                Some('/') => return Ok(vec![TextPart::Literal(pattern)]),
                Some('\\') => match self.bump() {
                    Some('/') => pattern.push('/'),
                    Some(c) => pattern.extend(['\\', c]),
                    None => {}
                },
                Some(c) => pattern.push(c),
            }
        }
    }

    /// `42`, `42L`, `0x2a`, `052`, `0b101010`, `4.2`, `42e-1`, `4.2f`.
    pub(super) fn number(&mut self) -> Outcome<Token> {
        let start = self.at;
        let text = self.rest();
        let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
        for (prefix, radix) in [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2)] {
            if text.starts_with(prefix) {
                let length = text[2..].bytes().take_while(u8::is_ascii_alphanumeric).count();
                return self.integer(start, 2 + length, &text[2..2 + length], radix);
            }
        }
        let whole = digits(0);
        let mut length = whole;
        if text[length..].starts_with('.') && digits(length + 1) > 0 {
            length += 1 + digits(length + 1);
        }
        if text[length..].starts_with(['e', 'E']) {
            let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
            let exponent = digits(length + 1 + sign);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        let float_suffix = text[length..].starts_with(['f', 'F', 'd', 'D']);
        if length == whole && !float_suffix {
            let octal = whole > 1 && text.starts_with('0') && text[..whole].bytes().all(|b| b < b'8');
            return self.integer(start, whole, &text[..whole], if octal { 8 } else { 10 });
        }
        self.at += length + usize::from(float_suffix);
        self.refuse_letters(start)?;
        match text[..length].parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Float(number)),
            _ => Err(Fault::syntax(Span::new(start, self.at), "the number is too large")),
        }
    }

    fn integer(&mut self, start: usize, length: usize, digits: &str, radix: u32) -> Outcome<Token> {
        let digits = digits.strip_suffix(['L', 'l']).unwrap_or(digits);
        self.at += length;
        if self.rest().starts_with(['L', 'l']) {
            self.at += 1;
        }
        self.refuse_letters(start)?;
        i64::from_str_radix(digits, radix).map(Token::Int).map_err(|_| {
            let fault = Fault::from(ErrorKind::Syntax("not a whole number of 64 bits".into()));
            fault.at(Span::new(start, self.at))
        })
    }

    fn refuse_letters(&mut self, start: usize) -> Outcome<()> {
        if !self.rest().starts_with(is_name_char) {
            return Ok(());
        }
        let fault = Fault::syntax(Span::new(start, self.at), "a name cannot start with a digit");
        Err(fault.remedy("put it between quotes, or reach it with get(\"…\")"))
    }
}

fn flush(literal: &mut String, parts: &mut Vec<TextPart>) {
    if !literal.is_empty() {
        parts.push(TextPart::Literal(std::mem::take(literal)));
    }
}
