use super::{Call, Fault, Machine};
use crate::ast::{Operand, Term};
use crate::code;
use crate::function::{Arguments, Function, Parameter, Run};
use crate::functions;
use crate::value::Value;

impl Machine<'_> {
    /// Calls a function; `last` is what came through the pipe and stands behind the arguments.
    pub(super) fn call(
        &mut self,
        dot: &Value,
        function: &'static Function,
        operand: &Operand,
        written: &[Operand],
        last: Option<Value>,
    ) -> Result<Value, Fault> {
        let count = written.len() + usize::from(last.is_some());
        self.check_count(function, operand, count)?;
        if let Run::And | Run::Or = function.run {
            return self.until_decided(dot, matches!(function.run, Run::Or), written, last);
        }
        let mut arguments = Vec::with_capacity(count);
        for (index, argument) in written.iter().enumerate() {
            arguments.push(self.argument(dot, function, function.parameter(index), argument)?);
        }
        if let Some(last) = last {
            let parameter = function.parameter(written.len());
            arguments.push(self.fitting(function, parameter, last, operand)?);
        }
        let arguments = Arguments(arguments);
        let value = match function.run {
            Run::Pure(run) => run(&arguments)
                .map_err(|problem| self.at_call(operand.at, format!("`{}`: {problem}", function.name)))?,
            Run::Inside(run) => run(&mut Call { machine: self, at: operand.at }, &arguments)?,
            Run::Asked => functions::ask(&mut Call { machine: self, at: operand.at }, function.name, &arguments)?,
            Run::And | Run::Or => Value::Missing,
        };
        let size = match &value {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.data.len(),
            Value::List(list) => list.len() * 16,
            _ => 0,
        };
        if size > self.limits.output {
            let message = format!("`{}` makes more than {} bytes", function.name, self.limits.output);
            return Err(self.fault(code::LIMIT, operand.at, message));
        }
        self.count(size as u64 / 64, operand.at)?;
        Ok(value)
    }

    fn check_count(&self, function: &Function, operand: &Operand, count: usize) -> Result<(), Fault> {
        let least = function.parameters.len();
        let wanted = match function.rest {
            Some(_) if count < least => format!("at least {least}"),
            None if count != least => least.to_string(),
            _ => return Ok(()),
        };
        let message = format!("wrong number of args for {0}: want {wanted} got {count}", function.name);
        Err(self.fault(code::EXECUTION, operand.at, message))
    }

    /// `and` and `or`: the first operand that decides, or the last.
    fn until_decided(
        &mut self,
        dot: &Value,
        or: bool,
        written: &[Operand],
        last: Option<Value>,
    ) -> Result<Value, Fault> {
        let mut value = Value::Missing;
        for argument in written {
            value = self.operand(dot, argument)?;
            if value.truth() == or {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }

    /// A written argument. A constant must be of the parameter's kind; an integer may stand for a float.
    fn argument(
        &mut self,
        dot: &Value,
        function: &Function,
        parameter: Parameter,
        argument: &Operand,
    ) -> Result<Value, Fault> {
        let value = self.operand(dot, argument)?;
        let value = match (&argument.term, parameter, value) {
            // A literal `nil` fits everywhere where something may be nothing.
            (Term::Nil, ..) => Value::Missing,
            (Term::Int(_), Parameter::Float, Value::Int(i)) =>
            {
                #[allow(clippy::cast_precision_loss)]
                Value::Float(i as f64)
            }
            (_, _, value) => value,
        };
        self.fitting(function, parameter, value, argument)
    }

    fn fitting(
        &self,
        function: &Function,
        parameter: Parameter,
        value: Value,
        operand: &Operand,
    ) -> Result<Value, Fault> {
        let fits = match (parameter, &value) {
            (Parameter::Any, Value::Missing | Value::Nil) | (Parameter::Map, Value::Missing) => return Ok(Value::Nil),
            (Parameter::Any, _) => true,
            (Parameter::Text, value) => value.is_text(),
            (Parameter::Int, value) => matches!(value, Value::Int(_)),
            (Parameter::Float, value) => matches!(value, Value::Float(_)),
            (Parameter::Bool, value) => matches!(value, Value::Bool(_)),
            (Parameter::Map, value) => value.as_map().is_some_and(|map| map.kind().is_plain_map()),
        };
        if fits {
            return Ok(value.handed_over());
        }
        let got = if value.is_nil() { "nothing" } else { value.type_name() };
        let message = format!(
            "wrong type for value; expected {}; got {got}: an argument of `{}`",
            parameter.type_name(),
            function.name
        );
        let fault = self.fault(code::EXECUTION, operand.at, message);
        Err(match (parameter, &value) {
            (Parameter::Int, Value::Float(_) | Value::Int64(_)) => {
                Box::new(fault.remedy("numbers of values files are floats: convert with `int`"))
            }
            (Parameter::Text, value) if !value.is_nil() => Box::new(fault.remedy("convert with `toString`")),
            (Parameter::Text, _) => Box::new(fault.remedy("give it a value, or use `default`")),
            _ => fault,
        })
    }
}
