//! JSON that keeps what strict checks need: the order of keys, doubled keys, the text of numbers. Errors read as Go's do.

use serde_json::{Map, Number, Value};
use std::borrow::Cow;

/// Deeper documents are refused.
const MAX_DEPTH: usize = 400;

/// A document as it was written. Texts are those of the document wherever they stand in it as they are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree<'a> {
    Null,
    Bool(bool),
    /// The literal.
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    List(Vec<Tree<'a>>),
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
}

impl<'a> Tree<'a> {
    /// Parses one document. The error is the text that Go's `encoding/json` would give.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let mut parser = Parser { bytes, at: 0 };
        let tree = parser.value(0)?;
        parser.space();
        match parser.peek() {
            None => Ok(tree),
            Some(c) => Err(unexpected(c, "after top-level value")),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Tree<'a>> {
        match self {
            // Go keeps the last of doubled keys.
            Tree::Object(entries) => entries.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Tree::Text(text) = self { Some(text) } else { None }
    }

    /// The word for this kind of value in Go's errors.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Tree::Null => "null",
            Tree::Bool(_) => "bool",
            Tree::Number(_) => "number",
            Tree::Text(_) => "string",
            Tree::List(_) => "array",
            Tree::Object(_) => "object",
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Tree::Null => Value::Null,
            Tree::Bool(b) => Value::Bool(*b),
            Tree::Number(text) => number(text),
            Tree::Text(text) => Value::String(text.as_ref().to_owned()),
            Tree::List(items) => items.iter().map(Tree::to_value).collect(),
            Tree::Object(entries) => {
                Value::Object(entries.iter().map(|(k, v)| (k.as_ref().to_owned(), v.to_value())).collect::<Map<_, _>>())
            }
        }
    }
}

impl<'a> From<&'a Value> for Tree<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Tree::Null,
            Value::Bool(b) => Tree::Bool(*b),
            Value::Number(n) => Tree::Number(n.to_string().into()),
            Value::String(s) => Tree::Text(s.as_str().into()),
            Value::Array(items) => Tree::List(items.iter().map(Tree::from).collect()),
            Value::Object(map) => Tree::Object(map.iter().map(|(k, v)| (k.as_str().into(), Tree::from(v))).collect()),
        }
    }
}

impl From<Value> for Tree<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Tree::Null,
            Value::Bool(b) => Tree::Bool(b),
            Value::Number(n) => Tree::Number(n.to_string().into()),
            Value::String(s) => Tree::Text(s.into()),
            Value::Array(items) => Tree::List(items.into_iter().map(Tree::from).collect()),
            Value::Object(map) => Tree::Object(map.into_iter().map(|(k, v)| (k.into(), Tree::from(v))).collect()),
        }
    }
}

/// A literal as a number: an integer when it is one, as Kubernetes' decoder does.
pub(crate) fn number(text: &str) -> Value {
    if let Ok(n) = text.parse::<i64>() {
        return n.into();
    }
    match text.parse::<f64>() {
        // A float that is whole stays a float, but its text has no fraction: `1e3` is 1000.
        Ok(f) if f.fract() == 0.0 && f.abs() < 9e15 => {
            #[allow(clippy::cast_possible_truncation)] // in range by the guard
            let n = f as i64;
            n.into()
        }
        Ok(f) => Number::from_f64(f).map_or(Value::Null, Value::Number),
        Err(_) => Value::Null,
    }
}

fn unexpected(c: u8, context: &str) -> String {
    let shown = match c {
        b'\'' => r"\'".to_owned(),
        b'"' => "\"".to_owned(),
        b'\n' => r"\n".to_owned(),
        b'\r' => r"\r".to_owned(),
        b'\t' => r"\t".to_owned(),
        b'\\' => r"\\".to_owned(),
        0x20..=0x7e => char::from(c).to_string(),
        0..=0x1f | 0x7f => format!(r"\x{c:02x}"),
        0x80..=0xa0 | 0xad => format!(r"\u{c:04x}"),
        _ => char::from(c).to_string(),
    };
    format!("invalid character '{shown}' {context}")
}

const END: &str = "unexpected end of JSON input";

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Tree<'a>, String> {
        if depth > MAX_DEPTH {
            return Err("exceeded max depth".into());
        }
        self.space();
        match self.peek().ok_or(END)? {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => Ok(Tree::Text(self.text()?)),
            b't' => self.literal("true", Tree::Bool(true)),
            b'f' => self.literal("false", Tree::Bool(false)),
            b'n' => self.literal("null", Tree::Null),
            b'-' | b'0'..=b'9' => self.number(),
            c => Err(unexpected(c, "looking for beginning of value")),
        }
    }

    fn literal(&mut self, word: &str, tree: Tree<'a>) -> Result<Tree<'a>, String> {
        for expected in word.bytes() {
            let c = self.peek().ok_or(END)?;
            if c != expected {
                return Err(unexpected(c, &format!("in literal {word} (expecting '{}')", char::from(expected))));
            }
            self.at += 1;
        }
        Ok(tree)
    }

    fn object(&mut self, depth: usize) -> Result<Tree<'a>, String> {
        self.at += 1;
        let mut entries = Vec::new();
        self.space();
        if self.peek().ok_or(END)? == b'}' {
            self.at += 1;
            return Ok(Tree::Object(entries));
        }
        loop {
            self.space();
            match self.peek().ok_or(END)? {
                b'"' => {}
                c => return Err(unexpected(c, "looking for beginning of object key string")),
            }
            let key = self.text()?;
            self.space();
            match self.peek().ok_or(END)? {
                b':' => self.at += 1,
                c => return Err(unexpected(c, "after object key")),
            }
            let value = self.value(depth + 1)?;
            entries.push((key, value));
            self.space();
            match self.peek().ok_or(END)? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(Tree::Object(entries));
                }
                c => return Err(unexpected(c, "after object key:value pair")),
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Tree<'a>, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.peek().ok_or(END)? == b']' {
            self.at += 1;
            return Ok(Tree::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            match self.peek().ok_or(END)? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Ok(Tree::List(items));
                }
                c => return Err(unexpected(c, "after array element")),
            }
        }
    }

    fn text(&mut self) -> Result<Cow<'a, str>, String> {
        self.at += 1;
        let rest = &self.bytes[self.at..];
        let plain = rest.iter().position(|&c| c < 0x20 || matches!(c, b'"' | b'\\')).unwrap_or(rest.len());
        self.at += plain;
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(String::from_utf8_lossy(&rest[..plain]));
        }
        let mut out = rest[..plain].to_vec();
        loop {
            match self.peek().ok_or(END)? {
                b'"' => {
                    self.at += 1;
                    return Ok(String::from_utf8_lossy(&out).into_owned().into());
                }
                b'\\' => {
                    self.at += 1;
                    let c = self.escape()?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                c if c < 0x20 => return Err(unexpected(c, "in string literal")),
                c => {
                    out.push(c);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let c = self.peek().ok_or(END)?;
        self.at += 1;
        Ok(match c {
            b'"' | b'\\' | b'/' => char::from(c),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex()?;
                if (0xd800..0xdc00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
                    let back = self.at;
                    self.at += 2;
                    let second = self.hex()?;
                    if (0xdc00..0xe000).contains(&second) {
                        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                        return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = back;
                }
                char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            c => return Err(unexpected(c, "in string escape code")),
        })
    }

    fn hex(&mut self) -> Result<u32, String> {
        let mut code = 0;
        for _ in 0..4 {
            let c = self.peek().ok_or(END)?;
            let digit =
                char::from(c).to_digit(16).ok_or_else(|| unexpected(c, "in \\u hexadecimal character escape"))?;
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }

    fn need_digits(&mut self, context: &str) -> Result<(), String> {
        if self.digits() > 0 {
            return Ok(());
        }
        let c = self.peek().ok_or(END)?;
        Err(unexpected(c, context))
    }

    fn number(&mut self) -> Result<Tree<'a>, String> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.need_digits("in numeric literal")?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.need_digits("after decimal point in numeric literal")?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.need_digits("in exponent of numeric literal")?;
        }
        Ok(Tree::Number(String::from_utf8_lossy(&self.bytes[from..self.at])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_read_as_go_says_them() {
        for (text, error) in [
            ("{\"a\":", "unexpected end of JSON input"),
            ("", "unexpected end of JSON input"),
            ("kind: x", "invalid character 'k' looking for beginning of value"),
            ("{a}", "invalid character 'a' looking for beginning of object key string"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 2}", "invalid character '2' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("{} x", "invalid character 'x' after top-level value"),
            ("nul!", "invalid character '!' in literal null (expecting 'l')"),
            ("\u{9e}", "invalid character 'Â' looking for beginning of value"),
            ("-", "unexpected end of JSON input"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
        ] {
            assert_eq!(Tree::parse(text.as_bytes()), Err(error.to_owned()), "{text}");
        }
        assert_eq!(Tree::parse(&[0x9e]).unwrap_err(), r"invalid character '\u009e' looking for beginning of value");
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(1_000_000);
        assert_eq!(Tree::parse(deep.as_bytes()), Err("exceeded max depth".into()));
    }

    #[test]
    fn values_survive() {
        let text = r#"{"b":1,"a":[true,null,-2.5,"\u00e9\ud83d\ude00\n"],"b":1e3}"#;
        let tree = Tree::parse(text.as_bytes()).unwrap();
        assert_eq!(tree.to_value(), json!({"a": [true, null, -2.5, "é😀\n"], "b": 1000}));
        let Tree::Object(entries) = tree else { panic!("an object") };
        assert_eq!(entries.iter().map(|(k, _)| k.as_ref()).collect::<Vec<_>>(), ["b", "a", "b"]);
    }
}
