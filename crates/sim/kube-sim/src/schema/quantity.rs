//! Resource quantities (`500m`, `1Gi`): parse, compare, canonical text.

/// The largest amount that is kept: 2^63 - 1 whole units.
const MAX_UNITS: i128 = i64::MAX as i128;
const NANO: i128 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Binary,
    DecimalExponent,
    Decimal,
}

/// An amount in billionths, and how it was written.
#[derive(Clone, Debug)]
pub(crate) struct Quantity {
    pub nano: i128,
    format: Format,
    /// The text as written when it is canonical by the rules of the API server.
    text: Option<String>,
}

pub(crate) const WRONG_FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

impl Quantity {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(WRONG_FORMAT);
        }
        let (negative, rest) = match text.as_bytes()[0] {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let split = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at(split);
        if number.matches('.').count() > 1 {
            return Err(WRONG_FORMAT);
        }
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            // What stands for no number at all is of the wrong form; a unit alone has no number.
            let is_unit = suffix.starts_with(['e', 'E', 'i', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P']);
            return Err(if is_unit { "unable to parse numeric part of quantity" } else { WRONG_FORMAT });
        }
        let stripped = whole.trim_start_matches('0');
        let (format, exponent) = suffix_of(suffix)?;
        let digits = format!("{stripped}{fraction}");
        let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
        let nano = match format {
            Format::Binary => {
                let mantissa = parse_digits(&digits)?.saturating_mul(1 << exponent);
                round_up(mantissa.checked_mul(NANO), mantissa, places)
            }
            _ => scaled(&digits, exponent - places + 9)?,
        };
        let nano = nano.min(MAX_UNITS.saturating_mul(NANO));
        let reusable = match format {
            Format::Binary => fraction.is_empty() && parse_digits(&digits)? & 7 != 0,
            _ => {
                (exponent - places) % 3 == 0
                    && !digits.ends_with("000")
                    && !digits.is_empty()
                    && !digits.starts_with('0')
            }
        };
        let text = (reusable && digits.len() <= 15 || text == "0").then(|| text.to_owned());
        Ok(Self { nano: if negative { -nano } else { nano }, format, text })
    }

    /// The text that the API server answers with.
    pub(crate) fn canonical(&self) -> String {
        if let Some(text) = &self.text {
            return text.clone();
        }
        if self.nano == 0 {
            return "0".into();
        }
        let sign = if self.nano < 0 { "-" } else { "" };
        let amount = self.nano.abs();
        if self.format == Format::Binary && amount >= 1024 * NANO {
            let mut units = (amount + NANO - 1) / NANO;
            let mut step = 0;
            while units % 1024 == 0 && step < 6 {
                units /= 1024;
                step += 1;
            }
            return format!("{sign}{units}{}", ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"][step]);
        }
        let (mut units, mut thousands) = (amount, -3_i32);
        while units % 1000 == 0 && thousands < 6 {
            units /= 1000;
            thousands += 1;
        }
        if self.format == Format::DecimalExponent {
            return if thousands == 0 { format!("{sign}{units}") } else { format!("{sign}{units}e{}", thousands * 3) };
        }
        let suffix = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        let at = usize::try_from(thousands + 3).unwrap_or(3);
        format!("{sign}{units}{}", suffix[at])
    }
}

fn suffix_of(suffix: &str) -> Result<(Format, i32), &'static str> {
    let known = |format, exponent| Ok((format, exponent));
    match suffix {
        "" => known(Format::Decimal, 0),
        "n" => known(Format::Decimal, -9),
        "u" => known(Format::Decimal, -6),
        "m" => known(Format::Decimal, -3),
        "k" => known(Format::Decimal, 3),
        "M" => known(Format::Decimal, 6),
        "G" => known(Format::Decimal, 9),
        "T" => known(Format::Decimal, 12),
        "P" => known(Format::Decimal, 15),
        "E" => known(Format::Decimal, 18),
        "Ki" => known(Format::Binary, 10),
        "Mi" => known(Format::Binary, 20),
        "Gi" => known(Format::Binary, 30),
        "Ti" => known(Format::Binary, 40),
        "Pi" => known(Format::Binary, 50),
        "Ei" => known(Format::Binary, 60),
        _ => {
            let Some(exponent) = suffix.strip_prefix(['e', 'E']) else {
                let allowed = |c: char| "eEinumkKMGTP+-0123456789".contains(c);
                return Err(if suffix.chars().all(allowed) {
                    "unable to parse quantity's suffix"
                } else {
                    WRONG_FORMAT
                });
            };
            let exponent: i32 = exponent.parse().map_err(|_| "unable to parse quantity's suffix")?;
            known(Format::DecimalExponent, exponent.clamp(-100, 100))
        }
    }
}

fn parse_digits(digits: &str) -> Result<i128, &'static str> {
    if digits.is_empty() {
        return Ok(0);
    }
    // More digits than fit are more than the cap.
    Ok(digits.parse().unwrap_or(i128::MAX / 4))
}

/// `digits` × 10^`power`, rounded up.
fn scaled(digits: &str, power: i32) -> Result<i128, &'static str> {
    let value = parse_digits(digits)?;
    let factor = |n: i32| 10_i128.checked_pow(n.unsigned_abs());
    if power >= 0 {
        return Ok(if value == 0 { 0 } else { factor(power).and_then(|f| value.checked_mul(f)).unwrap_or(i128::MAX) });
    }
    Ok(factor(power).map_or(i128::from(value > 0), |f| value / f + i128::from(value % f > 0)))
}

fn round_up(nano: Option<i128>, whole: i128, places: i32) -> i128 {
    let Some(divisor) = 10_i128.checked_pow(places.unsigned_abs()) else { return i128::from(whole > 0) };
    match nano {
        Some(nano) => nano / divisor + i128::from(nano % divisor > 0),
        None => (whole / divisor).saturating_mul(NANO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_canonical_as_the_api_server_writes_them() {
        for (text, canonical) in [
            ("1000m", "1"),
            ("0.5", "500m"),
            ("1.5", "1500m"),
            ("500m", "500m"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("64Mi", "64Mi"),
            ("1Gi", "1Gi"),
            ("1000", "1k"),
            ("1500", "1500"),
            ("100", "100"),
            ("0", "0"),
            ("0m", "0"),
            ("1e3", "1e3"),
            ("-1000m", "-1"),
            ("512Ki", "512Ki"),
            ("0.1n", "1n"),
        ] {
            assert_eq!(Quantity::parse(text).map(|q| q.canonical()), Ok(canonical.to_owned()), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "x", "1x", "1.2.3", "1Zi", "--1", "."] {
            assert!(Quantity::parse(text).is_err(), "{text}");
        }
        assert!(Quantity::parse(&"9".repeat(100_000)).is_ok_and(|q| q.nano == MAX_UNITS * NANO));
    }
}
