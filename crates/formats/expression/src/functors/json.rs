use super::jsonpath::JsonPath;
use crate::Value;
use crate::error::{ErrorKind, Fault, Outcome, shorten};
use crate::limits::Meter;
use crate::methods::{expect, text};

pub(super) fn call(name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Option<Value>> {
    match name {
        "select" => {
            expect("json.select", arguments, 2..=2)?;
            select("json.select", arguments, meter)
        }
        "list" => {
            expect("json.list", arguments, 2..=2)?;
            Ok(match select("json.list", arguments, meter)? {
                Some(list @ Value::List(_)) => Some(list),
                Some(single) => Some(Value::list(vec![single])),
                None => None,
            })
        }
        "object" => {
            expect("json.object", arguments, 1..=1)?;
            parse("json.object", &arguments[0], meter).map(Some)
        }
        "format" => {
            expect("json.format", arguments, 1..=1)?;
            // A string becomes JSON too, with quotes.
            meter.admit(arguments[0].clone())?;
            let json = arguments[0].to_json_text().ok_or_else(|| crate::operators::inspected("`json.format`"))?;
            Ok(Some(json.into()))
        }
        _ => Err(Fault::unknown("method of `json`", name, ["select", "list", "object", "format"])),
    }
}

/// One value for a path that can name only one, else the list of all.
fn select(name: &str, arguments: &[Value], meter: &mut Meter) -> Outcome<Option<Value>> {
    let path = JsonPath::parse(&text(name, arguments, 0)?)?;
    let root = parse(name, &arguments[1], meter)?;
    let mut found = path.select(&root, meter)?;
    if path.is_definite() { Ok(found.pop()) } else { Ok(Some(Value::list(found))) }
}

/// JSON text, or a value that is structured already.
fn parse(name: &str, value: &Value, meter: &mut Meter) -> Outcome<Value> {
    match value {
        Value::List(_) | Value::Map(_) => Ok(value.clone()),
        Value::Null => Err(ErrorKind::Data(format!("`{name}` takes JSON text, not null")).into()),
        other => {
            let text = crate::operators::plain_text(other, &format!("`{name}`"))?;
            meter.spend_bytes(text.len())?;
            serde_json::from_str(&text).map_err(|error| {
                ErrorKind::Data(format!("`{name}` takes JSON text: {}", shorten(&error.to_string()))).into()
            })
        }
    }
}
