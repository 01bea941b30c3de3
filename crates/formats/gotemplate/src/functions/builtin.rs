//! Go's own functions.

use crate::function::Parameter::{Any, Int};
use crate::function::{Arguments, Function, Known, Parameter, Run};
use crate::print;
use crate::value::{INTS, List, Value};

const fn deciding(name: &'static str, run: Run) -> Function {
    Function { name, parameters: &[Any], rest: Some(Any), run, known: Known::Everywhere }
}

pub(super) const FUNCTIONS: &[Function] = &[
    deciding("and", Run::And),
    deciding("or", Run::Or),
    Function::pure("not", &[Any], |a| Ok(Value::Bool(!a.value(0).truth()))),
    Function::pure("len", &[Any], length),
    Function::pure("index", &[Any], index).and(Any),
    Function::pure("call", &[Any], |a| Err(format!("a {} is no function", a.value(0).type_name()))).and(Any),
    Function::pure("print", &[], |a| print::print(a.rest(0)).map(Value::from)).and(Any),
    Function::pure("println", &[], |a| print::println(a.rest(0)).map(Value::from)).and(Any),
    Function::pure("printf", &[Parameter::Text], |a| print::printf(&a.text(0), a.rest(1)).map(Value::from)).and(Any),
    Function::pure("html", &[], |a| print::print(&shown(a)).map(|text| html(&text).into())).and(Any),
    Function::pure("js", &[], |a| print::print(&shown(a)).map(|text| js(&text).into())).and(Any),
    Function::pure("urlquery", &[], |a| print::print(&shown(a)).map(|text| urlquery(&text).into())).and(Any),
    Function::pure("until", &[Int], |a| count(0, a.int(0), if a.int(0) < 0 { -1 } else { 1 })),
    Function::pure("untilStep", &[Int, Int, Int], |a| count(a.int(0), a.int(1), a.int(2))),
];

fn int(n: usize) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

fn length(arguments: &Arguments) -> Result<Value, String> {
    match arguments.value(0) {
        Value::Text(text) => Ok(int(text.len())),
        Value::Bytes(bytes) => Ok(int(bytes.data.len())),
        Value::List(list) => Ok(int(list.len())),
        Value::Map(map) => Ok(int(map.len())),
        other => Err(format!("a value of type {} has no length", other.type_name())),
    }
}

/// A position in something `length` long.
fn position(index: &Value, length: usize) -> Result<usize, String> {
    match index {
        Value::Int(i) | Value::Int64(i) => usize::try_from(*i)
            .ok()
            .filter(|i| *i <= length)
            .ok_or_else(|| format!("index out of range: {i} of {length}")),
        other => Err(format!("an index is a number and not {}", other.type_name())),
    }
}

fn index(arguments: &Arguments) -> Result<Value, String> {
    let mut item = arguments.value(0);
    for index in arguments.rest(1) {
        item = match item {
            Value::List(list) => {
                let at = position(index, list.len())?;
                list.get(at).cloned().ok_or_else(|| format!("index out of range: {at} of {}", list.len()))?
            }
            Value::Text(text) => {
                let at = position(index, text.len())?;
                let byte =
                    text.as_bytes().get(at).ok_or_else(|| format!("index out of range: {at} of {}", text.len()))?;
                Value::Int64(i64::from(*byte))
            }
            Value::Map(map) => match index {
                Value::Text(name) => map.get(name).unwrap_or_else(|| map.zero()),
                other => return Err(format!("a map has names and no {}", other.type_name())),
            },
            Value::Missing | Value::Nil => return Err("index of untyped nil".to_owned()),
            other => return Err(format!("a {} has no items", other.type_name())),
        };
    }
    if item.is_nil() && arguments.len() == 1 {
        return Err("index of untyped nil".to_owned());
    }
    Ok(item)
}

/// Where there is no value stands what a template shows for it.
fn shown(arguments: &Arguments) -> Vec<Value> {
    let one = |value: &Value| if value.is_nil() { "<no value>".into() } else { value.clone() };
    arguments.iter().map(one).collect()
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '\0' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn js(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '\'' | '"' => out.extend(['\\', c]),
            '<' | '>' | '&' | '=' | '\0'..='\u{1f}' => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn urlquery(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        b' ' => "+".to_owned(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect()
}

/// Numbers from `start` up or down to `stop`, which is not among them.
pub(super) fn count(start: i64, stop: i64, step: i64) -> Result<Value, String> {
    let mut numbers = Vec::new();
    let mut next = start;
    while (stop < start && step < 0 && next > stop) || (stop >= start && step > 0 && next < stop) {
        if numbers.len() >= super::MOST_ITEMS {
            return Err(format!("more than {} numbers", super::MOST_ITEMS));
        }
        numbers.push(Value::Int(next));
        next = next.saturating_add(step);
    }
    Ok(Value::List(List::of(&INTS, numbers)))
}
