//! Texts with expressions in them, parsed once.

use crate::ast::Node;
use crate::error::{Error, ErrorKind, Fault, Outcome};
use crate::lexer::Source;
use crate::limits::EXPRESSIONS;
use crate::parser;
use crate::scan::{OPEN, Scanner, opening};
use crate::span::{Cursor, Span};
use std::sync::Arc;

/// A text of a document with expressions in it (pipelines §3.1, §3.2).
///
/// Parsing never fails: what is not balanced is literal text. What is wrong inside an expression is told by
/// [`problems`](Template::problems), and again when it is evaluated.
#[derive(Clone, Debug)]
pub struct Template {
    source: Arc<str>,
    pub(crate) parts: Arc<[Part]>,
    gave_up: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Literal(Span),
    /// With the span of the whole `<+…>`.
    Expression(Span, Outcome<Node>),
}

impl Template {
    pub fn parse(text: &str) -> Self {
        let mut scanner = Scanner::new();
        let mut parts = Vec::new();
        let (mut literal, mut at) = (0, 0);
        let mut expressions = 0;
        while let Some(open) = opening(text, at, text.len()).filter(|_| expressions <= EXPRESSIONS) {
            at = open + OPEN.len();
            let Some(close) = scanner.closing(text, open, text.len()) else { continue };
            if literal < open {
                parts.push(Part::Literal(Span::new(literal, open)));
            }
            let parsed = parser::program(&mut Source::new(text, &mut scanner), open + OPEN.len(), close);
            parts.push(Part::Expression(Span::new(open, close + 1), parsed));
            at = close + 1;
            literal = at;
            expressions += 1;
        }
        if literal < text.len() {
            parts.push(Part::Literal(Span::new(literal, text.len())));
        }
        let gave_up = scanner.gave_up() || expressions > EXPRESSIONS;
        Self { source: text.into(), parts: parts.into(), gave_up }
    }

    /// The text as it was parsed.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn shared_source(&self) -> Arc<str> {
        Arc::clone(&self.source)
    }

    /// There is no expression in it: it stands for itself.
    pub fn is_literal(&self) -> bool {
        !self.parts.iter().any(|part| matches!(part, Part::Expression(..)))
    }

    /// The whole text, blanks aside, is one expression, so that its value keeps its type.
    pub fn is_single_expression(&self) -> bool {
        self.single().is_some()
    }

    pub(crate) fn single(&self) -> Option<(Span, &Outcome<Node>)> {
        let mut single = None;
        for part in self.parts.iter() {
            match part {
                Part::Literal(span) if span.of(&self.source).trim().is_empty() => {}
                Part::Expression(span, parsed) if single.is_none() => single = Some((*span, parsed)),
                _ => return None,
            }
        }
        single
    }

    /// Every expression that cannot be parsed.
    pub fn problems(&self) -> Vec<Error> {
        let parts = self.parts.iter().filter_map(|part| match part {
            Part::Expression(span, Err(fault)) => Some(fault.clone().at(*span)),
            _ => None,
        });
        let mut near = Cursor::START;
        let mut problems = Vec::new();
        for fault in parts.chain(self.too_much().err()) {
            near = near.to(&self.source, fault.span().start);
            problems.push(fault.into_error(&self.source, near, &[]));
        }
        problems
    }

    /// Refuses a text that was not read to its end.
    pub(crate) fn too_much(&self) -> Outcome<()> {
        if !self.gave_up {
            return Ok(());
        }
        let what = "the number of expressions, or of `<+` that are never closed, in one text";
        Err(Fault::from(ErrorKind::Limit { what, limit: EXPRESSIONS }))
    }
}

impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// A text that is one program as a whole, with or without `<+…>` around it (pipelines §3.2): `when.condition`,
/// `assertion`, criteria. Its result is a boolean.
#[derive(Clone, Debug)]
pub struct Condition {
    source: Arc<str>,
    pub(crate) program: Outcome<Node>,
}

impl Condition {
    pub fn parse(text: &str) -> Self {
        let mut scanner = Scanner::new();
        let mut program = parser::program(&mut Source::new(text, &mut scanner), 0, text.len());
        if scanner.gave_up() {
            let what = "the number of `<+` that are never closed";
            program = Err(ErrorKind::Limit { what, limit: EXPRESSIONS }.into());
        }
        Self { source: text.into(), program }
    }

    /// The text as it was parsed.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn shared_source(&self) -> Arc<str> {
        Arc::clone(&self.source)
    }

    /// What makes it invalid whatever its context holds: it cannot be parsed, or it asks for a secret.
    pub fn problems(&self) -> Vec<Error> {
        let faults = match &self.program {
            Err(fault) => vec![fault.clone()],
            Ok(_) => self
                .references()
                .secrets
                .into_iter()
                .map(|secret| {
                    let name = secret.name.as_ref().map_or_else(|| "…".to_owned(), ToString::to_string);
                    Fault::from(ErrorKind::SecretInCondition(name)).at(secret.span)
                })
                .collect(),
        };
        faults.into_iter().map(|fault| fault.into_error(&self.source, Cursor::START, &[])).collect()
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}
