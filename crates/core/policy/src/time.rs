//! Rego's time functions, by the rules of Go, which OPA's authors wrote policies against.
//!
//! Pure functions of their arguments. Zones come from the database in the binary: neither the machine's own zone (`Local` is UTC
//! here) nor its database is a part of a decision. Arguments that make no sense have no value.

mod add;
mod calendar;
mod diff;
mod duration;
mod format;
mod layout;
mod moment;
mod parse;
mod zone;

use crate::bounded;
use moment::Moment;
use regorus::{Engine, Value};

/// `None` is undefined.
type Function = fn(&[Value]) -> Option<Value>;

/// Name, number of arguments, and what it does.
const FUNCTIONS: &[(&str, u8, Function)] = &[
    ("time.add_date", 4, add_date),
    ("time.clock", 1, |a| Some(list(&Moment::read(a.first()?)?.clock()))),
    ("time.date", 1, |a| Some(list(&Moment::read(a.first()?)?.date()))),
    ("time.diff", 2, |a| Some(list(&diff::diff(&Moment::read(a.first()?)?, &Moment::read(a.get(1)?)?)))),
    ("time.format", 1, format),
    ("time.parse_duration_ns", 1, |a| Some(Value::from(duration::parse(text(a.first()?)?)?))),
    ("time.parse_ns", 2, |a| Some(Value::from(parse::parse(layout::named(text(a.first()?)?), text(a.get(1)?)?)?))),
    ("time.parse_rfc3339_ns", 1, |a| Some(Value::from(parse::parse(layout::RFC3339, text(a.first()?)?)?))),
    ("time.weekday", 1, |a| Some(Value::from(Moment::read(a.first()?)?.weekday()))),
];

/// The number of arguments of a function of this file.
pub(crate) fn arguments(name: &str) -> Option<usize> {
    FUNCTIONS.iter().find(|(known, ..)| *known == name).map(|(_, arguments, _)| usize::from(*arguments))
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, ..)| *name)
}

pub(crate) fn install(engine: &mut Engine) -> anyhow::Result<()> {
    for (name, arguments, function) in FUNCTIONS {
        let call = move |values: Vec<Value>| {
            bounded::allow(name, || 4 * bounded::size_all(&values))?;
            Ok(function(&values).unwrap_or(Value::Undefined))
        };
        engine.add_extension((*name).to_owned(), *arguments, Box::new(call))?;
    }
    Ok(())
}

fn add_date(arguments: &[Value]) -> Option<Value> {
    let [at, years, months, days] = arguments else { return None };
    let nanos = add::add(&Moment::read(at)?, integer(years)?, integer(months)?, integer(days)?)?;
    Some(Value::from(nanos))
}

fn format(arguments: &[Value]) -> Option<Value> {
    let argument = arguments.first()?;
    let moment = Moment::read(argument)?;
    let wanted = match argument {
        Value::Array(parts) => parts.get(2).map_or(Some(""), text)?,
        _ => "",
    };
    let layout = if wanted.is_empty() { layout::RFC3339_NANO } else { layout::named(wanted) };
    Some(Value::from(format::format(&moment, layout)))
}

fn integer(value: &Value) -> Option<i64> {
    value.as_number().ok()?.as_i64()
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn list(numbers: &[i64]) -> Value {
    Value::from(numbers.iter().copied().map(Value::from).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, Value, list};
    use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

    fn call(name: &str, arguments: &[Value]) -> Option<Value> {
        FUNCTIONS.iter().find(|(known, ..)| *known == name).unwrap().2(arguments)
    }

    fn number() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i64>().prop_map(Value::from),
            (-40i64..40).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            Just(Value::from(i64::MAX)),
            Just(Value::from(i64::MIN)),
            Just(Value::from(u64::MAX)),
        ]
    }

    fn text() -> impl Strategy<Value = Value> {
        let known = "(Europe/Berlin|UTC|America/St_Johns|2006|Jan|_2|__2|002|01|02|15|03|04|05|PM|pm|MST|Z07:00|-070000|\\.000|,999|[0-9]{1,4}|[hmsdwy+.:,TZ -]|\\PC){0,12}";
        known.prop_map(Value::from)
    }

    fn argument() -> impl Strategy<Value = Value> {
        let parts = |(number, zone, layout)| Value::from(vec![number, zone, layout]);
        let zone = prop_oneof![Just(Value::from("Europe/London")), text()];
        prop_oneof![number(), text(), Just(Value::Null), Just(list(&[])), (number(), zone, text()).prop_map(parts)]
    }

    proptest! {
        #[test]
        fn every_argument_has_an_answer(a in argument(), b in argument(), c in number(), d in number()) {
            let size = crate::bounded::size_all(&[a.clone(), b.clone()]);
            for (name, arguments, function) in FUNCTIONS {
                let all = [a.clone(), b.clone(), c.clone(), d.clone()];
                if let Some(answer) = function(&all[..usize::from(*arguments)]) {
                    assert!(crate::bounded::size(&answer) <= 64 + 4 * size, "{name} of {all:?}");
                }
            }
        }

        #[test]
        fn what_is_written_can_be_read(nanos in any::<i64>()) {
            for layout in ["RFC3339Nano", "2006-01-02 15:04:05.000000000 -070000", "2006 002 3:4:5 pm ,999999999 Z07:00:00"] {
                for zone in ["UTC", "Europe/London", "Asia/Kolkata"] {
                    let written = call("time.format", &[Value::from(vec![nanos.into(), zone.into(), layout.into()])]).unwrap();
                    // Before there were time zones, offsets had seconds that RFC 3339 cannot tell.
                    if layout != "RFC3339Nano" || nanos > 0 {
                        assert_eq!(call("time.parse_ns", &[layout.into(), written]), Some(nanos.into()));
                    }
                }
            }
        }

        #[test]
        fn nothing_and_back(nanos in any::<i64>()) {
            assert_eq!(call("time.add_date", &[nanos.into(), 0.into(), 0.into(), 0.into()]), Some(nanos.into()));
            assert_eq!(call("time.diff", &[nanos.into(), nanos.into()]), Some(list(&[0; 6])));
        }
    }
}
