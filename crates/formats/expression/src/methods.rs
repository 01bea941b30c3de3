//! Methods of values, with the meaning they have in Java (pipelines §3.5).

mod collections;
mod moments;
mod strings;

use crate::Value;
use crate::error::{ErrorKind, Fault, Outcome};
use crate::limits::Meter;
use crate::operators::inspected;

/// Methods that look at the shape of a list or map and not into it.
pub(crate) const SHAPE: &[&str] = &["get", "size", "length", "isEmpty", "containsKey", "keySet"];

const FORBIDDEN: &[&str] = &[
    "getClass",
    "class",
    "forName",
    "newInstance",
    "getMethod",
    "getMethods",
    "getDeclaredMethod",
    "getConstructor",
    "getClassLoader",
    "getField",
    "invoke",
    "exec",
    "wait",
    "notify",
    "notifyAll",
    "clone",
    "finalize",
    "hashCode",
];

/// Calls a method on a value that is not null.
pub(crate) fn call(receiver: &Value, name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Value> {
    if FORBIDDEN.contains(&name) {
        return Err(ErrorKind::Forbidden(name.to_owned()).into());
    }
    if name == "toString" {
        expect(name, arguments, 0..=0)?;
        return Ok(receiver.to_text().into());
    }
    let has_secret = |value: &Value| matches!(value, Value::Secret(_));
    if (has_secret(receiver) || arguments.iter().any(has_secret)) && name != "concat" {
        return Err(inspected(&format!("`{name}`")));
    }
    match receiver {
        Value::List(items) => collections::list(items, name, arguments, meter),
        Value::Map(entries) => collections::map(entries, name, arguments, meter),
        Value::Moment(moment) => moments::call(moment, name, arguments),
        _ => strings::call(receiver, name, arguments, meter),
    }
}

/// Checks the number of arguments.
pub(crate) fn expect(name: &str, arguments: &[Value], count: std::ops::RangeInclusive<usize>) -> Outcome<()> {
    if count.contains(&arguments.len()) {
        return Ok(());
    }
    let expected = match (count.start(), count.end()) {
        (0, 0) => "no argument".to_owned(),
        (1, 1) => "one argument".to_owned(),
        (a, b) if a == b => format!("{a} arguments"),
        (a, b) => format!("{a} to {b} arguments"),
    };
    Err(ErrorKind::Argument(format!("`{name}` takes {expected}, not {}", arguments.len())).into())
}

/// The text of the argument at `at`; null reads as `null`, as everywhere.
pub(crate) fn text(name: &str, arguments: &[Value], at: usize) -> Outcome<String> {
    match arguments.get(at) {
        Some(value) => crate::operators::plain_text(value, &format!("`{name}`")),
        None => Err(ErrorKind::Argument(format!("`{name}` takes more arguments")).into()),
    }
}

/// The whole number at `at`, which may be written as text.
pub(crate) fn int(name: &str, arguments: &[Value], at: usize) -> Outcome<i64> {
    use crate::operators::{Number, parse_number};
    match arguments.get(at).map(|value| (value, parse_number(value))) {
        Some((_, Some(Number::Int(int)))) => Ok(int),
        Some((value, _)) => {
            let shown = crate::error::shorten(&value.to_string());
            Err(ErrorKind::Argument(format!("`{name}` takes a whole number, not `{shown}`")).into())
        }
        None => Err(ErrorKind::Argument(format!("`{name}` takes more arguments")).into()),
    }
}

fn unknown(name: &str, known: &'static [&'static str]) -> Fault {
    Fault::unknown("method", name, known.iter().copied())
}
