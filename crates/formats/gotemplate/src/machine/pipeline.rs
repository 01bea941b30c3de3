use super::{Fault, Machine};
use crate::ast::{Command, Name, Operand, Pipe, Term};
use crate::code;
use crate::function::Function;
use crate::limits::MissingKey;
use crate::source::Offset;
use crate::value::Value;

/// A value to which fields belong, and how it is called in messages.
struct Receiver<'r> {
    value: Value,
    operand: &'r Operand,
}

impl Machine<'_> {
    /// The value of a pipeline; its variables are declared or assigned.
    pub(super) fn pipeline(&mut self, dot: &Value, pipe: &Pipe) -> Result<Value, Fault> {
        let mut value = None;
        for command in &pipe.commands {
            self.count(1, pipe.at)?;
            value = Some(self.command(dot, command, value)?.dug());
        }
        let value = value.unwrap_or_default();
        for name in &pipe.variables {
            if pipe.assigns {
                self.assign(name, value.clone());
            } else {
                self.variables.push((name.clone(), value.clone()));
            }
        }
        Ok(value)
    }

    /// Gives the innermost variable of a name another value.
    pub(super) fn assign(&mut self, name: &Name, value: Value) {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        let known =
            self.variables.get_mut(base..).unwrap_or_default().iter_mut().rev().find(|(known, _)| known == name);
        if let Some((_, old)) = known {
            *old = value;
        }
    }

    fn variable(&self, name: &Name) -> Value {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        let known = self.variables.get(base..).unwrap_or_default().iter().rev().find(|(known, _)| known == name);
        known.map(|(_, value)| value.clone()).unwrap_or_default()
    }

    fn command(&mut self, dot: &Value, command: &Command, last: Option<Value>) -> Result<Value, Fault> {
        if let Term::Function(function) = command.first.term {
            return self.call(dot, function, &command.first, &command.arguments, last);
        }
        if !command.arguments.is_empty() || last.is_some() {
            if let Some(value) = self.method_call(dot, command, &last)? {
                return Ok(value);
            }
            let piece = self.piece(&command.first);
            let message = format!("`{piece}` is no function and takes no arguments");
            return Err(self.fault(code::EXECUTION, command.first.at, message));
        }
        if matches!(command.first.term, Term::Nil) {
            return Err(self.fault(code::EXECUTION, command.first.at, "`nil` alone is no value"));
        }
        self.operand(dot, &command.first)
    }

    /// A term by itself.
    pub(super) fn operand(&mut self, dot: &Value, operand: &Operand) -> Result<Value, Fault> {
        Ok(match &operand.term {
            Term::Dot => dot.clone(),
            Term::Nil => Value::Nil,
            Term::Bool(b) => Value::Bool(*b),
            Term::Int(i) => Value::Int(*i),
            Term::Float(f) => Value::Float(*f),
            Term::Text(text) => Value::Text(text.clone()),
            Term::Fields(names) => self.fields(Receiver { value: dot.clone(), operand }, names)?,
            Term::Variable(name, names) => self.fields(Receiver { value: self.variable(name), operand }, names)?,
            Term::Pipe(pipe) => self.parentheses(dot, pipe)?,
            Term::Chain(first, names) => {
                let value = match &first.term {
                    Term::Function(function) => self.bare(dot, function, first)?.dug(),
                    _ => self.operand(dot, first)?,
                };
                self.fields(Receiver { value, operand }, names)?
            }
            Term::Function(function) => self.bare(dot, function, operand)?,
        })
    }

    /// A function without arguments, in the place of a value.
    fn bare(&mut self, dot: &Value, function: &'static Function, operand: &Operand) -> Result<Value, Fault> {
        self.count(1, operand.at)?;
        self.call(dot, function, operand, &[], None)
    }

    fn parentheses(&mut self, dot: &Value, pipe: &Pipe) -> Result<Value, Fault> {
        self.nested(pipe.at, |machine| machine.pipeline(dot, pipe))
    }

    /// `.a.b.method x y`: fields up to the last name, which is a method.
    fn method_call(&mut self, dot: &Value, command: &Command, last: &Option<Value>) -> Result<Option<Value>, Fault> {
        let operand = &command.first;
        let (value, names) = match &operand.term {
            Term::Fields(names) => (dot.clone(), names),
            Term::Variable(name, names) if !names.is_empty() => (self.variable(name), names),
            Term::Chain(inner, names) => (self.operand(dot, inner)?.dug(), names),
            _ => return Ok(None),
        };
        let Some((method, before)) = names.split_last() else { return Ok(None) };
        let receiver = self.fields(Receiver { value, operand }, before)?;
        let mut arguments = Vec::with_capacity(command.arguments.len() + 1);
        for argument in &command.arguments {
            arguments.push(self.operand(dot, argument)?);
        }
        arguments.extend(last.clone());
        let Some(methods) = receiver.methods() else {
            let message = format!("{method} is not a method but has arguments: `{}`", self.piece(operand));
            return Err(self.fault(code::EXECUTION, operand.at, message));
        };
        match methods(&receiver, method, &arguments) {
            Some(result) => {
                result.map(Some).map_err(|problem| self.at_call(operand.at, format!("`{method}`: {problem}")))
            }
            None => {
                let message = format!("{method} is not a method but has arguments: `{}`", self.piece(operand));
                Err(self.fault(code::EXECUTION, operand.at, message))
            }
        }
    }

    /// `.a.b.c`, link by link. A method goes before a key of the same name.
    fn fields(&mut self, receiver: Receiver<'_>, names: &[Name]) -> Result<Value, Fault> {
        let Receiver { mut value, operand } = receiver;
        for name in names {
            if let Some(methods) = value.methods()
                && let Some(result) = methods(&value, name, &[])
            {
                value = result.map_err(|problem| self.at_call(operand.at, format!("`{name}`: {problem}")))?;
                continue;
            }
            value = match value {
                Value::Missing => Value::Missing,
                Value::Nil => {
                    let message = format!(
                        "nil pointer evaluating interface {{}}.{name}: `{}` asks for `{name}` of a null",
                        self.piece(operand)
                    );
                    let fault = self.fault(code::EXECUTION, operand.at, message);
                    return Err(Box::new(fault.remedy(self.chain_remedy(operand, name))));
                }
                Value::Map(map) => match (map.get(name), self.options.missing_key) {
                    (Some(value), _) => value,
                    (None, MissingKey::Zero) => map.zero(),
                    (None, MissingKey::Default) => Value::Missing,
                    (None, MissingKey::Error) => {
                        let entries = map.entries();
                        let message = format!("`{}`: there is no `{name}`", self.piece(operand));
                        let fault = self.fault(code::EXECUTION, operand.at, message);
                        return Err(Box::new(fault.nearest_of(name, entries.iter().map(|(known, _)| &**known))));
                    }
                },
                // Go shows what begins with a capital letter.
                Value::Struct(of) => match of.get(name).filter(|_| !name.starts_with(char::is_lowercase)) {
                    Some(value) => value.clone(),
                    None => {
                        let kind = of.kind().name;
                        let message = format!("can't evaluate field {name} in type {kind}: `{}`", self.piece(operand));
                        let fault = self.fault(code::EXECUTION, operand.at, message);
                        return Err(Box::new(fault.nearest_of(name, of.fields().iter().map(|field| field.name))));
                    }
                },
                other => {
                    let message =
                        format!("can't evaluate field {name} in type {}: `{}`", other.type_name(), self.piece(operand));
                    return Err(self.fault(code::EXECUTION, operand.at, message));
                }
            };
        }
        Ok(value)
    }

    /// How to write a chain that stands nulls.
    fn chain_remedy(&self, operand: &Operand, name: &str) -> String {
        let piece = self.piece(operand);
        match piece.find(&format!(".{name}")).and_then(|at| piece.get(..at)).filter(|before| !before.is_empty()) {
            Some(before) => format!("give {before} a value, or write ({before}).{name}"),
            None => "give it a value, or ask with `if` first".to_owned(),
        }
    }

    pub(super) fn piece(&self, operand: &Operand) -> String {
        self.frames.last().map(|frame| frame.template.source.piece(operand.at, operand.end)).unwrap_or_default()
    }

    pub(super) fn at_call(&self, at: Offset, message: String) -> Fault {
        self.fault(code::EXECUTION, at, message)
    }
}
