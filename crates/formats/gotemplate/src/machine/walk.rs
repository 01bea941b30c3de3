use super::{Fault, Machine};
use crate::ast::{Name, Node, Pipe};
use crate::code;
use crate::print;
use crate::source::Offset;
use crate::value::Value;
use std::sync::Arc;

/// How a list of nodes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
}

impl Machine<'_> {
    pub(super) fn walk(&mut self, dot: &Value, nodes: &[Node]) -> Result<Flow, Fault> {
        for node in nodes {
            let flow = match node {
                Node::Text { at, end } => {
                    if let Some(source) = self.frames.last().map(|frame| Arc::clone(&frame.template.source)) {
                        self.write(source.text(*at, *end), *at)?;
                    }
                    Flow::Next
                }
                Node::Action(pipe) => {
                    let value = self.pipeline(dot, pipe)?;
                    if pipe.variables.is_empty() {
                        self.print(&value, pipe.at)?;
                    }
                    Flow::Next
                }
                Node::Branch { with, arms, otherwise } => {
                    let at = arms.first().map_or(0, |arm| arm.pipe.at);
                    let mark = self.variables.len();
                    let flow = self.nested(at, |machine| machine.branch(dot, *with, arms, otherwise))?;
                    self.variables.truncate(mark);
                    flow
                }
                Node::Range { pipe, body, otherwise } => {
                    let mark = self.variables.len();
                    let flow = self.nested(pipe.at, |machine| machine.range(dot, pipe, body, otherwise))?;
                    self.variables.truncate(mark);
                    flow
                }
                Node::Template { at, name, pipe } => {
                    self.count(1, *at)?;
                    self.template(dot, *at, name, pipe.as_ref())?;
                    Flow::Next
                }
                Node::Break => Flow::Break,
                Node::Continue => Flow::Continue,
            };
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn branch(&mut self, dot: &Value, with: bool, arms: &[crate::ast::Arm], otherwise: &[Node]) -> Result<Flow, Fault> {
        for arm in arms {
            let value = self.pipeline(dot, &arm.pipe)?;
            if value.truth() {
                return self.walk(if with { &value } else { dot }, &arm.body);
            }
        }
        self.walk(dot, otherwise)
    }

    fn template(&mut self, dot: &Value, at: Offset, name: &Name, pipe: Option<&Pipe>) -> Result<(), Fault> {
        let template = self.find(name).ok_or_else(|| self.no_template(at, name))?;
        let dot = match pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Value::Missing,
        };
        self.nested(at, |machine| machine.run(&template, &dot, at))
    }

    pub(crate) fn no_template(&self, at: Offset, name: &str) -> Fault {
        let fault = self.fault(code::EXECUTION, at, format!("template {name:?} not defined"));
        let names = self.own.iter().chain([self.set]).flat_map(|set| set.keys().map(|known| &**known));
        Box::new(fault.nearest_of(name, names))
    }

    fn range(&mut self, dot: &Value, pipe: &Pipe, body: &[Node], otherwise: &[Node]) -> Result<Flow, Fault> {
        let value = self.pipeline(dot, pipe)?;
        // What `range` declares belongs to each turn; the pipeline declared it once for all of them.
        let mark = self.variables.len();
        let turns: Box<dyn Iterator<Item = (Value, Value)>> = match value {
            Value::Missing | Value::Nil => Box::new(std::iter::empty()),
            Value::Int(_) | Value::Int64(_) if pipe.variables.len() > 1 => {
                return Err(self.fault(code::EXECUTION, pipe.at, "`range` over a number has one variable"));
            }
            Value::Int(n) => Box::new((0..n).map(|i| (Value::Missing, Value::Int(i)))),
            Value::Int64(n) => Box::new((0..n).map(|i| (Value::Missing, Value::Int64(i)))),
            Value::List(list) => Box::new((0..list.len()).map(move |index| {
                let index_value = Value::Int(i64::try_from(index).unwrap_or(i64::MAX));
                (index_value, list.get(index).cloned().unwrap_or(Value::Nil))
            })),
            Value::Bytes(bytes) if !bytes.is_text => {
                let numbers: Vec<Value> = bytes.data.iter().map(|byte| Value::Int(i64::from(*byte))).collect();
                Box::new((0..).map(Value::Int).zip(numbers))
            }
            Value::Map(map) => Box::new(map.entries().into_iter().map(|(name, value)| (Value::Text(name), value))),
            other => {
                let message = format!("range can't iterate over a value of type {}", other.type_name());
                return Err(self.fault(code::EXECUTION, pipe.at, message));
            }
        };
        let mut empty = true;
        for (key, item) in turns {
            empty = false;
            self.count(1, pipe.at)?;
            self.declare(pipe, key, &item);
            let flow = self.walk(&item, body)?;
            self.variables.truncate(mark);
            if flow == Flow::Break {
                break;
            }
        }
        if empty { self.walk(dot, otherwise) } else { Ok(Flow::Next) }
    }

    /// Two variables are key and item, one is the item.
    fn declare(&mut self, pipe: &Pipe, key: Value, item: &Value) {
        let values = match pipe.variables.len() {
            0 => return,
            1 => vec![item.clone()],
            _ => vec![key, item.clone()],
        };
        for (name, value) in pipe.variables.iter().zip(values) {
            self.assign(name, value);
        }
    }

    fn print(&mut self, value: &Value, at: Offset) -> Result<(), Fault> {
        match value {
            Value::Missing | Value::Nil => self.write(self.options.no_value, at),
            Value::Text(text) => self.write(text, at),
            other => {
                if let Some(text) = other.shown() {
                    let text = text.map_err(|problem| self.fault(code::EXECUTION, at, problem))?;
                    return self.print(&text, at);
                }
                let room = self.limits.output.saturating_sub(self.outer + self.out.len());
                let text = print::value(other, room).map_err(|problem| self.fault(code::LIMIT, at, problem))?;
                self.write(&text, at)
            }
        }
    }
}
