//! Fractions calculated in decimal, so that 0.1 and 0.2 make 0.3.

use super::convert::to_float;
use crate::function::Parameter::Any;
use crate::function::{Arguments, Function};
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("addf", &[], |a| Ok(Value::Float(a.iter().map(to_float).fold(0.0, add)))).and(Any),
    Function::pure("add1f", &[Any], |a| Ok(Value::Float(add(to_float(&a.value(0)), 1.0)))),
    Function::pure("subf", &[Any], |a| chain(a, |a, b| Ok(add(a, -b)))).and(Any),
    Function::pure("mulf", &[Any], |a| chain(a, |a, b| Ok(multiply(a, b)))).and(Any),
    Function::pure("divf", &[Any], |a| chain(a, divide)).and(Any),
    Function::pure("maxf", &[Any], |a| chain(a, |a, b| Ok(if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })))
        .and(Any),
    Function::pure("minf", &[Any], |a| chain(a, |a, b| Ok(if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) })))
        .and(Any),
];

fn chain(arguments: &Arguments, by: fn(f64, f64) -> Result<f64, String>) -> Result<Value, String> {
    let mut all = arguments.iter().map(to_float);
    let first = all.next().unwrap_or(0.0);
    all.try_fold(first, by).map(Value::Float)
}

/// Digits and a power of ten. The digits that a float prints with.
struct Decimal {
    digits: i128,
    power: i32,
}

impl Decimal {
    fn of(f: f64) -> Option<Self> {
        let text = format!("{f:e}");
        let (mantissa, exponent) = text.split_once('e')?;
        let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let digits = mantissa.replace('.', "").parse().ok()?;
        Some(Self { digits, power: exponent.parse::<i32>().ok()? - i32::try_from(places).ok()? })
    }

    fn to_float(&self) -> Option<f64> {
        format!("{}e{}", self.digits, self.power).parse().ok()
    }

    /// The same number with a lower power.
    fn at(&self, power: i32) -> Option<i128> {
        let shift = u32::try_from(self.power.checked_sub(power)?).ok()?;
        self.digits.checked_mul(10i128.checked_pow(shift)?)
    }
}

fn add(a: f64, b: f64) -> f64 {
    let exact = || {
        let (a, b) = (Decimal::of(a)?, Decimal::of(b)?);
        let power = a.power.min(b.power);
        Decimal { digits: a.at(power)?.checked_add(b.at(power)?)?, power }.to_float()
    };
    exact().unwrap_or(a + b)
}

fn multiply(a: f64, b: f64) -> f64 {
    let exact = || {
        let (a, b) = (Decimal::of(a)?, Decimal::of(b)?);
        Decimal { digits: a.digits.checked_mul(b.digits)?, power: a.power + b.power }.to_float()
    };
    exact().unwrap_or(a * b)
}

/// To sixteen places; a half goes away from zero.
fn divide(a: f64, b: f64) -> Result<f64, String> {
    const PLACES: i32 = 16;
    if b == 0.0 {
        return Err("decimal division by 0".to_owned());
    }
    let exact = || {
        let (a, b) = (Decimal::of(a)?, Decimal::of(b)?);
        let power = a.power.checked_sub(b.power)?;
        // Both sides whole: the one that is smaller by powers of ten is scaled up.
        let (dividend, divisor) = if power >= -PLACES {
            (Decimal { digits: a.digits, power }.at(-PLACES)?, b.digits)
        } else {
            let scaled = Decimal { digits: b.digits, power: -PLACES }.at(power);
            (a.digits, scaled.unwrap_or(i128::MAX >> 1))
        };
        let (quotient, rest) = (dividend / divisor, dividend % divisor);
        let away = if (dividend < 0) == (divisor < 0) { 1 } else { -1 };
        let rounds = rest.unsigned_abs() * 2 >= divisor.unsigned_abs();
        Decimal { digits: if rounds { quotient + away } else { quotient }, power: -PLACES }.to_float()
    };
    Ok(exact().unwrap_or(a / b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp)]
    fn as_on_paper() {
        assert_eq!(add(0.1, 0.2), 0.3);
        assert_eq!(multiply(1.1, 1.1), 1.21);
        assert_eq!(divide(1.0, 3.0), Ok(0.333_333_333_333_333_3));
        assert_eq!(divide(-2.0, 3.0), Ok(-0.666_666_666_666_666_7));
        assert_eq!(divide(0.1, 1e21), Ok(0.0));
        assert_eq!(divide(1e-10, 1e6), Ok(1e-16));
        assert_eq!(add(1e300, 1e-300), 1e300);
        assert!(divide(1.0, 0.0).is_err());
    }
}
