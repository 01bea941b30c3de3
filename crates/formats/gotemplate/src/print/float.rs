//! Floats as Go prints them.

/// `%v`: the shortest digits, with an exponent when it is below -4 or above 5 (rendering §2.2).
pub(crate) fn shortest(f: f64) -> String {
    special(f).unwrap_or_else(|| {
        let (sign, digits, exponent) = decimal(f);
        general(sign, &digits, exponent, 6)
    })
}

/// `%g`, with or without a precision.
pub(crate) fn short(f: f64, precision: Option<usize>) -> String {
    if let Some(special) = special(f) {
        return special;
    }
    let Some(precision) = precision else { return shortest(f) };
    let precision = precision.max(1);
    let (sign, digits, exponent) = parts(&format!("{f:.*e}", precision - 1));
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    general(sign, digits, exponent, i32::try_from(precision).unwrap_or(i32::MAX))
}

/// `%e`
pub(crate) fn scientific(f: f64, precision: usize) -> String {
    special(f).unwrap_or_else(|| {
        let text = format!("{f:.precision$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{mantissa}{}", power(exponent.parse().unwrap_or(0)))
    })
}

/// `%f`
pub(crate) fn fixed(f: f64, precision: usize) -> String {
    special(f).unwrap_or_else(|| format!("{f:.precision$}"))
}

/// The shortest digits, filled up with zeros, of a float without a fraction.
pub(crate) fn whole(f: f64) -> String {
    let (sign, digits, exponent) = decimal(f);
    let zeros = usize::try_from(exponent + 1).unwrap_or(0).saturating_sub(digits.len());
    format!("{sign}{digits}{}", "0".repeat(zeros))
}

/// As Go's encoder of JSON writes it: an exponent below -6 and from 21 up, in as few digits as it takes.
pub(crate) fn json(f: f64) -> String {
    let (sign, digits, exponent) = decimal(f);
    if f != 0.0 && !(1e-6..1e21).contains(&f.abs()) {
        let sign_of_exponent = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{}e{sign_of_exponent}{}", mantissa(&digits), exponent.unsigned_abs());
    }
    decimals(sign, &digits, exponent)
}

/// `%b`: the bits as a whole number and a power of two.
pub(crate) fn binary(f: f64) -> String {
    if !f.is_finite() {
        return shortest(f);
    }
    const FRACTION: u32 = 52;
    let bits = f.to_bits();
    let stored = i64::try_from(bits >> FRACTION & 0x7ff).unwrap_or_default();
    let hidden = if stored == 0 { 0 } else { 1 << FRACTION };
    let mantissa = bits & ((1 << FRACTION) - 1) | hidden;
    let exponent = stored.max(1) - 1023 - i64::from(FRACTION);
    format!("{}{mantissa}p{exponent:+}", if f.is_sign_negative() { "-" } else { "" })
}

/// `%x`: the bits, as `0x1.8p+01`.
pub(crate) fn hexadecimal(f: f64) -> String {
    special(f).unwrap_or_else(|| {
        let bits = f.to_bits();
        let sign = if f.is_sign_negative() { "-" } else { "" };
        let mut fraction = bits & ((1 << 52) - 1);
        let mut exponent = i32::try_from(bits >> 52 & 0x7ff).unwrap_or(0) - 1023;
        if f == 0.0 {
            return format!("{sign}0x0p+00");
        }
        if exponent == -1023 {
            // A float near zero has no leading one: the first bit that is set becomes it.
            let shift = fraction.leading_zeros() - 11;
            fraction = fraction << shift & ((1 << 52) - 1);
            exponent = -1022 - i32::try_from(shift).unwrap_or(0);
        }
        let digits = format!("{fraction:013x}");
        let digits = digits.trim_end_matches('0');
        let point = if digits.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        format!("{sign}0x1{point}{digits}p{exponent_sign}{:02}", exponent.unsigned_abs())
    })
}

fn special(f: f64) -> Option<String> {
    if f.is_nan() {
        Some("NaN".to_owned())
    } else if f.is_infinite() {
        Some(if f > 0.0 { "+Inf" } else { "-Inf" }.to_owned())
    } else {
        None
    }
}

/// Sign, digits without zeros at the end, and the exponent of the first digit. Where two texts are equally short and near,
/// the printer of JSON takes the even one, as Go does.
fn decimal(f: f64) -> (&'static str, String, i32) {
    let text = serde_json::Number::from_f64(f).map_or_else(|| f.to_string(), |number| number.to_string());
    let unsigned = text.trim_start_matches('-');
    let sign = if f.is_sign_negative() { "-" } else { "" };
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    if significant.is_empty() {
        return (sign, "0".to_owned(), 0);
    }
    let zeros = i32::try_from(all.len() - significant.len()).unwrap_or(0);
    let whole = i32::try_from(whole.len()).unwrap_or(0);
    (sign, significant.trim_end_matches('0').to_owned(), exponent + whole - zeros - 1)
}

/// What `{:e}` wrote, in parts.
fn parts(text: &str) -> (&'static str, String, i32) {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let (mantissa, exponent) = text.trim_start_matches('-').split_once('e').unwrap_or((text, "0"));
    (sign, mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

fn general(sign: &str, digits: &str, exponent: i32, threshold: i32) -> String {
    if exponent < -4 || exponent >= threshold {
        return format!("{sign}{}{}", mantissa(digits), power(exponent));
    }
    decimals(sign, digits, exponent)
}

/// Digits with a point behind the first.
fn mantissa(digits: &str) -> String {
    let (first, rest) = digits.split_at(1);
    if rest.is_empty() { first.to_owned() } else { format!("{first}.{rest}") }
}

/// Digits without an exponent.
fn decimals(sign: &str, digits: &str, exponent: i32) -> String {
    let Ok(before) = usize::try_from(exponent) else {
        let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0));
        return format!("{sign}0.{zeros}{digits}");
    };
    if digits.len() <= before + 1 {
        return format!("{sign}{digits}{}", "0".repeat(before + 1 - digits.len()));
    }
    let (whole, fraction) = digits.split_at(before + 1);
    format!("{sign}{whole}.{fraction}")
}

/// At least two digits, always a sign.
fn power(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_go_prints_them() {
        for (f, wanted) in [
            (1e6, "1e+06"),
            (100_000.0, "100000"),
            (123_456_789.0, "1.23456789e+08"),
            (12_345_678.0, "1.2345678e+07"),
            (1e21, "1e+21"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5, "1.5"),
            (1_234_567.5, "1.2345675e+06"),
            (0.0, "0"),
            (8080.0, "8080"),
            (-0.1, "-0.1"),
        ] {
            assert_eq!(shortest(f), wanted);
        }
        assert_eq!(short(1_234_567.5, Some(10)), "1234567.5");
        assert_eq!(short(100_000.0, Some(3)), "1e+05");
        assert_eq!(scientific(12345.678, 2), "1.23e+04");
        assert_eq!(fixed(1_234_567.5, 0), "1234568");
    }
}
