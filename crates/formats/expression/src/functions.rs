//! Functions without an owner (pipelines §3.6).

use crate::error::{ErrorKind, Fault, Outcome};
use crate::limits::Meter;
use crate::methods::{expect, int, text};
use crate::moment::{Form, Moment, Unit};
use crate::operators::{self, Number};
use crate::{Value, functors};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use jiff::Timestamp;

/// Names that have a value without a scope (pipelines §11.5, SEED-46).
pub(crate) const BUILT_IN_NAMES: &[&str] = &["currentDate", "currentTime"];

/// Functions that read the clock.
pub(crate) const CLOCK: &[&str] = &["currentDate", "currentTime"];

const NAMES: &[&str] = &[
    "abs",
    "base64Decode",
    "base64Encode",
    "ceil",
    "currentDate",
    "currentTime",
    "dateFormat",
    "empty",
    "floor",
    "max",
    "min",
    "plusDays",
    "plusHours",
    "plusMinutes",
    "round",
    "size",
];

pub(crate) fn call(name: &str, arguments: &[Value], now: Timestamp, meter: &mut Meter) -> Outcome<Value> {
    let plus = |unit: Unit| {
        expect(name, arguments, 2..=2)?;
        Moment::from_value(&arguments[0])?.plus(int(name, arguments, 1)?, unit).map(Value::Moment)
    };
    match name {
        "currentDate" => {
            expect(name, arguments, 0..=0)?;
            Ok(Value::Moment(Moment::new(now, Form::Date)))
        }
        "currentTime" => {
            expect(name, arguments, 0..=0)?;
            Ok(Value::Moment(Moment::new(now, Form::Time)))
        }
        "dateFormat" => {
            expect(name, arguments, 2..=2)?;
            Moment::from_value(&arguments[0])?.format(&text(name, arguments, 1)?).map(Value::from)
        }
        "plusMinutes" => plus(Unit::Seconds(60)),
        "plusHours" => plus(Unit::Seconds(3600)),
        "plusDays" => plus(Unit::Days),
        "base64Encode" => {
            expect(name, arguments, 1..=1)?;
            let plain = text(name, arguments, 0)?;
            meter.allow_bytes(plain.len() / 3 * 4)?;
            Ok(BASE64.encode(plain).into())
        }
        "base64Decode" => {
            expect(name, arguments, 1..=1)?;
            let refuse = |what: &str| Fault::from(ErrorKind::Data(format!("the argument of `{name}` is not {what}")));
            let bytes = BASE64.decode(text(name, arguments, 0)?.trim()).map_err(|_| refuse("base64"))?;
            String::from_utf8(bytes).map(Value::from).map_err(|_| refuse("text in base64"))
        }
        "abs" | "ceil" | "floor" | "round" => {
            expect(name, arguments, 1..=1)?;
            round(name, operators::number(&arguments[0])?)
        }
        "min" | "max" => extreme(name, arguments),
        "size" => {
            expect(name, arguments, 1..=1)?;
            if arguments[0].is_null() {
                Ok(Value::Int(0))
            } else {
                crate::methods::call(&arguments[0], "size", &[], meter)
            }
        }
        "empty" => Err(expect(name, arguments, 1..=1).err().unwrap_or_else(|| unknown(name))),
        _ => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Fault {
    if functors::NAMES.contains(&name) {
        let fault = Fault::from(ErrorKind::Unknown { what: "function", name: name.to_owned() });
        return fault.remedy(format!("call one of its methods, as in {name}.…(…)"));
    }
    Fault::unknown("function", name, NAMES.iter().copied())
}

/// Whole numbers come out whole; halves are rounded up, as in Java.
fn round(name: &str, number: Number) -> Outcome<Value> {
    let too_large = || Fault::from(ErrorKind::Argument(format!("the result of `{name}` is too large")));
    match (name, number) {
        ("abs", Number::Int(int)) => int.checked_abs().map(Value::Int).ok_or_else(too_large),
        ("abs", Number::Float(float)) => Ok(Value::Float(float.abs())),
        (_, Number::Int(int)) => Ok(Value::Int(int)),
        (_, Number::Float(float)) => {
            let whole = match name {
                "ceil" => float.ceil(),
                "floor" => float.floor(),
                _ if float - float.floor() >= 0.5 => float.ceil(),
                _ => float.floor(),
            };
            // Whole numbers up to 2^53 are exact in both forms.
            if whole.abs() <= 9_007_199_254_740_992.0 { Ok(Value::Int(whole as i64)) } else { Err(too_large()) }
        }
    }
}

/// Of the arguments, or of one list.
fn extreme(name: &str, arguments: &[Value]) -> Outcome<Value> {
    let items = match arguments {
        [Value::List(items)] => items.as_slice(),
        other => other,
    };
    let mut best: Option<Number> = None;
    for item in items {
        let number = operators::number(item)?;
        let wins = match best.and_then(|best| number.compare(best)) {
            Some(ordering) => {
                if name == "min" {
                    ordering.is_lt()
                } else {
                    ordering.is_gt()
                }
            }
            None => true,
        };
        if wins {
            best = Some(number);
        }
    }
    best.map(Value::from).ok_or_else(|| ErrorKind::Argument(format!("`{name}` takes at least one number")).into())
}
