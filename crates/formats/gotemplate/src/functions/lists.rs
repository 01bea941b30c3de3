//! Lists. None of these changes the list that it is given.

use super::convert::{strings, texts, to_int};
use crate::function::Parameter::{Any, Int, Text};
use crate::function::{Arguments, Function};
use crate::value::{Budget, LISTS, List, NO_ITEMS, Value};
use std::collections::BTreeSet;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("list", &[], |a| Ok(Value::list(a.rest(0).to_vec()))).and(Any),
    Function::pure("tuple", &[], |a| Ok(Value::list(a.rest(0).to_vec()))).and(Any),
    Function::pure("first", &[Any], |a| Ok(a.list(0, "first")?.get(0).cloned().unwrap_or(Value::Nil))),
    Function::pure("mustFirst", &[Any], |a| Ok(a.list(0, "mustFirst")?.get(0).cloned().unwrap_or(Value::Nil))),
    Function::pure("last", &[Any], |a| Ok(a.list(0, "last")?.iter().last().cloned().unwrap_or(Value::Nil))),
    Function::pure("mustLast", &[Any], |a| Ok(a.list(0, "mustLast")?.iter().last().cloned().unwrap_or(Value::Nil))),
    Function::pure("rest", &[Any], |a| rest(a, "rest")),
    Function::pure("mustRest", &[Any], |a| rest(a, "mustRest")),
    Function::pure("initial", &[Any], initial),
    Function::pure("mustInitial", &[Any], initial),
    Function::pure("append", &[Any, Any], append),
    Function::pure("mustAppend", &[Any, Any], append),
    Function::pure("push", &[Any, Any], append),
    Function::pure("mustPush", &[Any, Any], append),
    Function::pure("prepend", &[Any, Any], prepend),
    Function::pure("mustPrepend", &[Any, Any], prepend),
    Function::pure("concat", &[], concat).and(Any),
    Function::pure("reverse", &[Any], |a| Ok(Value::list(a.list(0, "reverse")?.iter().rev().cloned().collect()))),
    Function::pure("mustReverse", &[Any], |a| {
        Ok(Value::list(a.list(0, "mustReverse")?.iter().rev().cloned().collect()))
    }),
    Function::pure("compact", &[Any], compact),
    Function::pure("mustCompact", &[Any], compact),
    Function::pure("uniq", &[Any], uniq),
    Function::pure("mustUniq", &[Any], uniq),
    Function::pure("without", &[Any], without).and(Any),
    Function::pure("mustWithout", &[Any], without).and(Any),
    Function::pure("has", &[Any, Any], has),
    Function::pure("mustHas", &[Any, Any], has),
    Function::pure("slice", &[Any], slice).and(Any),
    Function::pure("mustSlice", &[Any], slice).and(Any),
    Function::pure("chunk", &[Int, Any], chunk),
    Function::pure("mustChunk", &[Int, Any], chunk),
    Function::pure("sortAlpha", &[Any], |a| {
        let value = a.value(0);
        if value.is_nil() {
            return Ok(texts(vec!["<nil>".to_owned()]));
        }
        let mut all = strings(&value)?;
        all.sort();
        Ok(texts(all))
    }),
    Function::pure("join", &[Text, Any], |a| Ok(strings(&a.value(1))?.join(&a.text(0)).into())),
    Function::pure("seq", &[], seq).and(Int),
];

/// A list of Go that was never made.
fn none() -> Value {
    Value::List(List::of(&NO_ITEMS, Vec::new()))
}

fn rest(arguments: &Arguments, name: &str) -> Result<Value, String> {
    let list = arguments.list(0, name)?;
    Ok(if list.is_empty() { none() } else { Value::list(list.iter().skip(1).cloned().collect()) })
}

fn initial(arguments: &Arguments) -> Result<Value, String> {
    let list = arguments.list(0, "initial")?;
    if list.is_empty() {
        return Ok(none());
    }
    Ok(Value::list(list.iter().take(list.len().saturating_sub(1)).cloned().collect()))
}

/// From one position to another; the list keeps its type. An empty list has no pieces.
fn slice(arguments: &Arguments) -> Result<Value, String> {
    let list = arguments.list(0, "slice")?;
    if list.is_empty() {
        return Ok(Value::Nil);
    }
    let start = arguments.rest(1).first().map_or(0, to_int);
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let end = arguments.rest(2).first().map_or(length, to_int);
    if start < 0 || end > length || start > end {
        return Err(format!("slice bounds out of range [{start}:{end}] with length {length}"));
    }
    let (start, end) = (usize::try_from(start).unwrap_or(0), usize::try_from(end).unwrap_or(0));
    Ok(Value::List(List::of(list.kind(), list.iter().skip(start).take(end - start).cloned().collect())))
}

/// Lists of so many items each.
fn chunk(arguments: &Arguments) -> Result<Value, String> {
    let list = arguments.list(1, "chunk")?;
    if arguments.int(0) < 0 && (1..).contains(&list.len()) && list.len() as u64 <= arguments.int(0).unsigned_abs() + 1 {
        // The reference divides by it all the same.
        let chunks = if list.len() == 1 { vec![Value::list(list.to_vec())] } else { Vec::new() };
        return Ok(Value::List(List::of(&LISTS, chunks)));
    }
    let size = usize::try_from(arguments.int(0)).ok().filter(|size| *size > 0);
    let size = size.ok_or("a chunk has at least one item")?;
    let chunks = list.to_vec().chunks(size).map(|chunk| Value::list(chunk.to_vec())).collect();
    Ok(Value::List(List::of(&LISTS, chunks)))
}

fn append(arguments: &Arguments) -> Result<Value, String> {
    let mut items = arguments.list(0, "append")?.to_vec();
    items.push(arguments.value(1));
    Ok(Value::list(items))
}

fn prepend(arguments: &Arguments) -> Result<Value, String> {
    let list = arguments.list(0, "prepend")?;
    Ok(Value::list(std::iter::once(arguments.value(1)).chain(list.iter().cloned()).collect()))
}

fn concat(arguments: &Arguments) -> Result<Value, String> {
    let mut items = Vec::new();
    for index in 0..arguments.len() {
        items.extend(arguments.list(index, "concat")?.iter().cloned());
        if items.len() > super::MOST_ITEMS {
            return Err(format!("more than {} items", super::MOST_ITEMS));
        }
    }
    Ok(if items.is_empty() { none() } else { Value::list(items) })
}

fn compact(arguments: &Arguments) -> Result<Value, String> {
    let list = arguments.list(0, "compact")?;
    Ok(Value::list(list.iter().filter(|item| item.truth()).cloned().collect()))
}

fn contains(items: &[Value], item: &Value, budget: &mut Budget) -> Result<bool, String> {
    for known in items {
        if known.deep_equal(item, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn uniq(arguments: &Arguments) -> Result<Value, String> {
    let (mut kept, mut words) = (Vec::new(), BTreeSet::new());
    let mut budget = Budget::new();
    for item in arguments.list(0, "uniq")?.iter() {
        // Texts are what lists are mostly made of.
        let is_new = match item {
            Value::Text(text) => words.insert(text.clone()),
            item => !contains(&kept, item, &mut budget)?,
        };
        if is_new {
            kept.push(item.clone());
        }
    }
    Ok(Value::list(kept))
}

fn without(arguments: &Arguments) -> Result<Value, String> {
    let mut kept = Vec::new();
    let mut budget = Budget::new();
    for item in arguments.list(0, "without")?.iter() {
        if !contains(arguments.rest(1), item, &mut budget)? {
            kept.push(item.clone());
        }
    }
    Ok(Value::list(kept))
}

fn has(arguments: &Arguments) -> Result<Value, String> {
    if arguments.value(1).is_nil() {
        return Ok(false.into());
    }
    let list = arguments.list(1, "has")?;
    Ok(contains(&list.to_vec(), &arguments.value(0), &mut Budget::new())?.into())
}

/// Numbers as the shell's `seq` prints them.
fn seq(arguments: &Arguments) -> Result<Value, String> {
    let (start, step, end) = match arguments.len() {
        1 => (1, if arguments.int(0) < 1 { -1 } else { 1 }, arguments.int(0)),
        2 => (arguments.int(0), if arguments.int(1) < arguments.int(0) { -1 } else { 1 }, arguments.int(1)),
        3 => (arguments.int(0), arguments.int(1), arguments.int(2)),
        _ => return Ok("".into()),
    };
    if arguments.len() == 3 && end < start && step > 0 {
        return Ok("".into());
    }
    let beyond = if end < start { -1 } else { 1 };
    let numbers = super::builtin::count(start, end.saturating_add(beyond), step)?;
    Ok(strings(&numbers)?.join(" ").into())
}
