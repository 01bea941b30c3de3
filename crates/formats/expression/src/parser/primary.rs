//! Values and what follows them.

use super::Parser;
use crate::ast::{Kind, Link, LinkKind, Node, TextPart, Unary};
use crate::error::{ErrorKind, Fault, Outcome};
use crate::lexer::Token;
use crate::span::Span;
use crate::value::Value;

/// Words that start a statement in JEXL.
const RESERVED: &[&str] = &[
    "if", "else", "for", "foreach", "while", "do", "var", "let", "const", "new", "return", "function", "break",
    "continue", "try", "catch", "throw", "switch", "import", "pragma",
];

impl Parser<'_, '_> {
    /// `!a`, `not a`, `-a`, `+a`, `~a`, or a value with what follows it.
    pub(super) fn unary(&mut self) -> Outcome<Node> {
        use crate::ast::Operator;
        let operator = match &self.token {
            Token::Punctuation('!') => Unary::Not,
            Token::Punctuation('~') => Unary::Complement,
            Token::Operator(Operator::Subtract) => Unary::Minus,
            Token::Operator(Operator::Add) => Unary::Plus,
            Token::Word(word) if word.plain() == Some("not") => Unary::Not,
            _ => return self.postfix(),
        };
        let start = self.span;
        self.advance()?;
        let operand = Box::new(self.deeper(Self::unary)?);
        let span = start.to(operand.span);
        Ok(Node { kind: Kind::Unary { operator, operand }, span })
    }

    fn postfix(&mut self) -> Outcome<Node> {
        let base = self.primary()?;
        let start = base.span;
        let mut links = Vec::new();
        loop {
            let kind = match self.token {
                Token::Punctuation('.') => self.member(false)?,
                Token::SafeDot => self.member(true)?,
                Token::Punctuation('[') => {
                    self.advance()?;
                    let index = self.expression()?;
                    self.expect(']')?;
                    LinkKind::Index(index)
                }
                _ => break,
            };
            links.push(Link { kind, span: Span::new(start.start, self.last) });
        }
        if links.is_empty() {
            return Ok(base);
        }
        let span = Span::new(start.start, self.last);
        Ok(Node { kind: Kind::Chain { base: Box::new(base), links }, span })
    }

    /// What stands after a dot, which is the current token.
    fn member(&mut self, safe: bool) -> Outcome<LinkKind> {
        let (name, span) = self.lexer.member()?;
        self.span = span;
        self.advance()?;
        if !self.at('(') {
            return Ok(LinkKind::Member { name, safe });
        }
        let Some(method) = name.plain() else {
            return Err(Fault::syntax(span, "the name of a method cannot be an expression"));
        };
        let method = method.to_owned();
        Ok(LinkKind::Method { name: method, arguments: self.arguments()?, safe })
    }

    /// `(a, b)`
    fn arguments(&mut self) -> Outcome<Vec<Node>> {
        self.expect('(')?;
        self.items(')')
    }

    /// Expressions between commas, up to and with `close`.
    fn items(&mut self, close: char) -> Outcome<Vec<Node>> {
        let mut items = Vec::new();
        if self.take(close)? {
            return Ok(items);
        }
        loop {
            items.push(self.expression()?);
            if self.take(close)? {
                return Ok(items);
            }
            if !self.take(',')? {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn primary(&mut self) -> Outcome<Node> {
        let start = self.span;
        if matches!(self.token, Token::End) {
            return Err(self.unexpected("a value"));
        }
        let kind = match self.advance()? {
            Token::Int(number) => Kind::Literal(Value::Int(number)),
            Token::Float(number) => Kind::Literal(Value::Float(number)),
            Token::Text(parts) => match parts.as_slice() {
                [TextPart::Literal(text)] => Kind::Literal(Value::string(text.as_str())),
                _ => Kind::Text(parts),
            },
            Token::Nested(node) => Kind::Nested(Box::new(node)),
            Token::Word(word) => match word.plain() {
                Some("true") => Kind::Literal(Value::Bool(true)),
                Some("false") => Kind::Literal(Value::Bool(false)),
                Some("null") => Kind::Literal(Value::Null),
                Some(name) if RESERVED.contains(&name) => {
                    return Err(Fault::from(ErrorKind::Script(format!("`{name}`"))).at(start));
                }
                Some(name) if self.at('(') => {
                    let name = name.to_owned();
                    Kind::Call { name, arguments: self.arguments()? }
                }
                _ => Kind::Name(word),
            },
            Token::Punctuation('(') => {
                let inner = self.expression()?;
                self.expect(')')?;
                inner.kind
            }
            Token::Punctuation('[') => Kind::List(self.items(']')?),
            Token::Punctuation('{') => self.braces()?,
            _ => {
                let text = start.of(self.lexer.source.text);
                return Err(Fault::syntax(start, format!("expected a value, but found `{text}`")));
            }
        };
        Ok(Node { kind, span: Span::new(start.start, self.last) })
    }

    /// `{:}`, `{"k": v}` or `{1, 2}`, after the brace.
    fn braces(&mut self) -> Outcome<Kind> {
        if self.take(':')? {
            self.expect('}')?;
            return Ok(Kind::Map(Vec::new()));
        }
        if self.take('}')? {
            return Ok(Kind::Set(Vec::new()));
        }
        let first = self.expression()?;
        if !self.at(':') {
            let mut items = vec![first];
            if self.take(',')? {
                items.extend(self.items('}')?);
            } else {
                self.expect('}')?;
            }
            return Ok(Kind::Set(items));
        }
        let mut entries = Vec::new();
        let mut key = first;
        loop {
            self.expect(':')?;
            entries.push((key, self.expression()?));
            if self.take('}')? {
                return Ok(Kind::Map(entries));
            }
            if !self.take(',')? {
                return Err(self.unexpected("`,` or `}`"));
            }
            key = self.expression()?;
        }
    }
}
