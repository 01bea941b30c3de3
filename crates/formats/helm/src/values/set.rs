//! The grammar of `--set` and its relatives, with the reference's answers to what is odd in it.

use super::Table;
use crate::decode;
use serde_json::Value as Json;

/// What becomes of the text behind an equals sign.
pub(super) enum Reading<'r> {
    /// true, false, null and whole numbers are what they look like.
    Typed,
    Text,
    /// Of a text file by its path.
    File(&'r dyn Fn(&str) -> Result<String, String>),
    Json,
    /// The rest of the text, whatever is in it.
    Literal,
}

const LARGEST_INDEX: usize = 65_536;
const DEEPEST_NAME: usize = 30;

/// Why a text was left.
enum Stop {
    /// It is over.
    End,
    Wrong(String),
}

use Stop::{End, Wrong};

/// Sets what a text says.
pub(super) fn parse(text: &str, table: &mut Table, reading: &Reading<'_>) -> Result<(), String> {
    let mut parser = Parser { text, at: 0, reading };
    loop {
        match parser.key(table, 0) {
            Ok(()) => {}
            Err(End) => return Ok(()),
            Err(Wrong(problem)) => return Err(problem),
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    reading: &'t Reading<'t>,
}

fn wrong<T>(problem: impl Into<String>) -> Result<T, Stop> {
    Err(Wrong(problem.into()))
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// What stands before one of `stops`, without backslashes, and which of them it was; nothing at the end.
    fn until(&mut self, stops: &[char]) -> (String, Option<char>) {
        let is_literal = matches!(self.reading, Reading::Literal);
        let mut out = String::new();
        while let Some(c) = self.take() {
            if stops.contains(&c) {
                return (out, Some(c));
            }
            if c == '\\' && !is_literal {
                match self.take() {
                    Some(next) => out.push(next),
                    None => return (out, None),
                }
            } else {
                out.push(c);
            }
        }
        (out, None)
    }

    fn key(&mut self, table: &mut Table, level: usize) -> Result<(), Stop> {
        let stops: &[char] =
            if matches!(self.reading, Reading::Literal) { &['=', '[', '.'] } else { &['=', '[', ',', '.'] };
        let (name, stop) = self.until(stops);
        match stop {
            None if name.is_empty() => Err(End),
            None => wrong(format!("key {name:?} has no value")),
            Some('[') => {
                let index = self.index()?;
                let mut list = match table.get_mut(&name) {
                    None => Vec::new(),
                    Some(Json::Array(items)) => std::mem::take(items),
                    Some(other) => return wrong(mismatch(other, "[]interface {}")),
                };
                let result = self.item(&mut list, index, level);
                set(table, name, Json::Array(list));
                result
            }
            Some('=') => {
                let (value, result) = self.value()?;
                set(table, name, value);
                result
            }
            Some('.') => {
                deeper(level)?;
                let mut inner = match table.get_mut(&name) {
                    None => Table::new(),
                    Some(Json::Object(inner)) => std::mem::take(inner),
                    Some(other) => return wrong(mismatch(other, "map[string]interface {}")),
                };
                let result = self.key(&mut inner, level + 1);
                if inner.is_empty() {
                    // What was there and is empty stays as it is.
                    if table.contains_key(&name) {
                        set(table, name.clone(), Json::Object(inner));
                    }
                    return match result {
                        Ok(()) => wrong(format!("key map {name:?} has no value")),
                        stopped => stopped,
                    };
                }
                set(table, name, Json::Object(inner));
                result
            }
            Some(_) => wrong(format!("key {name:?} has no value (cannot end with ,)")),
        }
    }

    /// The number in brackets.
    fn index(&mut self) -> Result<usize, Stop> {
        let (digits, stop) = self.until(&[']']);
        if stop.is_none() {
            return wrong("error parsing index: EOF");
        }
        match digits.parse::<i64>() {
            Ok(index) => match usize::try_from(index) {
                Ok(index) if index <= LARGEST_INDEX => Ok(index),
                Ok(index) => {
                    wrong(format!("index of {index} is greater than maximum supported index of {LARGEST_INDEX}"))
                }
                Err(_) => wrong(format!("negative {index} index not allowed")),
            },
            Err(_) => wrong(format!("error parsing index: {digits:?} is no number")),
        }
    }

    /// What stands behind the brackets.
    fn item(&mut self, list: &mut Vec<Json>, index: usize, level: usize) -> Result<(), Stop> {
        let (name, stop) = self.until(&['[', '.', '=']);
        if !name.is_empty() {
            return wrong(format!("unexpected data at end of array index: {name:?}"));
        }
        match stop {
            None => Err(End),
            Some('=') => {
                let (value, result) = self.value()?;
                place(list, index, value);
                // In a list, a value that ends the text ends it well.
                match result {
                    Err(End) => Ok(()),
                    other => other,
                }
            }
            Some('[') => {
                let next = self.index()?;
                let mut inner = match list.get_mut(index) {
                    None | Some(Json::Null) => Vec::new(),
                    Some(Json::Array(items)) => std::mem::take(items),
                    Some(other) => return wrong(mismatch(other, "[]interface {}")),
                };
                let result = self.item(&mut inner, next, level);
                if result.is_ok() || list.len() > index {
                    place(list, index, Json::Array(inner));
                }
                result
            }
            Some(_) => {
                let was_there = list.len() > index;
                let mut inner = match list.get_mut(index) {
                    Some(Json::Object(inner)) => std::mem::take(inner),
                    _ => Table::new(),
                };
                let result = self.key(&mut inner, level);
                // A value that ends the text is lost when the list had no such item: as the reference does.
                if result.is_ok() || was_there {
                    place(list, index, Json::Object(inner));
                }
                result
            }
        }
    }

    /// The value behind an equals sign, and whether the text ended with it.
    #[allow(clippy::type_complexity)]
    fn value(&mut self) -> Result<(Json, Result<(), Stop>), Stop> {
        match self.reading {
            Reading::Literal => {
                let rest = self.rest().to_owned();
                self.at = self.text.len();
                return Ok((Json::String(rest), Ok(())));
            }
            Reading::Json => return Ok((self.json()?, Ok(()))),
            _ => {}
        }
        if self.rest().is_empty() {
            return Ok((Json::String(String::new()), Err(End)));
        }
        if let Some(inside) = self.rest().strip_prefix('{') {
            self.at = self.text.len() - inside.len();
            return Ok((self.list()?, Ok(())));
        }
        let (text, _) = self.until(&[',']);
        Ok((self.read(text)?, Ok(())))
    }

    fn read(&self, text: String) -> Result<Json, Stop> {
        match self.reading {
            Reading::Typed => Ok(typed(text)),
            Reading::File(read) => read(&text).map(Json::String).map_err(Wrong),
            _ => Ok(Json::String(text)),
        }
    }

    /// `{a,b}`
    fn list(&mut self) -> Result<Json, Stop> {
        let mut items = Vec::new();
        loop {
            let (text, stop) = self.until(&[',', '}']);
            if stop.is_none() {
                return wrong("list must terminate with '}'");
            }
            items.push(self.read(text)?);
            if stop == Some('}') {
                if self.rest().starts_with(',') {
                    self.at += 1;
                }
                return Ok(Json::Array(items));
            }
        }
    }

    /// One value of JSON, and the comma behind it.
    fn json(&mut self) -> Result<Json, Stop> {
        if self.is_empty_value() {
            return Ok(Json::Null);
        }
        let mut stream = serde_json::Deserializer::from_str(self.rest()).into_iter::<Json>();
        let value = match stream.next() {
            Some(Ok(value)) => decode::with_floats(value),
            Some(Err(problem)) => return wrong(problem.to_string()),
            None => Json::Null,
        };
        self.at += stream.byte_offset();
        self.is_empty_value();
        Ok(value)
    }

    /// Goes over blanks; true when a comma, which is gone over too, or the end stands behind them.
    fn is_empty_value(&mut self) -> bool {
        self.at = self.text.len() - self.rest().trim_start().len();
        if self.rest().starts_with(',') {
            self.at += 1;
            return true;
        }
        self.rest().is_empty()
    }
}

fn deeper(level: usize) -> Result<(), Stop> {
    if level < DEEPEST_NAME {
        return Ok(());
    }
    wrong(format!("value name nested level is greater than maximum supported nested level of {DEEPEST_NAME}"))
}

/// A value without a name is dropped.
fn set(table: &mut Table, name: String, value: Json) {
    if !name.is_empty() {
        table.insert(name, value);
    }
}

fn place(list: &mut Vec<Json>, index: usize, value: Json) {
    if list.len() <= index {
        list.resize(index + 1, Json::Null);
    }
    list[index] = value;
}

fn mismatch(value: &Json, wanted: &str) -> String {
    let is = match value {
        Json::Null => "nil",
        Json::Bool(_) => "bool",
        Json::Number(number) if number.is_f64() => "float64",
        Json::Number(_) => "int64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    };
    format!("unable to parse key: interface conversion: interface {{}} is {is}, not {wanted}")
}

fn typed(text: String) -> Json {
    if text.eq_ignore_ascii_case("true") {
        return Json::Bool(true);
    }
    if text.eq_ignore_ascii_case("false") {
        return Json::Bool(false);
    }
    if text.eq_ignore_ascii_case("null") {
        return Json::Null;
    }
    if text == "0" {
        return Json::from(0);
    }
    match text.parse::<i64>() {
        Ok(number) if !text.starts_with('0') => Json::from(number),
        _ => Json::String(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        let mut table = Table::new();
        match parse(text, &mut table, &Reading::Typed) {
            Ok(()) => Json::Object(table).to_string(),
            Err(problem) => problem,
        }
    }

    /// As the reference answers.
    #[test]
    fn grammar() {
        for (text, wanted) in [
            ("a=1,b=true,c=null,d=x,e=", r#"{"a":1,"b":true,"c":null,"d":"x","e":""}"#),
            ("a.b.c=1", r#"{"a":{"b":{"c":1}}}"#),
            ("a={1,x,},b=2", r#"{"a":[1,"x",""],"b":2}"#),
            ("a[1]=x", r#"{"a":[null,"x"]}"#),
            ("a[0].b=1,a[0].c=2", r#"{"a":[{"b":1,"c":2}]}"#),
            ("a[0][1]=x", r#"{"a":[[null,"x"]]}"#),
            (r"a\.b=1\,2", r#"{"a.b":"1,2"}"#),
            ("a=007,b=-5,c=+5,d=1.5", r#"{"a":"007","b":-5,"c":5,"d":"1.5"}"#),
            ("a", r#"key "a" has no value"#),
            ("a,b=1", r#"key "a" has no value (cannot end with ,)"#),
            ("a[b]=1", r#"error parsing index: "b" is no number"#),
            ("a[-1]=1", "negative -1 index not allowed"),
            ("a={1", "list must terminate with '}'"),
            ("a[0]b=1", r#"unexpected data at end of array index: "b""#),
        ] {
            assert_eq!(parsed(text), wanted, "{text}");
        }
    }
}
