use super::path::Path;
use crate::Json;

#[derive(Debug)]
pub(super) enum Expression {
    Any(Vec<Expression>),
    All(Vec<Expression>),
    Not(Box<Expression>),
    Compare(Operand, Comparison, Operand),
    Value(Operand),
}

#[derive(Debug)]
pub(super) enum Operand {
    Literal(Json),
    Select(Path),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Longer or deeper expressions are refused.
const LONGEST: usize = 4096;
const DEEPEST: usize = 32;

/// Parses a condition, with or without `${…}` or `<+…>` around it.
pub(super) fn parse(text: &str) -> Result<Expression, String> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(format!("the condition is longer than {LONGEST} bytes"));
    }
    let inner = |open: &str, close: &str| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    let text = inner("${", "}").or_else(|| inner("<+", ">")).unwrap_or(text);
    let mut parser = Parser { rest: text.trim_start(), depth: 0 };
    let expression = parser.any()?;
    if parser.rest.is_empty() { Ok(expression) } else { Err(format!("`{}` is not understood", parser.shown())) }
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn any(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.all()?];
        while self.take("||") {
            parts.push(self.all()?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Expression::Any(parts),
        })
    }

    fn all(&mut self) -> Result<Expression, String> {
        let mut parts = vec![self.comparison()?];
        while self.take("&&") {
            parts.push(self.comparison()?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Expression::All(parts),
        })
    }

    fn comparison(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("the condition is nested deeper than {DEEPEST} levels"));
        }
        let found = self.shallow_comparison();
        self.depth -= 1;
        found
    }

    fn shallow_comparison(&mut self) -> Result<Expression, String> {
        if !self.rest.starts_with("!=") && self.take("!") {
            return Ok(Expression::Not(Box::new(self.comparison()?)));
        }
        if self.take("(") {
            let inner = self.any()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let left = self.operand()?;
        let comparisons = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        for (sign, comparison) in comparisons {
            if self.take(sign) {
                return Ok(Expression::Compare(left, comparison, self.operand()?));
            }
        }
        Ok(Expression::Value(left))
    }

    fn operand(&mut self) -> Result<Operand, String> {
        if self.take("json.select") {
            self.expect("(")?;
            let path = Path::parse(&self.quoted()?)?;
            self.expect(",")?;
            self.expect("response")?;
            self.expect(")")?;
            return Ok(Operand::Select(path));
        }
        if self.rest.starts_with(['"', '\'']) {
            return self.quoted().map(|text| Operand::Literal(text.into()));
        }
        let end =
            self.rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-._".contains(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        match serde_json::from_str(word) {
            Ok(literal @ (Json::Null | Json::Bool(_) | Json::Number(_))) => {
                self.rest = rest.trim_start();
                Ok(Operand::Literal(literal))
            }
            _ if word.is_empty() => Err(format!("a value is expected at `{}`", self.shown())),
            _ => Err(format!("`{word}` is not known; json.select(\"$.path\", response) is")),
        }
    }

    fn quoted(&mut self) -> Result<String, String> {
        let mut chars = self.rest.char_indices();
        let Some((_, quote @ ('"' | '\''))) = chars.next() else {
            return Err(format!("a text in quotes is expected at `{}`", self.shown()));
        };
        let mut text = String::new();
        let mut escaped = false;
        for (at, c) in chars {
            match c {
                _ if escaped => {
                    text.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                _ if c == quote => {
                    self.rest = self.rest.get(at + c.len_utf8()..).unwrap_or_default().trim_start();
                    return Ok(text);
                }
                _ => text.push(c),
            }
        }
        Err("a text has no end".to_owned())
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(format!("`{sign}` is expected at `{}`", self.shown())) }
    }

    /// The next characters, for messages.
    fn shown(&self) -> String {
        self.rest.chars().take(20).collect()
    }
}
