//! Evaluates what is known and leaves the rest for later.

use crate::ast::Node;
use crate::error::{Error, ErrorKind, Fault, Missing, Outcome as Faulty, Pending};
use crate::evaluate::{Evaluator, Run, distinct};
use crate::scan::{OPEN, strict};
use crate::span::Span;
use crate::template::Part;
use crate::{Segment, Template, Text, Value};

/// A text of which some expressions may be left.
#[derive(Clone, Debug, PartialEq)]
pub struct Partial {
    /// When nothing is left: the final value, which must not be parsed again. Else a text to parse and evaluate later.
    pub result: PartialResult,
    /// What is left because a path had no value.
    pub missing: Vec<Missing>,
    /// What is left because the scope cannot answer yet.
    pub pending: Vec<Pending>,
}

/// See [`Partial::result`].
#[derive(Clone, Debug, PartialEq)]
pub enum PartialResult {
    Done(Value),
    /// Safe to evaluate later: data in it that looks like an expression is written as an expression that yields it.
    Open(String),
}

impl Evaluator<'_> {
    /// Replaces every expression that has a value now. What is missing, not available, or reads the clock is kept, and
    /// so is what fails: it will tell why when it is evaluated. Only what cannot be parsed is an error now.
    pub fn partial(&self, template: &Template) -> Result<Partial, Error> {
        let mut run = Run::new(self, template.shared_source());
        run.in_advance = true;
        if let Some(problem) = template.problems().into_iter().next() {
            return Err(problem);
        }
        if let Some((span, parsed)) = template.single()
            && let Some(value) = attempt(&mut run, span, parsed)?
        {
            return Ok(partial(run, PartialResult::Done(value)));
        }
        let mut pieces = Vec::new();
        for part in template.parts.iter() {
            pieces.push(match part {
                Part::Literal(span) => Piece::Text(span.of(template.source()).into()),
                Part::Expression(span, parsed) => match attempt(&mut run, *span, parsed)? {
                    Some(value) => Piece::Text(value.to_text()),
                    None => Piece::Open(kept(span.of(template.source())).map_err(|fault| *run.error(fault.at(*span)))?),
                },
            });
        }
        let mut result = join(pieces);
        if let PartialResult::Open(text) = &mut result
            && !template.is_single_expression()
            && Template::parse(text).is_single_expression()
        {
            // A text stays a text, though all but one of its expressions turned out to be empty.
            text.insert_str(0, "<+\"\">");
        }
        Ok(partial(run, result))
    }

    /// Mode *text* for names, tags and notifications: what is missing or fails stays as it was written (pipelines §3.9).
    ///
    /// The result is final. Parse it again and data may become code; use [`partial`](Self::partial) for that.
    pub fn text_or_verbatim(&self, template: &Template) -> Text {
        let mut run = Run::new(self, template.shared_source());
        let mut text = Text::new();
        for part in template.parts.iter() {
            match part {
                Part::Literal(span) => text.push_str(span.of(template.source())),
                Part::Expression(span, parsed) => match attempt(&mut run, *span, parsed) {
                    Ok(Some(value)) => text.push(&value.to_text()),
                    Ok(None) | Err(_) => text.push_str(span.of(template.source())),
                },
            }
            if text.size() > self.limits.text_bytes {
                return Text::from(template.source());
            }
        }
        text
    }
}

enum Piece {
    Text(Text),
    Open(String),
}

/// The value of one expression, or nothing when it has to be kept.
fn attempt(run: &mut Run<'_>, span: Span, parsed: &Faulty<Node>) -> Result<Option<Value>, Error> {
    let (missing, pending) = (run.missing.len(), run.pending.len());
    match run.whole(span, parsed) {
        Ok(value) if run.missing.len() == missing && run.pending.len() == pending => Ok(Some(value)),
        Err(stop) if matches!(stop.kind, ErrorKind::Limit { .. }) => Err(*stop),
        Ok(_) | Err(_) => Ok(None),
    }
}

fn partial(run: Run<'_>, result: PartialResult) -> Partial {
    Partial { result, missing: distinct(run.missing), pending: distinct(run.pending) }
}

/// An expression as it is written into other text: no blank before its end, so that it ends there whatever follows.
fn kept(expression: &str) -> Faulty<String> {
    let inner = expression.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix('>')).unwrap_or_default();
    let tight = format!("{OPEN}{}>", inner.trim());
    if strict(tight.as_bytes(), OPEN.len()) == Some(tight.len() - 1) {
        return Ok(tight);
    }
    let message = "where this expression ends depends on what follows, so it cannot be kept for later";
    Err(Fault::from(ErrorKind::Syntax(message.into())).remedy("write no blank before the `>` of inner expressions"))
}

/// One text of all pieces, in which no data forms an expression.
fn join(pieces: Vec<Piece>) -> PartialResult {
    if pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
        let mut text = Text::new();
        for piece in &pieces {
            if let Piece::Text(piece) = piece {
                text.push(piece);
            }
        }
        return PartialResult::Done(text.into());
    }
    let mut out = String::new();
    let mut literal = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => {
                for segment in text.segments() {
                    match segment {
                        Segment::Literal(text) => literal.push_str(text),
                        Segment::Secret(secret) => {
                            escape(&mut literal, &mut out);
                            out.push_str(&secret.expression());
                        }
                    }
                }
            }
            Piece::Open(expression) => {
                escape(&mut literal, &mut out);
                out.push_str(&expression);
            }
        }
    }
    escape(&mut literal, &mut out);
    PartialResult::Open(out)
}

/// Moves text over; a `<+` in it becomes an expression that yields `<+`.
fn escape(literal: &mut String, out: &mut String) {
    out.push_str(&literal.replace(OPEN, "<+\"<\">+"));
    literal.clear();
}
