//! From text to expressions.

use super::function::Function;
use super::token::{Token, tokens};
use super::{Expr, Grouping, QueryError, Selector, aggregate, binary};
use crate::labels::{Matcher, NAME, Test};
use windlass_model::Millis;

/// The longest query, bytes.
const LENGTH: usize = 64 << 10;
/// How deep expressions may be nested.
const DEPTH: usize = 100;

/// Words that could stand where a metric name may, but mean something else in the language.
const KEYWORDS: [&str; 12] =
    ["by", "without", "on", "ignoring", "offset", "bool", "group_left", "group_right", "and", "or", "unless", "atan2"];

pub(crate) fn parse(text: &str) -> Result<Expr, QueryError> {
    let mut parser = Parser::new(text)?;
    let expr = parser.expression(0, 0)?;
    match parser.next() {
        (Token::End, _) => Ok(expr),
        (token, column) => Err(unexpected(&token, column)),
    }
}

/// A bare selector, as `match[]` takes it.
pub(crate) fn parse_selector(text: &str) -> Result<Vec<Matcher>, QueryError> {
    match parse(text)? {
        Expr::Selector(selector) if selector.offset == Millis::ZERO => Ok(selector.matchers),
        _ => Err(QueryError::Parse { column: 1, message: "expected a series selector".to_owned() }),
    }
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
}

fn unexpected(token: &Token, column: usize) -> QueryError {
    QueryError::Parse { column, message: format!("unexpected {}", token.describe()) }
}

fn selector(matchers: Vec<Matcher>) -> Expr {
    Expr::Selector(Selector { matchers, offset: Millis::ZERO })
}

impl Parser {
    fn new(text: &str) -> Result<Self, QueryError> {
        if text.len() > LENGTH {
            let message = format!("the query is longer than {LENGTH} bytes");
            return Err(QueryError::Parse { column: 1, message });
        }
        Ok(Self { tokens: tokens(text)?, at: 0 })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn column(&self) -> usize {
        self.tokens[self.at].1
    }

    fn next(&mut self) -> (Token, usize) {
        let token = self.tokens[self.at].clone();
        // The end stays where it is.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn take(&mut self, sign: &'static str) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(found) if found.eq_ignore_ascii_case(word));
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), QueryError> {
        if self.take(sign) { Ok(()) } else { Err(unexpected(self.peek(), self.column())) }
    }

    /// Operators that bind at least as tight as `least`, from the left.
    fn expression(&mut self, least: u8, depth: usize) -> Result<Expr, QueryError> {
        if depth > DEPTH {
            let message = format!("expressions are nested deeper than {DEPTH}");
            return Err(QueryError::Parse { column: self.column(), message });
        }
        let mut left = self.unary(depth)?;
        loop {
            let column = self.column();
            let word = match self.peek() {
                Token::Sign(sign) => (*sign).to_owned(),
                Token::Word(word) => word.to_ascii_lowercase(),
                _ => return Ok(left),
            };
            if let Some(what) = binary::not_offered(&word) {
                return Err(QueryError::NotOffered { column, what: format!("operator {what:?}") });
            }
            let Some(op) = binary::Op::of(&word).filter(|op| op.binding() >= least) else { return Ok(left) };
            self.next();
            let matching = self.matching()?;
            let right = self.expression(op.binding() + 1, depth + 1)?;
            for side in [&left, &right] {
                if matches!(side, Expr::Range(..)) {
                    let message = "binary expression must contain only scalar and instant vector types".to_owned();
                    return Err(QueryError::Parse { column, message });
                }
            }
            left = Expr::Binary { op, matching, left: Box::new(left), right: Box::new(right) };
        }
    }

    fn matching(&mut self) -> Result<Grouping, QueryError> {
        let column = self.column();
        if self.take_word("bool") {
            return Err(QueryError::NotOffered { column, what: "modifier \"bool\"".to_owned() });
        }
        let grouping = if self.take_word("on") {
            Grouping::Only(self.names()?)
        } else if self.take_word("ignoring") {
            Grouping::Without(self.names()?)
        } else {
            return Ok(Grouping::Without(Vec::new()));
        };
        let column = self.column();
        for word in ["group_left", "group_right"] {
            if self.take_word(word) {
                return Err(QueryError::NotOffered { column, what: format!("modifier {word:?}") });
            }
        }
        Ok(grouping)
    }

    /// `(a, b)`
    fn names(&mut self) -> Result<Vec<String>, QueryError> {
        self.expect("(")?;
        let mut names = Vec::new();
        while !self.take(")") {
            match self.next() {
                (Token::Word(word), _) => names.push(word),
                (token, column) => return Err(unexpected(&token, column)),
            }
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(names)
    }

    fn unary(&mut self, depth: usize) -> Result<Expr, QueryError> {
        if self.take("-") {
            // Tighter than every operator that is offered.
            return Ok(Expr::Negative(Box::new(self.expression(u8::MAX, depth + 1)?)));
        }
        if self.take("+") {
            return self.expression(u8::MAX, depth + 1);
        }
        let expr = self.primary(depth)?;
        self.suffixes(expr)
    }

    fn primary(&mut self, depth: usize) -> Result<Expr, QueryError> {
        match self.next() {
            (Token::Number(number), _) => Ok(Expr::Number(number)),
            (Token::Sign("("), _) => {
                let inner = self.expression(0, depth + 1)?;
                self.expect(")")?;
                Ok(inner)
            }
            (Token::Sign("{"), column) => self.selector(None, column),
            (Token::Word(word), column) => self.word(word, column, depth),
            (token @ Token::Text(_), column) => {
                Err(QueryError::NotOffered { column, what: format!("a {} as an expression", token.describe()) })
            }
            (token, column) => Err(unexpected(&token, column)),
        }
    }

    /// A number, an aggregation, a call or a metric.
    fn word(&mut self, word: String, column: usize, depth: usize) -> Result<Expr, QueryError> {
        let lower = word.to_ascii_lowercase();
        if matches!(lower.as_str(), "inf" | "nan") {
            return Ok(Expr::Number(if lower == "inf" { f64::INFINITY } else { f64::NAN }));
        }
        let is_called = *self.peek() == Token::Sign("(");
        let is_grouped =
            matches!(self.peek(), Token::Word(next) if ["by", "without"].contains(&next.to_ascii_lowercase().as_str()));
        if let Some(op) = aggregate::Op::of(&lower).filter(|_| is_called || is_grouped) {
            return self.aggregation(op, depth);
        }
        if is_called {
            let what = if aggregate::is_known(&lower) { "aggregation" } else { "function" };
            let function = Function::of(&word)
                .ok_or_else(|| QueryError::NotOffered { column, what: format!("{what} {word:?}") })?;
            let args = self.arguments(depth)?;
            function.check(&args, column)?;
            return Ok(Expr::Call(function, args));
        }
        if KEYWORDS.contains(&lower.as_str()) {
            return Err(unexpected(&Token::Word(word), column));
        }
        let column = self.column();
        if self.take("{") { self.selector(Some(word), column) } else { Ok(selector(vec![Matcher::is(NAME, &word)])) }
    }

    fn aggregation(&mut self, op: aggregate::Op, depth: usize) -> Result<Expr, QueryError> {
        let before = self.grouping()?;
        let column = self.column();
        let mut args = self.arguments(depth)?;
        let after = if before.is_none() { self.grouping()? } else { None };
        let (Some(of), true) = (args.pop(), args.is_empty()) else {
            let message = "wrong number of arguments for aggregate expression provided, expected 1".to_owned();
            return Err(QueryError::Parse { column, message });
        };
        if matches!(of, Expr::Range(..) | Expr::Number(_)) {
            let message = "expected type instant vector in aggregation expression".to_owned();
            return Err(QueryError::Parse { column, message });
        }
        let grouping = before.or(after).unwrap_or(Grouping::Only(Vec::new()));
        Ok(Expr::Aggregate { op, grouping, of: Box::new(of) })
    }

    fn grouping(&mut self) -> Result<Option<Grouping>, QueryError> {
        if self.take_word("by") {
            return Ok(Some(Grouping::Only(self.names()?)));
        }
        if self.take_word("without") {
            return Ok(Some(Grouping::Without(self.names()?)));
        }
        Ok(None)
    }

    fn arguments(&mut self, depth: usize) -> Result<Vec<Expr>, QueryError> {
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.take(")") {
            args.push(self.expression(0, depth + 1)?);
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(args)
    }

    /// What stands between braces; the opening one is read.
    fn selector(&mut self, name: Option<String>, column: usize) -> Result<Expr, QueryError> {
        let mut matchers: Vec<Matcher> = name.iter().map(|name| Matcher::is(NAME, name)).collect();
        while !self.take("}") {
            matchers.push(self.matcher()?);
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        if matchers.iter().all(Matcher::fits_nothing) {
            let message = "vector selector must contain at least one non-empty matcher".to_owned();
            return Err(QueryError::Parse { column, message });
        }
        Ok(selector(matchers))
    }

    fn matcher(&mut self) -> Result<Matcher, QueryError> {
        let (name, column) = self.next();
        let Token::Word(name) = name else { return Err(unexpected(&name, column)) };
        let (sign, column) = self.next();
        let Token::Sign(sign @ ("=" | "!=" | "=~" | "!~")) = sign else { return Err(unexpected(&sign, column)) };
        let (text, column) = self.next();
        let Token::Text(text) = text else { return Err(unexpected(&text, column)) };
        let regex = |text: &str| {
            Matcher::expression(text).map_err(|error| QueryError::Parse { column, message: error.to_string() })
        };
        let test = match sign {
            "=" => Test::Is(text),
            "!=" => Test::IsNot(text),
            "=~" => Test::Fits(regex(&text)?),
            _ => Test::FitsNot(regex(&text)?),
        };
        Ok(Matcher { name, test })
    }

    /// `[5m]` and `offset 1h`.
    fn suffixes(&mut self, mut expr: Expr) -> Result<Expr, QueryError> {
        loop {
            let column = self.column();
            if self.take("[") {
                let (Token::Duration(length), _) = self.next() else {
                    return Err(QueryError::Parse { column, message: "expected a duration in the range".to_owned() });
                };
                if self.take(":") {
                    return Err(QueryError::NotOffered { column, what: "a subquery".to_owned() });
                }
                self.expect("]")?;
                let Expr::Selector(selector) = expr else {
                    let message = "ranges only allowed for vector selectors".to_owned();
                    return Err(QueryError::Parse { column, message });
                };
                if length == Millis::ZERO {
                    return Err(QueryError::Parse { column, message: "duration must be greater than 0".to_owned() });
                }
                expr = Expr::Range(selector, length);
            } else if self.take_word("offset") {
                let (Token::Duration(length), _) = self.next() else {
                    return Err(QueryError::Parse { column, message: "expected a duration after offset".to_owned() });
                };
                match &mut expr {
                    Expr::Selector(selector) | Expr::Range(selector, _) => selector.offset = length,
                    _ => {
                        let message = "offset modifier must be preceded by a selector".to_owned();
                        return Err(QueryError::Parse { column, message });
                    }
                }
            } else if *self.peek() == Token::Sign("@") {
                return Err(QueryError::NotOffered { column, what: "modifier \"@\"".to_owned() });
            } else {
                return Ok(expr);
            }
        }
    }
}
