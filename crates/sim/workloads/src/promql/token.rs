//! Words of the query language.

use super::QueryError;
use windlass_model::Millis;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Text(String),
    Number(f64),
    Duration(Millis),
    /// Operators and punctuation.
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: [&str; 28] = [
    "==", "!=", "=~", "!~", ">=", "<=", "(", ")", "{", "}", "[", "]", ",", "=", "+", "-", "*", "/", "%", "^", ">", "<",
    "@", ":", "?", "&", "|", ";",
];

impl Token {
    /// As messages name it.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Word(word) => format!("identifier \"{word}\""),
            Self::Text(text) => format!("string {text:?}"),
            Self::Number(number) => format!("number \"{number}\""),
            Self::Duration(length) => format!("duration \"{length}\""),
            Self::Sign(sign) => format!("{sign:?}"),
            Self::End => "end of input".to_owned(),
        }
    }
}

/// Cuts a query into tokens with their columns, from 1.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, QueryError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix('#') {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
            continue;
        }
        let column = text[..text.len() - rest.len()].chars().count() + 1;
        let Some(first) = rest.chars().next() else {
            tokens.push((Token::End, column));
            return Ok(tokens);
        };
        let fail = |message: String| QueryError::Parse { column, message };
        let (token, length) = match first {
            '"' | '\'' | '`' => quoted(rest, first).ok_or_else(|| fail("unterminated quoted string".to_owned()))?,
            '0'..='9' | '.' => number(rest).map_err(fail)?,
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':').unwrap_or(rest.len());
                (Token::Word(rest[..end].to_owned()), end)
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
                let sign = sign.ok_or_else(|| fail(format!("unexpected character: {first:?}")))?;
                (Token::Sign(sign), sign.len())
            }
        };
        tokens.push((token, column));
        rest = &rest[length..];
    }
}

/// A quoted text with Go's escapes; between backquotes nothing is special.
fn quoted(rest: &str, quote: char) -> Option<(Token, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Some((Token::Text(text), at + 1));
        }
        if c == '\n' && quote != '`' {
            return None;
        }
        if c != '\\' || quote == '`' {
            text.push(c);
            continue;
        }
        match chars.next()?.1 {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            plain @ ('\\' | '"' | '\'') => text.push(plain),
            _ => return None,
        }
    }
    None
}

/// `1`, `0.5`, `1e3`, or a duration such as `5m` or `1h30m`.
fn number(rest: &str) -> Result<(Token, usize), String> {
    let digits = |from: usize| rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| from + end);
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    let exponent = rest[end..].strip_prefix(['e', 'E']).map(|tail| tail.strip_prefix(['+', '-']).unwrap_or(tail));
    if let Some(tail) = exponent.filter(|tail| tail.starts_with(|c: char| c.is_ascii_digit())) {
        end = digits(rest.len() - tail.len());
    }
    let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len()).max(end);
    if word == end {
        let number = rest[..end].parse().map_err(|_| format!("bad number: {:?}", &rest[..end]))?;
        return Ok((Token::Number(number), end));
    }
    match duration(&rest[..word]) {
        Some(length) => Ok((Token::Duration(length), word)),
        None => Err(format!("bad number or duration syntax: {:?}", &rest[..word])),
    }
}

/// Units may come once each, from years down to milliseconds.
pub(crate) fn duration(text: &str) -> Option<Millis> {
    const UNITS: [(&str, u64); 7] = [
        ("y", 365 * 86_400_000),
        ("w", 7 * 86_400_000),
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1_000),
        ("ms", 1),
    ];
    let (mut rest, mut total, mut smallest) = (text, 0_u64, u64::MAX);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        let tail = &rest[digits..];
        let end = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &tail[..end])?;
        if *unit >= smallest {
            return None;
        }
        smallest = *unit;
        total = total.checked_add(number.checked_mul(*unit)?)?;
        rest = &tail[end..];
    }
    (smallest < u64::MAX).then_some(Millis(total))
}
