//! Gives an expression its value.

mod member;
mod node;
mod operand;
mod path;
mod text;

use crate::ast::Node;
use crate::error::{Error, ErrorKind, Fault, Missing, Outcome as Faulty, Pending};
use crate::explain::Tracer;
use crate::limits::{Limits, Meter};
use crate::span::{Cursor, Span};
use crate::template::Part;
use crate::{Condition, Scope, SecretRef, Template, Text, Value};
use jiff::Timestamp;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;
use windlass_diagnostic::Diagnostic;

pub(crate) use operand::{Operand, Standing};

/// Evaluates texts against one context, with one reading of the clock.
pub struct Evaluator<'s> {
    pub(crate) scope: &'s dyn Scope,
    pub(crate) now: Timestamp,
    pub(crate) limits: Limits,
}

/// A result, with everything that its user has to decide about.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<T> {
    pub value: T,
    /// Every path that had no value and counted as `null`. Whether that is fatal depends on the field (pipelines §3.9).
    pub missing: Vec<Missing>,
    /// What works but is probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// Every secret the value holds: check that they may be used.
    pub secrets: Vec<SecretRef>,
}

impl<'s> Evaluator<'s> {
    pub fn new(scope: &'s dyn Scope, now: Timestamp) -> Self {
        Self { scope, now, limits: Limits::default() }
    }

    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Mode *value*: a text that is one expression keeps the type of its result, any other is a string (pipelines §3.2).
    pub fn value(&self, template: &Template) -> Result<Outcome<Value>, Error> {
        let mut run = Run::new(self, template.shared_source());
        let value = run.finish(|run| run.template(template)).map_err(|stop| *stop)?;
        Ok(run.outcome(value))
    }

    /// Mode *text*: every result is spliced into the text around it.
    pub fn text(&self, template: &Template) -> Result<Outcome<Text>, Error> {
        let mut run = Run::new(self, template.shared_source());
        let value = run.finish(|run| run.joined(template)).map_err(|stop| *stop)?;
        Ok(run.outcome(value).map(|value| value.to_text()))
    }

    /// Mode *condition*: the result is a boolean; a missing path counts as `null`, a secret is an error.
    pub fn condition(&self, condition: &Condition) -> Result<Outcome<bool>, Error> {
        let mut run = Run::new(self, condition.shared_source());
        let value = run.finish(|run| run.condition(condition)).map_err(|stop| *stop)?;
        Ok(run.outcome(Value::Bool(value)).map(|_| value))
    }
}

impl<T> Outcome<T> {
    /// The value for strict fields: nothing was missing, or all that was.
    pub fn complete(self) -> Result<T, Vec<Missing>> {
        if self.missing.is_empty() { Ok(self.value) } else { Err(self.missing) }
    }

    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Outcome<U> {
        let Self { value, missing, warnings, secrets } = self;
        Outcome { value: map(value), missing, warnings, secrets }
    }
}

impl std::fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Evaluator").field("now", &self.now).field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Why an evaluation stopped. Boxed, since it is part of every result on a deep stack.
pub(crate) type Stop = Box<Error>;

/// One evaluation under way.
pub(crate) struct Run<'e> {
    scope: &'e dyn Scope,
    now: Timestamp,
    meter: Meter,
    pub(crate) missing: Vec<Missing>,
    pub(crate) pending: Vec<Pending>,
    warnings: Vec<Diagnostic>,
    /// Secrets are refused.
    pub(crate) in_condition: bool,
    /// The clock is not read yet.
    pub(crate) in_advance: bool,
    /// The text that spans count in.
    pub(crate) source: Arc<str>,
    /// Where the expression under way starts.
    near: Cursor,
    /// The variables whose text is being evaluated, outermost first.
    pub(crate) via: Vec<String>,
    depth: usize,
    pub(crate) tracer: Option<Tracer>,
}

impl<'e> Run<'e> {
    pub(crate) fn new(evaluator: &Evaluator<'e>, source: Arc<str>) -> Self {
        Self {
            scope: evaluator.scope,
            now: evaluator.now,
            meter: Meter::new(evaluator.limits),
            missing: Vec::new(),
            pending: Vec::new(),
            warnings: Vec::new(),
            in_condition: false,
            in_advance: false,
            source,
            near: Cursor::START,
            via: Vec::new(),
            depth: 0,
            tracer: None,
        }
    }

    /// Runs to the end. What is not available yet outweighs an error: it may be its consequence.
    pub(crate) fn finish<T>(&mut self, evaluate: impl FnOnce(&mut Self) -> Result<T, Stop>) -> Result<T, Stop> {
        let result = evaluate(self);
        if self.pending.is_empty() {
            return result;
        }
        let pending = distinct(std::mem::take(&mut self.pending));
        Err(Box::new(Fault::from(ErrorKind::NotYet(pending)).into_error(&self.source, Cursor::START, &[])))
    }

    fn outcome(self, value: Value) -> Outcome<Value> {
        let mut secrets: Vec<SecretRef> = value.secrets().into_iter().cloned().collect();
        secrets.sort();
        secrets.dedup();
        let missing = distinct(self.missing);
        Outcome { value, missing, warnings: self.warnings, secrets }
    }

    pub(crate) fn template(&mut self, template: &Template) -> Result<Value, Stop> {
        if let Some((span, parsed)) = template.single() {
            return self.whole(span, parsed);
        }
        self.joined(template)
    }

    /// All parts as one text.
    fn joined(&mut self, template: &Template) -> Result<Value, Stop> {
        template.too_much().map_err(|fault| self.error(fault))?;
        let mut text = Text::new();
        for part in template.parts.iter() {
            match part {
                Part::Literal(span) => text.push_str(span.of(template.source())),
                Part::Expression(span, parsed) => text.push(&self.whole(*span, parsed)?.to_text()),
            }
            if text.size() > self.meter.limits().text_bytes {
                let limit = self.meter.limits().text_bytes;
                return Err(self.error(ErrorKind::Limit { what: "the text", limit }.into()));
            }
        }
        Ok(text.into())
    }

    /// One `<+…>` of the text.
    pub(crate) fn whole(&mut self, span: Span, parsed: &Faulty<Node>) -> Result<Value, Stop> {
        self.near = self.near.to(&self.source, span.start);
        match parsed {
            Ok(node) => self.expression(node),
            Err(fault) => Err(self.error(fault.clone().at(span))),
        }
    }

    pub(crate) fn condition(&mut self, condition: &Condition) -> Result<bool, Stop> {
        self.in_condition = true;
        let span = Span::new(0, condition.source().len());
        let value = self.whole(span, &condition.program)?;
        crate::operators::to_bool(&value).map_err(|fault| self.error(fault.at(span)))
    }

    /// The value of a program, small enough to be a result.
    pub(crate) fn expression(&mut self, node: &Node) -> Result<Value, Stop> {
        let value = self.value(node)?;
        self.admit(value, node.span)
    }

    pub(crate) fn admit(&mut self, value: Value, span: Span) -> Result<Value, Stop> {
        self.meter.admit(value).map_err(|fault| self.error(fault.at(span)))
    }

    /// Gives a problem its place; when a path was missing on the way, that is the likely reason.
    pub(crate) fn error(&self, fault: Fault) -> Stop {
        let mut error = fault.into_error(&self.source, self.near, &self.via);
        if error.remedy.is_none() {
            let helpful = self.missing.iter().rev().find(|missing| missing.remedy.is_some());
            error.remedy = helpful.or(self.missing.last()).map(|missing| match &missing.remedy {
                Some(remedy) => format!("`{}` has no value: {remedy}", missing.expression),
                None => format!("`{}` has no value", missing.expression),
            });
        }
        Box::new(error)
    }

    pub(crate) fn place(&self, span: Span) -> Cursor {
        self.near.to(&self.source, span.start)
    }

    pub(crate) fn note_missing(&mut self, expression: String, span: Span, remedy: Option<String>) {
        let Cursor { line, column, .. } = self.place(span);
        self.missing.push(Missing { expression, line, column, via: self.via.clone(), remedy });
    }

    fn warn(&mut self, code: &'static str, span: Span, message: &str) {
        let Cursor { line, column, .. } = self.place(span);
        let place = windlass_diagnostic::Place::new("", line, column);
        let warning = Diagnostic::warning(code, message).at(place);
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// The entries without repetitions, in their order.
pub(crate) fn distinct<T: Clone + Eq + Hash>(entries: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    entries.into_iter().filter(|entry| seen.insert(entry.clone())).collect()
}
