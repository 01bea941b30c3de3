//! Numbers with a fraction, as Go writes them, without a sign for positive ones.

/// No number has more digits behind its point; Rust's own formatting ends soon after.
const MOST: usize = 1_100;

/// `%v` and `%g`: the fewest digits, or so many.
pub(super) fn general(f: f64, precision: Option<usize>) -> String {
    let (text, most) = match precision.map(|precision| precision.clamp(1, MOST)) {
        Some(precision) => (format!("{f:.*e}", precision - 1), i64::try_from(precision).unwrap_or(i64::MAX)),
        None => (format!("{f:e}"), 6),
    };
    let (mantissa, exponent) = parts(&text);
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => ("-", digits.replace('.', "")),
        None => ("", mantissa.replace('.', "")),
    };
    let trimmed = digits.trim_end_matches('0');
    let digits = if trimmed.is_empty() { "0" } else { trimmed };
    if exponent < -4 || exponent >= most {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}{}", power(exponent));
    }
    format!("{sign}{}", placed(digits, exponent))
}

/// `%e`
pub(super) fn scientific(f: f64, precision: usize) -> String {
    let text = format!("{f:.*e}", precision.min(MOST));
    let (mantissa, exponent) = parts(&text);
    format!("{mantissa}{}{}", "0".repeat(precision.saturating_sub(MOST)), power(exponent))
}

/// `%f`
pub(super) fn fixed(f: f64, precision: usize) -> String {
    format!("{f:.*}{}", precision.min(MOST), "0".repeat(precision.saturating_sub(MOST)))
}

/// Digits with the point where the exponent of the first one puts it.
fn placed(digits: &str, exponent: i64) -> String {
    match usize::try_from(exponent) {
        Err(_) => format!("0.{}{digits}", "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0))),
        Ok(before) if digits.len() <= before + 1 => format!("{digits}{}", "0".repeat(before + 1 - digits.len())),
        Ok(before) => format!("{}.{}", &digits[..=before], &digits[before + 1..]),
    }
}

fn parts(text: &str) -> (&str, i64) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa, exponent.parse().unwrap_or(0))
}

/// At least two digits, always a sign.
fn power(exponent: i64) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}
