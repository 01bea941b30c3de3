use super::{expect, text, unknown};
use crate::error::Outcome;
use crate::limits::Meter;
use crate::operators::equal;
use crate::{Text, Value};
use indexmap::IndexMap;

const LIST: &[&str] =
    &["contains", "equals", "get", "indexOf", "isEmpty", "join", "lastIndexOf", "length", "size", "toString"];
const MAP: &[&str] =
    &["containsKey", "containsValue", "equals", "get", "isEmpty", "keySet", "length", "size", "toString", "values"];

pub(super) fn list(items: &[Value], name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Value> {
    meter.spend(items.len())?;
    let first = arguments.first().unwrap_or(&Value::Null);
    let position = |found: Option<usize>| Value::Int(found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1));
    Ok(match name {
        "size" | "length" => {
            expect(name, arguments, 0..=0)?;
            count(items.len())
        }
        "isEmpty" => {
            expect(name, arguments, 0..=0)?;
            Value::Bool(items.is_empty())
        }
        "contains" => {
            expect(name, arguments, 1..=1)?;
            Value::Bool(find(items.iter().enumerate(), first)?.is_some())
        }
        "indexOf" => {
            expect(name, arguments, 1..=1)?;
            position(find(items.iter().enumerate(), first)?)
        }
        "lastIndexOf" => {
            expect(name, arguments, 1..=1)?;
            position(find(items.iter().enumerate().rev(), first)?)
        }
        "equals" => {
            expect(name, arguments, 1..=1)?;
            Value::Bool(equal(&Value::list(items.to_vec()), first)?)
        }
        "join" => {
            expect(name, arguments, 0..=1)?;
            let separator = if arguments.is_empty() { ",".to_owned() } else { text(name, arguments, 0)? };
            join(items, &separator, meter)?
        }
        _ => return Err(unknown(name, LIST)),
    })
}

pub(super) fn map(
    entries: &IndexMap<String, Value>,
    name: &str,
    arguments: &[Value],
    meter: &mut Meter,
) -> Outcome<Value> {
    meter.spend(entries.len())?;
    let first = arguments.first().unwrap_or(&Value::Null);
    Ok(match name {
        "size" | "length" => {
            expect(name, arguments, 0..=0)?;
            count(entries.len())
        }
        "isEmpty" => {
            expect(name, arguments, 0..=0)?;
            Value::Bool(entries.is_empty())
        }
        "containsKey" => {
            expect(name, arguments, 1..=1)?;
            Value::Bool(entries.contains_key(&text(name, arguments, 0)?))
        }
        "containsValue" => {
            expect(name, arguments, 1..=1)?;
            Value::Bool(find(entries.values().enumerate(), first)?.is_some())
        }
        "keySet" => {
            expect(name, arguments, 0..=0)?;
            entries.keys().map(|key| Value::from(key.as_str())).collect()
        }
        "values" => {
            expect(name, arguments, 0..=0)?;
            entries.values().cloned().collect()
        }
        "equals" => {
            expect(name, arguments, 1..=1)?;
            Value::Bool(equal(&Value::map(entries.clone()), first)?)
        }
        _ => return Err(unknown(name, MAP)),
    })
}

fn find<'v>(items: impl Iterator<Item = (usize, &'v Value)>, wanted: &Value) -> Outcome<Option<usize>> {
    for (at, item) in items {
        if equal(item, wanted)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Elements with secrets in them stay secret in the joined text.
fn join(items: &[Value], separator: &str, meter: &mut Meter) -> Outcome<Value> {
    let limit = meter.limits().result_bytes;
    let size: usize = items.iter().map(|item| item.size_up_to(limit).saturating_add(separator.len())).sum();
    meter.allow_bytes(size.saturating_sub(separator.len()))?;
    let mut joined = Text::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            joined.push_str(separator);
        }
        joined.push(&item.to_text());
    }
    Ok(joined.into())
}

fn count(n: usize) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}
