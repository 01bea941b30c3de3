//! Floats as Go prints them.

use serde_json::Number;

/// `strconv.FormatFloat(f, 'g', -1, 64)`: with an exponent when it is below -4 or above 5 (rendering, correction d).
pub(crate) fn shortest(f: f64) -> String {
    special(f).unwrap_or_else(|| Decimal::of(&json_text(f)).with_exponent_outside(-4..6))
}

/// The same without an exponent, as a person would write it.
pub(crate) fn plain(f: f64) -> String {
    special(f).unwrap_or_else(|| Decimal::of(&json_text(f)).with_exponent_outside(i32::MIN..i32::MAX))
}

/// A float without a fraction as the integer that it is on its way through JSON: its shortest digits, when 64 bits hold
/// what they say.
pub(crate) fn integer(f: f64) -> Option<Number> {
    if f.fract() != 0.0 || f.abs() >= 1e20 {
        return None;
    }
    let digits = plain(f);
    digits.parse::<i64>().map(Number::from).or_else(|_| digits.parse::<u64>().map(Number::from)).ok()
}

/// A float that is a key of a control file: the reference prints these with the precision of 32 bits.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn key(f: f64) -> String {
    let narrow = f as f32;
    special(narrow.into()).unwrap_or_else(|| Decimal::of(&format!("{narrow:e}")).with_exponent_outside(-4..6))
}

fn special(f: f64) -> Option<String> {
    if f.is_nan() {
        Some(".nan".into())
    } else if f.is_infinite() {
        Some(if f > 0.0 { ".inf" } else { "-.inf" }.into())
    } else {
        None
    }
}

/// The shortest digits that read back as the same float. Where two are equally short and near, JSON's printer takes the
/// even one, as Go does; the standard library does not.
fn json_text(f: f64) -> String {
    Number::from_f64(f).map_or_else(|| f.to_string(), |number| number.to_string())
}

/// `-1.25e6` is `-`, `125` and 6.
struct Decimal {
    sign: &'static str,
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// Reads what a printer wrote, with or without an exponent.
    fn of(printed: &str) -> Self {
        let unsigned = printed.trim_start_matches('-');
        let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0');
        let leading_zeros = digits.len() - significant.len();
        let point = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        let exponent = exponent.parse::<i32>().unwrap_or_default() + point(whole.len()) - 1 - point(leading_zeros);
        let sign = if printed.starts_with('-') { "-" } else { "" };
        match significant.trim_end_matches('0') {
            "" => Self { sign, digits: "0".into(), exponent: 0 },
            digits => Self { sign, digits: digits.into(), exponent },
        }
    }

    fn with_exponent_outside(&self, plain: std::ops::Range<i32>) -> String {
        let Self { sign, digits, exponent } = self;
        if !plain.contains(exponent) {
            let point = if digits.len() > 1 { "." } else { "" };
            let exponent_sign = if *exponent < 0 { '-' } else { '+' };
            let exponent = exponent.unsigned_abs();
            return format!("{sign}{}{point}{}e{exponent_sign}{exponent:02}", &digits[..1], &digits[1..]);
        }
        match usize::try_from(exponent + 1) {
            Err(_) => format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1)),
            Ok(0) => format!("{sign}0.{digits}"),
            Ok(point) if digits.len() <= point => format!("{sign}{digits:0<point$}"),
            Ok(point) => format!("{sign}{}.{}", &digits[..point], &digits[point..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{integer, key, plain, shortest};

    #[test]
    fn prints_as_go_does() {
        let table = [
            (0.1, "0.1", "0.1"),
            (1.0, "1", "1"),
            (-0.0, "-0", "-0"),
            (123_456.5, "123456.5", "123456.5"),
            (1_234_567.5, "1.2345675e+06", "1234567.5"),
            (1e20, "1e+20", "100000000000000000000"),
            (0.0001, "0.0001", "0.0001"),
            (0.000_01, "1e-05", "0.00001"),
            (-1.25e-7, "-1.25e-07", "-0.000000125"),
            (5e-324, "5e-324", &format!("0.{}5", "0".repeat(323))),
            (-9_875_830_542_493.562, "-9.875830542493562e+12", "-9875830542493.562"),
            (f64::NEG_INFINITY, "-.inf", "-.inf"),
        ];
        for (f, expected, unscaled) in table {
            assert_eq!((shortest(f).as_str(), plain(f).as_str()), (expected, unscaled));
        }
        assert_eq!(key(1.1), "1.1");
        assert_eq!(key(16_777_217.0), "1.6777216e+07");
        assert_eq!(integer(-65_109_697_792_829_824.0).unwrap().to_string(), "-65109697792829820");
        assert_eq!(integer(1e19).unwrap().as_u64(), Some(10_000_000_000_000_000_000));
        assert_eq!((integer(1e20), integer(1.5)), (None, None));
    }
}
