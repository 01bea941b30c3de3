//! The text form of label selectors.

use super::label::Requirement;
use crate::validate::names;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    End,
    Word,
    In,
    NotIn,
    Open,
    Close,
    Comma,
    Not,
    Equals,
    NotEquals,
    Above,
    Below,
    Wrong,
}

type Item = (Token, String);

pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, String> {
    Parser { items: scan(text), at: 0 }.requirements()
}

fn symbol(text: &str) -> Option<Token> {
    Some(match text {
        ")" => Token::Close,
        "(" => Token::Open,
        "," => Token::Comma,
        "!" => Token::Not,
        "=" | "==" => Token::Equals,
        "!=" => Token::NotEquals,
        ">" => Token::Above,
        "<" => Token::Below,
        _ => return None,
    })
}

fn scan(text: &str) -> Vec<Item> {
    let special = |c: char| "=!(),<>".contains(c);
    let space = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n');
    let mut out = Vec::new();
    let mut rest = text.trim_start_matches(space);
    while let Some(first) = rest.chars().next() {
        let length = if special(first) {
            // The longest symbol that starts here.
            let two = rest.get(..2).filter(|t| symbol(t).is_some()).map(str::len);
            let length = two.unwrap_or(first.len_utf8());
            let token = symbol(&rest[..length]).unwrap_or(Token::Wrong);
            out.push((token, rest[..length].to_owned()));
            length
        } else {
            let length = rest.find(|c| special(c) || space(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            let token = match word {
                "in" => Token::In,
                "notin" => Token::NotIn,
                _ => Token::Word,
            };
            out.push((token, word.to_owned()));
            length
        };
        rest = rest[length..].trim_start_matches(space);
    }
    out.push((Token::End, String::new()));
    out
}

struct Parser {
    items: Vec<Item>,
    at: usize,
}

impl Parser {
    /// `in` and `notin` are words wherever an operator cannot stand.
    fn peek(&self) -> Item {
        let (token, text) = self.items.get(self.at).cloned().unwrap_or((Token::End, String::new()));
        (if matches!(token, Token::In | Token::NotIn) { Token::Word } else { token }, text)
    }

    fn next(&mut self) -> Item {
        let item = self.peek();
        self.at += 1;
        item
    }

    fn requirements(&mut self) -> Result<Vec<Requirement>, String> {
        let mut out = Vec::new();
        loop {
            match self.peek() {
                (Token::Word | Token::Not, _) => {
                    out.push(self.requirement().map_err(|e| format!("unable to parse requirement: {e}"))?);
                    match self.next() {
                        (Token::End, _) => return Ok(out),
                        (Token::Comma, _) => {
                            let (token, text) = self.peek();
                            if !matches!(token, Token::Word | Token::Not) {
                                return Err(format!("found '{text}', expected: identifier after ','"));
                            }
                        }
                        (_, text) => return Err(format!("found '{text}', expected: ',' or 'end of string'")),
                    }
                }
                (Token::End, _) => return Ok(out),
                (_, text) => return Err(format!("found '{text}', expected: !, identifier, or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let (mut token, mut key) = self.next();
        let absent = token == Token::Not;
        if absent {
            (token, key) = self.next();
        }
        if token != Token::Word {
            return Err(format!("found '{key}', expected: identifier"));
        }
        invalid(&key, names::qualified_name(&key))?;
        if absent {
            return Ok(Requirement::Absent(key));
        }
        if matches!(self.peek().0, Token::End | Token::Comma) {
            return Ok(Requirement::Exists(key));
        }
        let (operator, text) = self.items.get(self.at).cloned().unwrap_or((Token::End, String::new()));
        self.at += 1;
        let values = match operator {
            Token::In | Token::NotIn => self.values()?,
            Token::Equals | Token::NotEquals | Token::Above | Token::Below => vec![self.value()?],
            _ => return Err(format!("found '{text}', expected: in, notin, =, ==, !=, gt, lt")),
        };
        for value in &values {
            invalid(value, names::label_value(value))?;
        }
        let bound = || {
            values[0].parse::<i64>().map_err(|_| {
                format!(
                    "values[0][{key}]: Invalid value: \"{}\": for 'Gt', 'Lt' operators, the value must be an integer",
                    values[0]
                )
            })
        };
        Ok(match operator {
            Token::In | Token::Equals => Requirement::In(key, values),
            Token::Above => Requirement::Above(key.clone(), bound()?),
            Token::Below => Requirement::Below(key.clone(), bound()?),
            _ => Requirement::NotIn(key, values),
        })
    }

    fn value(&mut self) -> Result<String, String> {
        if matches!(self.peek().0, Token::End | Token::Comma) {
            return Ok(String::new());
        }
        match self.next() {
            (Token::Word, text) => Ok(text),
            (_, text) => Err(format!("found '{text}', expected: identifier")),
        }
    }

    fn values(&mut self) -> Result<Vec<String>, String> {
        let (token, text) = self.next();
        if token != Token::Open {
            return Err(format!("found '{text}' expected: '('"));
        }
        let mut out = Vec::new();
        let mut pending = true;
        loop {
            match self.next() {
                (Token::Word, text) if pending => {
                    out.push(text);
                    pending = false;
                }
                (Token::Comma, _) => {
                    if pending {
                        out.push(String::new());
                    }
                    pending = true;
                }
                (Token::Close, _) => {
                    if pending {
                        out.push(String::new());
                    }
                    out.sort_unstable();
                    out.dedup();
                    return Ok(out);
                }
                (_, text) if pending => return Err(format!("found '{text}', expected: ',', ')' or identifier")),
                (_, text) => return Err(format!("found '{text}', expected: ',' or ')'")),
            }
        }
    }
}

fn invalid(value: &str, problems: Vec<String>) -> Result<(), String> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("<nil>: Invalid value: {value:?}: {}", problems.join("; ")))
}
