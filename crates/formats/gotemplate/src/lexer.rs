//! From text to words (rendering §2.1).

use crate::code;
use crate::source::{Offset, Source};
use crate::token::{Keyword, Kind, Word};
use windlass_diagnostic::Diagnostic;

type Failed = Box<Diagnostic>;

/// All words of a template; the last one is [`Kind::End`].
pub(crate) fn words(source: &Source, words: &mut Vec<Word>) -> Result<(), Failed> {
    words.clear();
    let mut lexer = Lexer { source, text: &source.text, at: 0, parens: 0, words };
    while lexer.outside()? {
        lexer.action()?;
    }
    Ok(())
}

struct Lexer<'s> {
    source: &'s Source,
    text: &'s str,
    at: usize,
    parens: usize,
    words: &'s mut Vec<Word>,
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

fn is_space(c: char) -> bool {
    SPACE.contains(&c)
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Where `{{` stands first. Faster than a search that gets ready for any text.
fn opening(text: &str) -> Option<usize> {
    let mut braces = text.match_indices('{').map(|(at, _)| at);
    braces.find(|at| text.as_bytes().get(at + 1) == Some(&b'{'))
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn offset(at: usize) -> Offset {
        Offset::try_from(at).unwrap_or(Offset::MAX)
    }

    fn failed(&self, at: usize, message: impl Into<String>) -> Failed {
        self.source.error(code::SYNTAX, Self::offset(at), message)
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.push_long(kind, start, self.at - start);
    }

    fn push_long(&mut self, kind: Kind, start: usize, length: usize) {
        self.words.push(Word { kind, at: Self::offset(start), length: Self::offset(length) });
    }

    /// Text up to an action, and the start of it. False at the end.
    fn outside(&mut self) -> Result<bool, Failed> {
        loop {
            let start = self.at;
            let Some(length) = opening(self.rest()) else {
                self.at = self.text.len();
                if self.at > start {
                    self.push(Kind::Text, start);
                }
                self.push(Kind::End, self.at);
                return Ok(false);
            };
            let open = start + length;
            let after = self.text.get(open + 2..).unwrap_or_default();
            let trims = after.starts_with('-') && after[1..].starts_with(is_space);
            let kept = self.text.get(start..open).unwrap_or_default();
            let kept = if trims { kept.trim_end_matches(is_space) } else { kept };
            if !kept.is_empty() {
                self.push_long(Kind::Text, start, kept.len());
            }
            self.at = open + if trims { 4 } else { 2 };
            if !self.rest().starts_with("/*") {
                self.push_long(Kind::Open, open, 2);
                return Ok(true);
            }
            let Some(length) = self.rest().find("*/") else {
                return Err(self.failed(open, "this comment has no end: expected */}}"));
            };
            self.at += length + 2;
            if !self.close() {
                return Err(self.failed(self.at, "a comment fills its action: expected }} after */"));
            }
        }
    }

    /// Goes over `}}` or ` -}}` with the space behind it, when it is next.
    fn close(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with("}}") {
            self.at += 2;
        } else if rest.starts_with(is_space) && rest[1..].starts_with("-}}") {
            self.at += 4;
            let behind = self.rest();
            self.at += behind.len() - behind.trim_start_matches(is_space).len();
        } else {
            return false;
        }
        true
    }

    fn action(&mut self) -> Result<(), Failed> {
        self.parens = 0;
        loop {
            let start = self.at;
            if self.close() {
                if self.parens > 0 {
                    return Err(self.failed(start, "a parenthesis is not closed"));
                }
                self.push_long(Kind::Close, start, 2);
                return Ok(());
            }
            let Some(c) = self.peek() else {
                let open = self.words.iter().rev().find(|word| word.kind == Kind::Open);
                let at = open.map_or(start, |word| word.at as usize);
                return Err(self.failed(at, "this action has no end: expected }}"));
            };
            self.word(c, start)?;
        }
    }

    fn word(&mut self, c: char, start: usize) -> Result<(), Failed> {
        if is_space(c) {
            // The space before `-}}` belongs to it.
            while self.peek().is_some_and(is_space) && !self.rest()[1..].starts_with("-}}") {
                self.at += 1;
            }
            if self.at > start {
                self.push(Kind::Space, start);
            }
            return Ok(());
        }
        let next = self.rest()[c.len_utf8()..].chars().next();
        if c.is_ascii_digit() || c == '+' || c == '-' || (c == '.' && next.is_some_and(|c| c.is_ascii_digit())) {
            return self.number(start);
        }
        if is_word(c) {
            return self.identifier(start);
        }
        self.at += c.len_utf8();
        let kind = match c {
            '=' => Kind::Assign,
            ':' if self.rest().starts_with('=') => {
                self.at += 1;
                Kind::Declare
            }
            ':' => return Err(self.failed(start, "expected :=")),
            '|' => Kind::Pipe,
            ',' => Kind::Comma,
            '(' => {
                self.parens += 1;
                Kind::LeftParen
            }
            ')' if self.parens == 0 => return Err(self.failed(start, "this parenthesis was never opened")),
            ')' => {
                self.parens -= 1;
                Kind::RightParen
            }
            '"' => self.quoted(start, '"', "this text has no end: expected \"")?,
            '\'' => self.quoted(start, '\'', "this character has no end: expected '")?,
            '`' => self.raw(start)?,
            '.' | '$' => return self.name(c, start),
            c if c.is_ascii_graphic() => Kind::Other,
            c => return Err(self.failed(start, format!("{c:?} does not belong into an action"))),
        };
        self.push(kind, start);
        Ok(())
    }

    fn quoted(&mut self, start: usize, quote: char, message: &str) -> Result<Kind, Failed> {
        let mut escaped = false;
        for (index, c) in self.rest().char_indices() {
            match c {
                '\n' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    self.at += index + 1;
                    return Ok(if quote == '"' { Kind::Quoted } else { Kind::Character });
                }
                _ => {}
            }
        }
        Err(self.failed(start, message))
    }

    fn raw(&mut self, start: usize) -> Result<Kind, Failed> {
        let length = self.rest().find('`').ok_or_else(|| self.failed(start, "this text has no end: expected `"))?;
        self.at += length + 1;
        Ok(Kind::Raw)
    }

    fn skip_word(&mut self) {
        let rest = self.rest();
        let plain = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let behind = &rest[plain..];
        self.at += rest.len() - behind.trim_start_matches(is_word).len();
    }

    /// What may stand right behind a name.
    fn terminated(&self) -> Result<(), Failed> {
        match self.peek() {
            None | Some('.' | ',' | '|' | ':' | ')' | '(') => Ok(()),
            Some(c) if is_space(c) || self.rest().starts_with("}}") => Ok(()),
            // Go takes `$x=1` neither.
            Some(c) => Err(self.failed(self.at, format!("{c:?} may not follow a name"))),
        }
    }

    fn name(&mut self, first: char, start: usize) -> Result<(), Failed> {
        self.skip_word();
        self.terminated()?;
        let kind = match (first, self.at - start) {
            ('.', 1) => Kind::Dot,
            ('.', _) => Kind::Field,
            _ => Kind::Variable,
        };
        self.push(kind, start);
        Ok(())
    }

    fn identifier(&mut self, start: usize) -> Result<(), Failed> {
        self.skip_word();
        self.terminated()?;
        let word = self.text.get(start..self.at).unwrap_or_default();
        let kind = match word {
            "true" | "false" => Kind::Bool,
            "nil" => Kind::Nil,
            word => Keyword::of(word).map_or(Kind::Identifier, Kind::Keyword),
        };
        self.push(kind, start);
        Ok(())
    }

    fn number(&mut self, start: usize) -> Result<(), Failed> {
        let mut before = None;
        let is_hex = self.rest().trim_start_matches(['+', '-']).to_ascii_lowercase().starts_with("0x");
        while let Some(c) = self.peek() {
            let sign = matches!(c, '+' | '-')
                && (self.at == start || matches!((before, is_hex), (Some('e' | 'E'), false) | (Some('p' | 'P'), true)));
            if !(sign || c == '.' || is_word(c)) {
                break;
            }
            self.at += c.len_utf8();
            before = Some(c);
        }
        self.push(Kind::Number, start);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &Source) -> Result<Vec<Word>, Failed> {
        let mut read = Vec::new();
        words(source, &mut read).map(|()| read)
    }

    fn kinds(text: &str) -> Vec<Kind> {
        read(&Source::new("t", text)).unwrap().into_iter().map(|word| word.kind).collect()
    }

    #[test]
    fn space_is_trimmed_where_the_marker_says() {
        for (text, wanted) in [
            ("a {{- 1 -}} b", vec!["a", "b"]),
            ("a {{ 1 }} b", vec!["a ", " b"]),
            ("a {{-1}} b", vec!["a ", " b"]),
            ("a \n{{- /* c */ -}}\n b", vec!["a", "b"]),
            ("{{/* c */}}", vec![]),
            (" {{- 1 }}", vec![]),
        ] {
            let source = Source::new("t", text);
            let read = read(&source).unwrap();
            let texts: Vec<&str> =
                read.iter().filter(|w| w.kind == Kind::Text).map(|w| w.of(&source.text).text).collect();
            assert_eq!(texts, wanted, "{text}");
        }
    }

    #[test]
    fn words_are_told_apart() {
        use Kind as K;
        assert_eq!(
            kinds("{{$x.A | f .5 -1 'a' `r` \"s\" nil true (.)}}"),
            [
                K::Open,
                K::Variable,
                K::Field,
                K::Space,
                K::Pipe,
                K::Space,
                K::Identifier,
                K::Space,
                K::Number,
                K::Space,
                K::Number,
                K::Space,
                K::Character,
                K::Space,
                K::Raw,
                K::Space,
                K::Quoted,
                K::Space,
                K::Nil,
                K::Space,
                K::Bool,
                K::Space,
                K::LeftParen,
                K::Dot,
                K::RightParen,
                K::Close,
                K::End
            ]
        );
        assert_eq!(kinds("{{ 1e-5 -}}"), [K::Open, K::Space, K::Number, K::Close, K::End]);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, wanted) in [
            ("a\n {{ .x", "t:2:2: error TPL0001: this action has no end: expected }}"),
            ("{{ (1 }}", "t:1:7: error TPL0001: a parenthesis is not closed"),
            ("{{ 1) }}", "t:1:5: error TPL0001: this parenthesis was never opened"),
            ("{{ \"a }}", "t:1:4: error TPL0001: this text has no end: expected \""),
            ("{{/* a }}", "t:1:1: error TPL0001: this comment has no end: expected */}}"),
            ("{{/* a */ 1}}", "t:1:10: error TPL0001: a comment fills its action: expected }} after */"),
            ("{{ .a-b }}", "t:1:6: error TPL0001: '-' may not follow a name"),
        ] {
            assert_eq!(read(&Source::new("t", text)).unwrap_err().to_string(), wanted);
        }
    }
}
