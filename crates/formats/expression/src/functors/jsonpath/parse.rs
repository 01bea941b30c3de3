use super::filter::{Filter, Term, Test};
use super::{Choice, JsonPath, Step};
use crate::Value;
use crate::error::{ErrorKind, Fault, Outcome, shorten};

/// Bytes of a path. A filter holds paths without filters, so nothing is nested further.
const LONGEST: usize = 4096;

impl JsonPath {
    /// A leading `$.` may be left out.
    pub(in crate::functors) fn parse(text: &str) -> Outcome<Self> {
        if text.len() > LONGEST {
            return Err(ErrorKind::Limit { what: "the JSON path", limit: LONGEST }.into());
        }
        let mut reader = Reader { text, rest: text.trim() };
        if !reader.eat("$") && !reader.rest.starts_with(['[', '.']) && !reader.rest.is_empty() {
            let choice = reader.name()?;
            let mut path = reader.steps(true)?;
            path.steps.insert(0, Step { deep: false, choice });
            return reader.end(path);
        }
        let path = reader.steps(true)?;
        reader.end(path)
    }
}

struct Reader<'t> {
    text: &'t str,
    rest: &'t str,
}

impl Reader<'_> {
    fn eat(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn refuse(&self, expected: &str) -> Fault {
        let at = self.text.len() - self.rest.len();
        let text = shorten(self.text);
        ErrorKind::Argument(format!("JSON path `{text}`: expected {expected} at position {}", at + 1)).into()
    }

    fn end(&self, path: JsonPath) -> Outcome<JsonPath> {
        if self.rest.is_empty() { Ok(path) } else { Err(self.refuse("`.` or `[`")) }
    }

    fn steps(&mut self, filters: bool) -> Outcome<JsonPath> {
        let mut steps = Vec::new();
        loop {
            let deep = self.eat("..");
            if deep && self.rest.starts_with('[') || self.rest.starts_with('[') {
                self.eat("[");
                steps.push(Step { deep, choice: self.brackets(filters)? });
            } else if deep || self.eat(".") {
                // `$.` alone is the root.
                if !deep && self.rest.is_empty() && steps.is_empty() {
                    break;
                }
                let choice = self.name()?;
                if self.rest.starts_with("()") {
                    return Err(self.refuse("no function: functions are not supported,"));
                }
                steps.push(Step { deep, choice });
            } else {
                break;
            }
        }
        Ok(JsonPath { steps })
    }

    fn name(&mut self) -> Outcome<Choice> {
        if self.eat("*") {
            return Ok(Choice::All);
        }
        let ends = |c: char| {
            matches!(c, '.' | '[' | ']' | '(' | ')' | '=' | '!' | '<' | '>' | '&' | '|' | ',' | ' ' | '\'' | '"')
        };
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.refuse("a name"));
        }
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(Choice::Names(vec![name.to_owned()]))
    }

    /// After `[`.
    fn brackets(&mut self, filters: bool) -> Outcome<Choice> {
        self.blanks();
        let choice = if self.eat("*") {
            Choice::All
        } else if self.eat("?") {
            if !filters {
                return Err(self.refuse("no filter inside of a filter,"));
            }
            self.filter()?
        } else if self.rest.starts_with(['\'', '"']) {
            let mut names = vec![self.quoted()?];
            while self.comma() {
                names.push(self.quoted()?);
            }
            Choice::Names(names)
        } else {
            self.numbers()?
        };
        self.blanks();
        if self.eat("]") { Ok(choice) } else { Err(self.refuse("`]`")) }
    }

    fn comma(&mut self) -> bool {
        self.blanks();
        let comma = self.eat(",");
        self.blanks();
        comma
    }

    fn numbers(&mut self) -> Outcome<Choice> {
        let first = self.number();
        if self.eat(":") {
            return Ok(Choice::Slice(first, self.number()));
        }
        let mut indexes = vec![first.ok_or_else(|| self.refuse("an index, a name in quotes, `*` or `?(`"))?];
        while self.comma() {
            indexes.push(self.number().ok_or_else(|| self.refuse("an index"))?);
        }
        Ok(Choice::Indexes(indexes))
    }

    fn number(&mut self) -> Option<i64> {
        let sign = usize::from(self.rest.starts_with('-'));
        let digits = self.rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest[..sign + digits].parse().ok()?;
        self.rest = &self.rest[sign + digits..];
        Some(number)
    }

    fn quoted(&mut self) -> Outcome<String> {
        let Some(quote) = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return Err(self.refuse("a name in quotes"));
        };
        let mut out = String::new();
        let mut chars = self.rest[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = &self.rest[1 + at + 1..];
                return Ok(out);
            }
            if c == '\\' {
                out.extend(chars.next().map(|(_, c)| c));
            } else {
                out.push(c);
            }
        }
        Err(self.refuse("a closing quote"))
    }

    /// After `?`: terms, with or without brackets around them.
    fn filter(&mut self) -> Outcome<Choice> {
        self.blanks();
        let bracket = self.eat("(");
        let mut any_of = vec![vec![self.term()?]];
        loop {
            self.blanks();
            if self.eat("&&") {
                let term = self.term()?;
                if let Some(all_of) = any_of.last_mut() {
                    all_of.push(term);
                }
            } else if self.eat("||") {
                any_of.push(vec![self.term()?]);
            } else {
                break;
            }
        }
        if bracket && !self.eat(")") {
            return Err(self.refuse("`)`"));
        }
        Ok(Choice::Filter(Filter { any_of }))
    }

    fn term(&mut self) -> Outcome<Term> {
        self.blanks();
        let negated = self.eat("!");
        if !self.eat("@") {
            return Err(self.refuse("`@`"));
        }
        let path = self.steps(false)?;
        self.blanks();
        let tests = [
            ("==", Test::Equal),
            ("!=", Test::NotEqual),
            ("<=", Test::LessOrEqual),
            (">=", Test::GreaterOrEqual),
            ("=~", Test::Matches),
            ("<", Test::Less),
            (">", Test::Greater),
        ];
        let Some((_, test)) = tests.into_iter().find(|(sign, _)| self.eat(sign)) else {
            return Ok(Term { path, negated, test: None });
        };
        self.blanks();
        Ok(Term { path, negated, test: Some((test, self.literal()?)) })
    }

    fn literal(&mut self) -> Outcome<Value> {
        if self.rest.starts_with(['\'', '"']) {
            return self.quoted().map(Value::from);
        }
        if self.eat("/") {
            let (pattern, rest) = self.rest.split_once('/').ok_or_else(|| self.refuse("a closing `/`"))?;
            self.rest = rest;
            return Ok(Value::from(pattern));
        }
        let end = self.rest.find([' ', ')', ']', '&', '|']).unwrap_or(self.rest.len());
        let json = serde_json::from_str::<serde_json::Value>(&self.rest[..end]);
        let Ok(json) = json else { return Err(self.refuse("a text in quotes, a number, true, false or null")) };
        self.rest = &self.rest[end..];
        Ok(json.into())
    }
}
