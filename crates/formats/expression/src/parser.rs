//! Builds the tree of one expression: JEXL without statements (pipelines §3.4).

mod primary;

use crate::ast::{Kind, Node, Operator};
use crate::error::{ErrorKind, Fault, Outcome, shorten};
use crate::lexer::{Lexer, Source, Token};
use crate::limits::EXPRESSION_BYTES;
use crate::span::Span;

/// Parses `start..end` of the source as one whole expression.
pub(crate) fn program(source: &mut Source<'_>, start: usize, end: usize) -> Outcome<Node> {
    let whole = Span::new(start, end);
    if end - start > EXPRESSION_BYTES {
        return Err(Fault::from(ErrorKind::Limit { what: "the expression", limit: EXPRESSION_BYTES }).at(whole));
    }
    if whole.of(source.text).trim().is_empty() {
        return Err(Fault::syntax(whole, "the expression is empty"));
    }
    source.enter(whole)?;
    let result = whole_expression(source, whole);
    source.leave();
    result
}

fn whole_expression(source: &mut Source<'_>, whole: Span) -> Outcome<Node> {
    let lexer = Lexer::new(source, whole.start, whole.end);
    let mut parser = Parser { lexer, token: Token::End, span: whole, last: whole.start };
    parser.advance()?;
    let node = parser.expression()?;
    match parser.token {
        Token::End => Ok(node),
        _ => Err(parser.unexpected("an operator or the end of the expression")),
    }
}

struct Parser<'s, 't> {
    lexer: Lexer<'s, 't>,
    token: Token,
    span: Span,
    /// Where the token before ended.
    last: usize,
}

impl Parser<'_, '_> {
    /// Takes the current token and reads the next.
    fn advance(&mut self) -> Outcome<Token> {
        let (token, span) = self.lexer.next()?;
        self.last = self.span.end;
        self.span = span;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn at(&self, c: char) -> bool {
        matches!(self.token, Token::Punctuation(p) if p == c)
    }

    fn take(&mut self, c: char) -> Outcome<bool> {
        let here = self.at(c);
        if here {
            self.advance()?;
        }
        Ok(here)
    }

    fn expect(&mut self, c: char) -> Outcome<()> {
        if self.take(c)? { Ok(()) } else { Err(self.unexpected(&format!("`{c}`"))) }
    }

    fn unexpected(&self, expected: &str) -> Fault {
        let found = match self.token {
            Token::End => "the expression ends".to_owned(),
            _ => format!("found `{}`", shorten(self.span.of(self.lexer.source.text))),
        };
        Fault::syntax(self.span, format!("expected {expected}, but {found}"))
    }

    /// Runs something one level deeper, unless that is too deep.
    fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let span = self.span;
        self.lexer.source.enter(span)?;
        let result = run(self);
        self.lexer.source.leave();
        result
    }

    /// `a ? b : c`, `a ?: b`, or what binds tighter.
    fn expression(&mut self) -> Outcome<Node> {
        self.deeper(|parser| {
            let value = Box::new(parser.binary(0)?);
            if matches!(parser.token, Token::Elvis) {
                parser.advance()?;
                let otherwise = Box::new(parser.expression()?);
                let span = value.span.to(otherwise.span);
                return Ok(Node { kind: Kind::Elvis { value, otherwise }, span });
            }
            if parser.take('?')? {
                let yes = Box::new(parser.expression()?);
                parser.expect(':')?;
                let no = Box::new(parser.expression()?);
                let span = value.span.to(no.span);
                return Ok(Node { kind: Kind::Ternary { condition: value, yes, no }, span });
            }
            Ok(*value)
        })
    }

    /// Operators that bind at least as tight as `level`.
    fn binary(&mut self, level: u8) -> Outcome<Node> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator().filter(|operator| operator.level() >= level) {
            self.advance()?;
            let right = self.deeper(|parser| parser.binary(operator.level() + 1))?;
            left = join(left, operator, right);
        }
        Ok(left)
    }

    fn operator(&self) -> Option<Operator> {
        match &self.token {
            Token::Operator(operator) => Some(*operator),
            Token::Word(word) => Lexer::word_operator(word),
            _ => None,
        }
    }
}

/// Adds an operand to a chain of the same precedence, or starts one.
fn join(left: Node, operator: Operator, right: Node) -> Node {
    let span = left.span.to(right.span);
    match left.kind {
        Kind::Binary { first, mut rest } if rest.last().is_some_and(|(last, _)| last.level() == operator.level()) => {
            rest.push((operator, right));
            Node { kind: Kind::Binary { first, rest }, span }
        }
        kind => {
            let first = Box::new(Node { kind, span: left.span });
            Node { kind: Kind::Binary { first, rest: vec![(operator, right)] }, span }
        }
    }
}
