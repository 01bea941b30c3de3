//! Tells what an expression saw: every part with its place, and its value or why it has none.

mod show;

use crate::ast::{Kind, Node};
use crate::error::Error;
use crate::evaluate::{Evaluator, Operand, Run, Stop};
use crate::span::{Cursor, Span};
use crate::{Condition, Template, Value};

/// How a text got its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub result: Result<Value, Error>,
    pub steps: Vec<Trace>,
}

/// One part of an expression, with the parts that it is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// As it is written.
    pub text: String,
    /// Counted from 1, in the text that holds it.
    pub line: u32,
    pub column: u32,
    /// Set when this is the text of a variable that was evaluated in turn: the variable's path.
    pub variable: Option<String>,
    pub seen: Seen,
    pub parts: Vec<Trace>,
}

/// What came out of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Value(Value),
    /// There is nothing at this path; it counted as null.
    Missing(Option<String>),
    /// The scope cannot answer now; its reference.
    NotYet(String),
    /// The reason.
    Failed(String),
}

impl Evaluator<'_> {
    /// Evaluates in mode *value* and keeps what was seen on the way.
    pub fn explain(&self, template: &Template) -> Explanation {
        let mut run = Run::new(self, template.shared_source());
        run.tracer = Some(Tracer::default());
        let result = run.finish(|run| run.template(template)).map_err(|stop| *stop);
        Explanation { result, steps: run.tracer.take().unwrap_or_default().done }
    }

    /// Evaluates a condition and keeps what was seen on the way.
    pub fn explain_condition(&self, condition: &Condition) -> Explanation {
        let mut run = Run::new(self, condition.shared_source());
        run.tracer = Some(Tracer::default());
        let result = run.finish(|run| run.condition(condition)).map(Value::Bool).map_err(|stop| *stop);
        Explanation { result, steps: run.tracer.take().unwrap_or_default().done }
    }
}

/// Collects traces while an evaluation is under way.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    open: Vec<Trace>,
    done: Vec<Trace>,
    count: usize,
}

/// What was noted when a part was entered.
pub(crate) struct Mark {
    missing: usize,
    pending: usize,
}

/// Parts beyond this number are evaluated and not kept.
const MOST: usize = 5_000;

impl Run<'_> {
    pub(crate) fn enter_node(&mut self, node: &Node) -> Option<Mark> {
        // A literal explains itself, and `<+…>` is what is in it.
        if matches!(node.kind, Kind::Literal(_) | Kind::Nested(_)) {
            return None;
        }
        let (text, span) = (node.span.of(&self.source).to_owned(), node.span);
        self.enter(text, span, None)
    }

    pub(crate) fn leave_node(&mut self, mark: Option<Mark>, result: &Result<Operand, Stop>) {
        self.leave(mark, |absent| match result {
            Ok(operand) if operand.is_absent() => absent,
            Ok(operand) => Seen::Value(operand.value.clone()),
            Err(error) => Seen::Failed(error.kind.to_string()),
        });
    }

    pub(crate) fn enter_text(&mut self, path: &str, text: &str) -> Option<Mark> {
        self.enter(text.to_owned(), Span::new(0, 0), Some(path.to_owned()))
    }

    pub(crate) fn leave_text(&mut self, mark: Option<Mark>, result: &Result<Value, Stop>) {
        self.leave(mark, |_| match result {
            Ok(value) => Seen::Value(value.clone()),
            Err(error) => Seen::Failed(error.kind.to_string()),
        });
    }

    fn enter(&mut self, text: String, span: Span, variable: Option<String>) -> Option<Mark> {
        if self.tracer.as_ref()?.count >= MOST {
            return None;
        }
        let Cursor { line, column, .. } = self.place(span);
        let tracer = self.tracer.as_mut()?;
        tracer.count += 1;
        tracer.open.push(Trace { text, line, column, variable, seen: Seen::Value(Value::Null), parts: Vec::new() });
        Some(Mark { missing: self.missing.len(), pending: self.pending.len() })
    }

    fn leave(&mut self, mark: Option<Mark>, seen: impl FnOnce(Seen) -> Seen) {
        let Some(mark) = mark else { return };
        let pending = self.pending.get(mark.pending..).and_then(<[_]>::last).map(|p| Seen::NotYet(p.reference.clone()));
        let remedy = self.missing.get(mark.missing..).and_then(<[_]>::last).and_then(|missing| missing.remedy.clone());
        let seen = seen(pending.unwrap_or(Seen::Missing(remedy)));
        let Some(tracer) = self.tracer.as_mut() else { return };
        let Some(mut trace) = tracer.open.pop() else { return };
        trace.seen = seen;
        match tracer.open.last_mut() {
            Some(parent) => parent.parts.push(trace),
            None => tracer.done.push(trace),
        }
    }
}
