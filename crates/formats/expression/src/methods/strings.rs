//! Methods of `java.lang.String`. Positions count UTF-16 units, as there.

mod split;

use super::{expect, int, text, unknown};
use crate::error::{ErrorKind, Outcome};
use crate::limits::Meter;
use crate::operators::equal;
use crate::{Text, Value};

const METHODS: &[&str] = &[
    "charAt",
    "compareTo",
    "concat",
    "contains",
    "endsWith",
    "equals",
    "equalsIgnoreCase",
    "indexOf",
    "isBlank",
    "isEmpty",
    "lastIndexOf",
    "length",
    "matches",
    "repeat",
    "replace",
    "replaceAll",
    "replaceFirst",
    "size",
    "split",
    "startsWith",
    "strip",
    "substring",
    "toLowerCase",
    "toString",
    "toUpperCase",
    "trim",
];

/// Calls a method on a text, or on the text of a number or boolean.
pub(super) fn call(receiver: &Value, name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Value> {
    if name == "concat" {
        return concat(receiver, arguments, meter);
    }
    let owned;
    let own = match receiver {
        Value::String(text) => text.as_ref(),
        other => {
            owned = crate::operators::plain_text(other, &format!("`{name}`"))?;
            &owned
        }
    };
    meter.spend_bytes(own.len())?;
    let count = match name {
        "length" | "size" | "isEmpty" | "isBlank" | "trim" | "strip" | "toLowerCase" | "toUpperCase" => 0..=0,
        "indexOf" | "lastIndexOf" | "split" | "substring" => 1..=2,
        "replace" | "replaceAll" | "replaceFirst" => 2..=2,
        name if METHODS.contains(&name) => 1..=1,
        _ => return Err(unknown(name, METHODS)),
    };
    expect(name, arguments, count)?;
    let arg = |at: usize| text(name, arguments, at);
    Ok(match name {
        "length" | "size" => length(own),
        "isEmpty" => Value::Bool(own.is_empty()),
        "isBlank" => Value::Bool(own.chars().all(char::is_whitespace)),
        "trim" => Value::from(own.trim_matches(|c: char| c <= ' ')),
        "strip" => Value::from(own.trim()),
        "toLowerCase" => Value::from(own.to_lowercase()),
        "toUpperCase" => Value::from(own.to_uppercase()),
        "contains" => Value::Bool(own.contains(&arg(0)?)),
        "startsWith" => Value::Bool(own.starts_with(&arg(0)?)),
        "endsWith" => Value::Bool(own.ends_with(&arg(0)?)),
        "equals" => Value::Bool(equal(receiver, &arguments[0])?),
        "equalsIgnoreCase" => Value::Bool(own.to_lowercase() == arg(0)?.to_lowercase()),
        "compareTo" => compare(own, &arg(0)?),
        "matches" => Value::Bool(meter.regex(&arg(0)?)?.matches(own, meter)?),
        "replace" => replace(own, &arg(0)?, &arg(1)?, meter)?,
        "replaceAll" => meter.regex(&arg(0)?)?.replace(own, &arg(1)?, usize::MAX, meter)?.into(),
        "replaceFirst" => meter.regex(&arg(0)?)?.replace(own, &arg(1)?, 1, meter)?.into(),
        "split" => {
            let limit = if arguments.len() > 1 { int(name, arguments, 1)? } else { 0 };
            split::split(own, &arg(0)?, limit, meter)?
        }
        "repeat" => repeat(own, int(name, arguments, 0)?, meter)?,
        "charAt" => {
            let at = int(name, arguments, 0)?;
            substring(own, at, at.checked_add(1))?
        }
        "substring" => {
            let end = if arguments.len() > 1 { Some(int(name, arguments, 1)?) } else { None };
            substring(own, int(name, arguments, 0)?, end)?
        }
        "indexOf" => {
            let from = if arguments.len() > 1 { int(name, arguments, 1)? } else { 0 };
            index_of(own, &arg(0)?, from)
        }
        "lastIndexOf" => {
            let from = if arguments.len() > 1 { int(name, arguments, 1)? } else { i64::MAX };
            last_index_of(own, &arg(0)?, from)
        }
        _ => return Err(unknown(name, METHODS)),
    })
}

/// Secrets may be joined to other text.
fn concat(receiver: &Value, arguments: &[Value], meter: &mut Meter) -> Outcome<Value> {
    expect("concat", arguments, 1..=1)?;
    let mut joined: Text = receiver.to_text();
    let other = arguments[0].to_text();
    meter.allow_bytes(joined.size() + other.size())?;
    joined.push(&other);
    Ok(joined.into())
}

fn length(text: &str) -> Value {
    units(text.encode_utf16().count())
}

fn units(n: usize) -> Value {
    Value::Int(i64::try_from(n).unwrap_or(i64::MAX))
}

/// The difference of the first units that differ, else of the lengths.
fn compare(a: &str, b: &str) -> Value {
    let differing = a.encode_utf16().zip(b.encode_utf16()).find(|(a, b)| a != b);
    let lengths = |text: &str| i64::try_from(text.encode_utf16().count()).unwrap_or(i64::MAX);
    Value::Int(match differing {
        Some((a, b)) => i64::from(a) - i64::from(b),
        None => lengths(a) - lengths(b),
    })
}

/// Every occurrence, literally.
fn replace(own: &str, from: &str, to: &str, meter: &mut Meter) -> Outcome<Value> {
    let found = own.matches(from).count();
    meter.allow_bytes(own.len().saturating_sub(found * from.len()).saturating_add(found.saturating_mul(to.len())))?;
    Ok(own.replace(from, to).into())
}

fn repeat(own: &str, times: i64, meter: &mut Meter) -> Outcome<Value> {
    let Ok(times) = usize::try_from(times) else {
        return Err(ErrorKind::Argument(format!("`repeat` takes a count, not {times}")).into());
    };
    meter.allow_bytes(own.len().saturating_mul(times))?;
    Ok(if own.is_empty() { Value::from("") } else { own.repeat(times).into() })
}

/// `end` is exclusive. Half of a surrogate pair becomes the replacement character.
fn substring(own: &str, begin: i64, end: Option<i64>) -> Outcome<Value> {
    let all: Vec<u16> = own.encode_utf16().collect();
    let outside = |index: i64| ErrorKind::Index { index, length: all.len() };
    let end = match end {
        Some(end) => usize::try_from(end).ok().filter(|end| *end <= all.len()).ok_or_else(|| outside(end))?,
        None => all.len(),
    };
    let begin = usize::try_from(begin).ok().filter(|begin| *begin <= end).ok_or_else(|| outside(begin))?;
    Ok(String::from_utf16_lossy(&all[begin..end]).into())
}

/// The byte at which so many UTF-16 units have passed; the end when the text is shorter.
fn byte_at(text: &str, position: usize) -> usize {
    let mut passed = 0;
    for (at, c) in text.char_indices() {
        if passed >= position {
            return at;
        }
        passed += c.len_utf16();
    }
    text.len()
}

fn index_of(own: &str, wanted: &str, from: i64) -> Value {
    let start = byte_at(own, usize::try_from(from).unwrap_or(0));
    match own[start..].find(wanted) {
        Some(at) => length(&own[..start + at]),
        None => Value::Int(-1),
    }
}

fn last_index_of(own: &str, wanted: &str, from: i64) -> Value {
    let Ok(from) = usize::try_from(from) else { return Value::Int(-1) };
    let end = byte_at(own, from).saturating_add(wanted.len()).min(own.len());
    let end = (0..=end).rev().find(|at| own.is_char_boundary(*at)).unwrap_or(0);
    match own[..end].rfind(wanted) {
        Some(at) => length(&own[..at]),
        None => Value::Int(-1),
    }
}
