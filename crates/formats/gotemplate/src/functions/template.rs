//! Functions that render, or that stop.

use crate::code;
use crate::function::Parameter::{Any, Text};
use crate::function::{Arguments, Function};
use crate::machine::{Call, Fault, Set};
use crate::parser;
use crate::source::Source;
use crate::value::Value;
use std::sync::Arc;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::inside("include", &[Text, Any], include),
    Function::inside("tpl", &[Text, Any], tpl),
    Function::inside("required", &[Text, Any], |call, a| {
        let value = a.value(1);
        let is_empty = value.is_nil() || matches!(&value, Value::Text(text) if text.is_empty());
        if is_empty { Err(call.machine.fault(code::FAILED, call.at, &*a.text(0))) } else { Ok(value) }
    }),
    Function::inside("fail", &[Text], |call, a| Err(call.machine.fault(code::FAILED, call.at, &*a.text(0)))),
];

fn include(call: &mut Call<'_, '_>, arguments: &Arguments) -> Result<Value, Fault> {
    let name = arguments.text(0);
    let template = call.machine.find(&name).ok_or_else(|| call.machine.no_template(call.at, &name))?;
    call.machine.text_of(&template, &arguments.value(1).dug(), call.at).map(Value::from)
}

/// A text as a template. It sees all definitions; what it defines is seen by what it includes.
fn tpl(call: &mut Call<'_, '_>, arguments: &Arguments) -> Result<Value, Fault> {
    let text = arguments.text(0);
    if !text.contains("{{") {
        return Ok(call.machine.without_no_value(text.to_string()).into());
    }
    call.machine.count(text.len() as u64 / 8, call.at)?;
    let source = Source::new("tpl", &text);
    let templates = parser::parse(&source, call.machine.options().dialect, &mut Vec::new()).map_err(|problems| {
        let first = problems.iter().next().map(ToString::to_string).unwrap_or_default();
        call.machine.fault(code::EXECUTION, call.at, format!("the text given to `tpl` is no template: {first}"))
    })?;
    let set: Set = templates.into_iter().map(|one| (one.name.clone(), Arc::new(one))).collect();
    let Some(main) = set.get(&source.path).cloned() else { return Ok("".into()) };
    let dot = arguments.value(1).dug();
    let at = call.at;
    let text = call.machine.with_own(set, |machine| machine.text_of(&main, &dot, at))?;
    Ok(call.machine.without_no_value(text).into())
}
