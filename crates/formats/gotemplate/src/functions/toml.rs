//! TOML.

use crate::function::Function;
use crate::function::Parameter::{Any, Text};
use crate::value::{Map, NoToml, Value, write_toml};
use toml::de::{DeTable, DeValue};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("toToml", &[Any], |a| match write_toml(&a.value(0)) {
        // What cannot be written is told in the text, as in the reference.
        Err(problem @ (NoToml::NilElement | NoToml::NoKey)) => Ok(problem.to_string().into()),
        text => text.map(Value::from).map_err(|problem| problem.to_string()),
    })
    .only_in_helm(),
    Function::pure("fromToml", &[Text], |a| Ok(read(&a.text(0)))).only_in_helm(),
];

/// A problem is told in the value, as Helm does.
fn read(text: &str) -> Value {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table = DeTable::parse(text).map_err(|problem| {
        let before = problem.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        format!("toml: line {}: {}", before.matches('\n').count() + 1, problem.message())
    });
    let map = table.and_then(|table| map_of(table.get_ref()));
    Value::Map(map.unwrap_or_else(|problem| {
        let map = Map::new();
        map.set("Error".into(), problem.into());
        map
    }))
}

fn map_of(table: &DeTable<'_>) -> Result<Map, String> {
    let map = Map::new();
    for (name, value) in table {
        map.set(name.get_ref().as_ref().into(), value_of(value.get_ref())?);
    }
    Ok(map)
}

fn value_of(value: &DeValue<'_>) -> Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix());
            Value::Int64(whole.map_err(|_| format!("toml: {number} is out of range for int64"))?)
        }
        DeValue::Float(number) => {
            let float = number.as_str().parse().map_err(|_| format!("toml: {number} is no float"))?;
            Value::Float(float)
        }
        DeValue::Boolean(b) => (*b).into(),
        DeValue::Datetime(moment) => {
            return Err(format!("toml: {moment}: dates are not read here: write it as a text"));
        }
        DeValue::Array(items) => {
            Value::list(items.iter().map(|item| value_of(item.get_ref())).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Value::Map(map_of(table)?),
    })
}
