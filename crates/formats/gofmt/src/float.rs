mod bits;
mod decimal;

pub use decimal::Decimal;

use crate::Spec;
use crate::number::number;

/// No float has more digits behind its point; Rust's own formatting ends soon after.
const MOST: usize = 1_100;

/// `%v`: the fewest digits, with an exponent when it is below -4 or above 5 (rendering §2.2).
#[must_use]
pub fn shortest(f: f64) -> String {
    let mut out = String::new();
    float(&mut out, f, 'v', &Spec::default());
    out
}

/// Writes a float. False, and nothing is written: the verb is none of floats.
pub fn float(out: &mut String, f: f64, verb: char, spec: &Spec) -> bool {
    if !matches!(verb, 'v' | 'g' | 'G' | 'e' | 'E' | 'f' | 'F' | 'b' | 'x' | 'X') {
        return false;
    }
    if !f.is_finite() {
        special(out, f, spec);
        return true;
    }
    let size = f.abs();
    let mut made = match verb {
        'e' | 'E' => scientific(size, spec.precision.unwrap_or(6)),
        'f' | 'F' => fixed(size, spec.precision.unwrap_or(6)),
        'b' => bits::binary(size),
        'x' | 'X' => bits::hexadecimal(size, spec.precision),
        _ => general(size, spec.precision),
    };
    if spec.sharp && verb != 'b' {
        made = pointed(&made, verb, spec.precision);
    }
    if verb.is_ascii_uppercase() {
        made.make_ascii_uppercase();
    }
    let sign = spec.sign(f.is_sign_negative());
    let zeros = spec.zeros().unwrap_or(0).saturating_sub(sign.len() + made.len());
    number(out, sign, "", zeros, &made, spec);
    true
}

/// What is no number is never filled up with zeros; infinity always has a sign.
fn special(out: &mut String, f: f64, spec: &Spec) {
    let (is_negative, name) = if f.is_nan() { (false, "NaN") } else { (f < 0.0, "Inf") };
    let sign = match spec.sign(is_negative) {
        "" if !f.is_nan() => "+",
        sign => sign,
    };
    number(out, sign, "", 0, name, spec);
}

/// `%g`: the fewest digits, or so many.
fn general(f: f64, precision: Option<usize>) -> String {
    let (decimal, most) = match precision.map(|precision| precision.clamp(1, MOST)) {
        Some(count) => (Decimal::rounded(f, count), i32::try_from(count).unwrap_or(i32::MAX)),
        None => (Decimal::shortest(f), 6),
    };
    if decimal.exponent < -4 || decimal.exponent >= most {
        return decimal.mantissa() + &power(decimal.exponent);
    }
    decimal.plain()
}

/// `%e`
fn scientific(f: f64, precision: usize) -> String {
    let text = format!("{f:.*e}", precision.min(MOST));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let zeros = "0".repeat(precision.saturating_sub(MOST));
    format!("{mantissa}{zeros}{}", power(exponent.parse().unwrap_or(0)))
}

/// `%f`
fn fixed(f: f64, precision: usize) -> String {
    format!("{f:.*}{}", precision.min(MOST), "0".repeat(precision.saturating_sub(MOST)))
}

/// At least two digits, always a sign.
fn power(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}

/// `#`: always with a point, and with the zeros that `%g` leaves out.
fn pointed(text: &str, verb: char, precision: Option<usize>) -> String {
    let end = text.find(if matches!(verb, 'x' | 'X') { 'p' } else { 'e' }).unwrap_or(text.len());
    let (number, exponent) = text.split_at(end);
    let wanted = if matches!(verb, 'e' | 'E' | 'f' | 'F' | 'X') { 0 } else { precision.unwrap_or(6) };
    // Go counts the `x` of `0x` as a digit.
    let written = number.chars().filter(|c| *c != '.').skip_while(|c| *c == '0').count();
    let (point, written) = match number {
        _ if number.contains('.') => ("", written),
        "0" => (".", 1),
        _ => (".", written),
    };
    format!("{number}{point}{}{exponent}", "0".repeat(wanted.saturating_sub(written)))
}
