//! Numbers as people read them.

/// Four significant digits, thousands apart: `1,234`, `4.2`, `0.001235`.
pub(crate) fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "not a number".to_owned();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e15).contains(&size) {
        return format!("{value:.3e}");
    }
    let before_point = if size < 1.0 { 0 } else { size.log10() as usize + 1 };
    let zeros = if size > 0.0 && size < 1.0 { (-size.log10()).floor() as usize } else { 0 };
    let text = format!("{value:.*}", (4 + zeros).saturating_sub(before_point));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let sign = if text.trim_start_matches(['-', '0', '.']).is_empty() { "" } else { sign };
    format!("{sign}{}{rest}", grouped(digits))
}

/// `12345` → `12,345`
pub(crate) fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as percent: `4.2 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", figure(share * 100.0))
}

/// A value with its unit, if it has one.
pub(crate) fn with_unit(value: f64, unit: &str) -> String {
    if unit.is_empty() { figure(value) } else { format!("{} {unit}", figure(value)) }
}

#[cfg(test)]
mod tests {
    use super::{figure, percent};

    #[test]
    fn reads_like_a_person_would_write() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (4.2, "4.2"),
            (250.0, "250"),
            (1234.0, "1,234"),
            (1_234_567.0, "1,234,567"),
            (-1234.56, "-1,235"),
            (0.001_234_56, "0.001235"),
            (52.5, "52.5"),
            (1e-9, "1.000e-9"),
            (1e300, "1.000e300"),
            (f64::NAN, "not a number"),
        ] {
            assert_eq!(figure(value), text, "{value:?}");
        }
        assert_eq!(percent(0.042), "4.2 %");
    }
}
