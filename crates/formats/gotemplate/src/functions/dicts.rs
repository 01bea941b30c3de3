//! Maps. `set`, `unset`, `merge` and `mergeOverwrite` change the map that they are given.

use crate::code;
use crate::function::Parameter::{Any, Map as AnyMap, Text};
use crate::function::{Arguments, Function};
use crate::machine::{Call, Fault};
use crate::print;
use crate::value::{Budget, MAP, Map, TooMuch, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("dict", &[], dict).and(Any),
    Function::pure("get", &[AnyMap, Text], |a| Ok(a.map(0).get(&a.text(1)).unwrap_or_else(|| "".into()))),
    Function::inside("set", &[AnyMap, Text, Any], |call, a| {
        let map = a.map(0);
        call.machine.changed(&map);
        map.set(a.text(1), a.value(2));
        Ok(Value::Map(map))
    }),
    Function::inside("unset", &[AnyMap, Text], |_, a| {
        let map = a.map(0);
        map.unset(&a.text(1));
        Ok(Value::Map(map))
    }),
    Function::pure("hasKey", &[AnyMap, Text], |a| Ok(a.map(0).contains(&a.text(1)).into())),
    Function::pure("keys", &[], |a| {
        Ok(Value::texts((0..a.len()).flat_map(|index| a.map(index).entries()).map(|(name, _)| name)))
    })
    .and(AnyMap),
    Function::pure("values", &[AnyMap], |a| Ok(Value::list(a.map(0).entries().into_iter().map(|(_, v)| v).collect()))),
    Function::pure("pick", &[AnyMap], |a| Ok(filtered(&a.map(0), |name| a.rest(1).iter().any(|k| is(k, name)))))
        .and(Text),
    Function::pure("omit", &[AnyMap], |a| Ok(filtered(&a.map(0), |name| !a.rest(1).iter().any(|k| is(k, name)))))
        .and(Text),
    Function::pure("pluck", &[Text], |a| {
        Ok(Value::list((1..a.len()).filter_map(|index| a.map(index).get(&a.text(0))).collect()))
    })
    .and(AnyMap),
    Function::pure("dig", &[Any, Any, Any], dig).and(Any),
    Function::inside("merge", &[AnyMap], |call, a| merge_all(call, a, false)).and(AnyMap),
    Function::inside("mustMerge", &[AnyMap], |call, a| merge_all(call, a, false)).and(AnyMap),
    Function::inside("mergeOverwrite", &[AnyMap], |call, a| merge_all(call, a, true)).and(AnyMap),
    Function::inside("mustMergeOverwrite", &[AnyMap], |call, a| merge_all(call, a, true)).and(AnyMap),
    Function::pure("deepCopy", &[Any], deep_copy),
    Function::pure("mustDeepCopy", &[Any], deep_copy),
];

fn is(value: &Value, name: &str) -> bool {
    matches!(value, Value::Text(text) if **text == *name)
}

fn deep_copy(arguments: &Arguments) -> Result<Value, String> {
    let value = arguments.value(0);
    if value.is_nil() {
        return Err("nothing cannot be copied".to_owned());
    }
    Ok(value.deep_copy(&mut Budget::new())?)
}

/// Names and values by turns; a name without a value gets an empty text.
fn dict(arguments: &Arguments) -> Result<Value, String> {
    let map = Map::new();
    for pair in arguments.rest(0).chunks(2) {
        let name = match &pair[0] {
            Value::Text(name) => std::sync::Arc::clone(name),
            other => print::plain(other)?.into(),
        };
        map.set(name, pair.get(1).cloned().unwrap_or_else(|| "".into()));
    }
    Ok(Value::Map(map))
}

fn filtered(map: &Map, keep: impl Fn(&str) -> bool) -> Value {
    let kept = Map::new();
    for (name, value) in map.entries().into_iter().filter(|(name, _)| keep(name)) {
        kept.set(name, value);
    }
    Value::Map(kept)
}

/// `dig "a" "b" DEFAULT MAP`
fn dig(arguments: &Arguments) -> Result<Value, String> {
    let count = arguments.len();
    let fallback = arguments.value(count - 2);
    let mut value = arguments.value(count - 1);
    let way = arguments.rest(0).iter().take(count - 2);
    if let Some(other) = way.clone().find(|step| !step.is_text()) {
        return Err(format!("interface conversion: interface {{}} is {}, not string", other.type_name()));
    }
    if value.as_map().is_none_or(|map| map.kind().name != MAP.name) {
        return Err(no_map(&value));
    }
    for step in way {
        let Value::Text(name) = step else { return Ok(fallback) };
        let Value::Map(map) = &value else { return Err(no_map(&value)) };
        if map.kind().name != MAP.name {
            return Err(no_map(&value));
        }
        match map.get(name) {
            Some(inside) => value = inside,
            None => return Ok(fallback),
        }
    }
    Ok(value)
}

fn no_map(value: &Value) -> String {
    let hint = if value.type_name() == "chartutil.Values" { ": write .Values.AsMap" } else { "" };
    match value.is_nil() {
        true => format!("interface conversion: interface {{}} is nil, not {}", MAP.name),
        false => format!("interface conversion: interface {{}} is {}, not {}{hint}", value.type_name(), MAP.name),
    }
}

fn merge_all(call: &mut Call<'_, '_>, arguments: &Arguments, overwrite: bool) -> Result<Value, Fault> {
    let target = arguments.map(0);
    let mut budget = Budget::new();
    for index in 1..arguments.len() {
        merge(call, &target, &arguments.map(index), overwrite, &mut budget)
            .map_err(|problem| call.machine.fault(code::EXECUTION, call.at, problem.to_string()))?;
    }
    Ok(Value::Map(target))
}

/// Maps are merged. Of two other values the first one stays when it holds something, or goes when `overwrite` says so: also
/// for a null, a zero or an empty list. An empty map never replaces another one (rendering, correction q).
fn merge(
    call: &mut Call<'_, '_>,
    target: &Map,
    source: &Map,
    overwrite: bool,
    budget: &mut Budget,
) -> Result<(), TooMuch> {
    budget.enter()?;
    call.machine.changed(target);
    for (name, value) in source.entries() {
        let old = target.get(&name);
        if value.is_nil() {
            if overwrite {
                target.set(name, Value::Nil);
            }
            continue;
        }
        if let (Some(Value::Map(old)), Value::Map(new)) = (&old, &value) {
            merge(call, old, new, overwrite, budget)?;
            if !old.is_empty() {
                continue;
            }
        }
        let keeps = old.as_ref().is_some_and(Value::truth);
        if overwrite || !keeps {
            target.set(name, value);
        }
    }
    budget.leave();
    Ok(())
}
