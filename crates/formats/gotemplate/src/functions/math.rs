//! Numbers. Whole numbers wrap around, as Go's do.

use super::convert::{to_float, to_int};
use crate::function::Parameter::{Any, Int};
use crate::function::{Arguments, Function};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("add", &[], |a| Ok(Value::Int64(a.iter().map(to_int).fold(0, i64::wrapping_add)))).and(Any),
    Function::pure("add1", &[Any], |a| Ok(Value::Int64(to_int(&a.value(0)).wrapping_add(1)))),
    Function::pure("sub", &[Any, Any], |a| Ok(Value::Int64(to_int(&a.value(0)).wrapping_sub(to_int(&a.value(1)))))),
    Function::pure("mul", &[Any], |a| Ok(Value::Int64(a.iter().map(to_int).fold(1, i64::wrapping_mul)))).and(Any),
    Function::pure("div", &[Any, Any], |a| divided(a, i64::wrapping_div)),
    Function::pure("mod", &[Any, Any], |a| divided(a, i64::wrapping_rem)),
    Function::pure("max", &[Any], |a| Ok(Value::Int64(a.iter().map(to_int).max().unwrap_or(0)))).and(Any),
    Function::pure("biggest", &[Any], |a| Ok(Value::Int64(a.iter().map(to_int).max().unwrap_or(0)))).and(Any),
    Function::pure("min", &[Any], |a| Ok(Value::Int64(a.iter().map(to_int).min().unwrap_or(0)))).and(Any),
    Function::pure("floor", &[Any], |a| Ok(Value::Float(to_float(&a.value(0)).floor()))),
    Function::pure("ceil", &[Any], |a| Ok(Value::Float(to_float(&a.value(0)).ceil()))),
    Function::pure("round", &[Any, Int], round).and(crate::function::Parameter::Float),
];

fn divided(arguments: &Arguments, by: fn(i64, i64) -> i64) -> Result<Value, String> {
    match to_int(&arguments.value(1)) {
        0 => Err("division by zero".to_owned()),
        divisor => Ok(Value::Int64(by(to_int(&arguments.value(0)), divisor))),
    }
}

/// To so many places; a half goes up, or the third argument says what does.
fn round(arguments: &Arguments) -> Result<Value, String> {
    let half = match arguments.rest(2).first() {
        Some(Value::Float(half)) => *half,
        _ => 0.5,
    };
    // Beyond these the power is infinite, or nothing.
    let places = i32::try_from(arguments.int(1).clamp(-400, 400)).unwrap_or(0);
    let power = 10f64.powi(places);
    let digits = to_float(&arguments.value(0)) * power;
    let rounded = if digits.fract() >= half { digits.ceil() } else { digits.floor() };
    Ok(Value::Float(rounded / power))
}
