//! What a function of a template is.

use crate::machine::{Call, Fault};
use crate::value::{List, Map, Value};
use std::sync::Arc;

/// A function by its name.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: &'static str,
    pub parameters: &'static [Parameter],
    /// What any number of further arguments are.
    pub rest: Option<Parameter>,
    pub run: Run,
    pub known: Known,
}

/// Which dialects know a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Everywhere,
    NotInHelm,
    OnlyInHelm,
}

/// What Go's signature wants. Numbers and texts do not become each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    Any,
    Text,
    Int,
    Float,
    Bool,
    Map,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// Depends on its arguments only. An error is a sentence.
    Pure(fn(&Arguments) -> Result<Value, String>),
    /// Renders, remembers, or knows where it was called.
    Inside(fn(&mut Call<'_, '_>, &Arguments) -> Result<Value, Fault>),
    /// The world carries it out.
    Asked,
    /// The first argument that is false, or the last; those behind it are not evaluated.
    And,
    Or,
}

impl Function {
    pub(crate) const fn pure(
        name: &'static str,
        parameters: &'static [Parameter],
        run: fn(&Arguments) -> Result<Value, String>,
    ) -> Self {
        Self { name, parameters, rest: None, run: Run::Pure(run), known: Known::Everywhere }
    }

    pub(crate) const fn inside(
        name: &'static str,
        parameters: &'static [Parameter],
        run: fn(&mut Call<'_, '_>, &Arguments) -> Result<Value, Fault>,
    ) -> Self {
        Self { name, parameters, rest: None, run: Run::Inside(run), known: Known::Everywhere }
    }

    /// With any number of further arguments.
    pub(crate) const fn and(mut self, rest: Parameter) -> Self {
        self.rest = Some(rest);
        self
    }

    /// One that only the world can carry out.
    pub(crate) const fn asked(name: &'static str, parameters: &'static [Parameter]) -> Self {
        Self { name, parameters, rest: None, run: Run::Asked, known: Known::Everywhere }
    }

    pub(crate) const fn not_in_helm(mut self) -> Self {
        self.known = Known::NotInHelm;
        self
    }

    pub(crate) const fn only_in_helm(mut self) -> Self {
        self.known = Known::OnlyInHelm;
        self
    }

    pub(crate) fn parameter(&self, index: usize) -> Parameter {
        self.parameters.get(index).copied().or(self.rest).unwrap_or(Parameter::Any)
    }
}

impl Parameter {
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Self::Any => "interface {}",
            Self::Text => "string",
            Self::Int => "int",
            Self::Float => "float64",
            Self::Bool => "bool",
            Self::Map => "map[string]interface {}",
        }
    }
}

/// The arguments of a call, checked against the parameters.
#[derive(Debug)]
pub(crate) struct Arguments(pub Vec<Value>);

impl Arguments {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.0.iter()
    }

    pub(crate) fn rest(&self, from: usize) -> &[Value] {
        self.0.get(from..).unwrap_or_default()
    }

    pub(crate) fn value(&self, index: usize) -> Value {
        self.0.get(index).cloned().unwrap_or_default()
    }

    pub(crate) fn text(&self, index: usize) -> Arc<str> {
        match self.0.get(index) {
            Some(Value::Text(text)) => Arc::clone(text),
            Some(Value::Bytes(bytes)) => bytes.lossy().into(),
            _ => "".into(),
        }
    }

    /// A text as it is, which may be no UTF-8.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        self.0.get(index).and_then(Value::as_bytes).unwrap_or_default()
    }

    pub(crate) fn int(&self, index: usize) -> i64 {
        match self.0.get(index) {
            Some(Value::Int(i) | Value::Int64(i)) => *i,
            _ => 0,
        }
    }

    pub(crate) fn bool(&self, index: usize) -> bool {
        matches!(self.0.get(index), Some(Value::Bool(true)))
    }

    pub(crate) fn map(&self, index: usize) -> Map {
        match self.0.get(index) {
            Some(Value::Map(map)) => map.clone(),
            _ => Map::new(),
        }
    }

    /// A list behind a parameter that takes anything.
    pub(crate) fn list(&self, index: usize, function: &str) -> Result<List, String> {
        match self.0.get(index) {
            Some(Value::List(list)) => Ok(list.clone()),
            Some(Value::Missing | Value::Nil) | None => Err(format!("{function} wants a list and got nothing")),
            Some(other) => Err(format!("{function} wants a list and got {}", other.type_name())),
        }
    }
}
