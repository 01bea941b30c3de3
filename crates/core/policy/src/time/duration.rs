//! `time.parse_duration_ns`: `1h30m`, `-1.5s`, and OPA's days, weeks and years (`1d12h`), which are 24 hours, 7 and 365 days.

/// Nanoseconds.
pub(super) fn parse(text: &str) -> Option<i64> {
    if text.contains(['d', 'w', 'y']) { go(&in_hours(text)?) } else { go(text) }
}

/// The same duration without OPA's own units.
fn in_hours(text: &str) -> Option<String> {
    let (sign, mut rest) = signed(text);
    let mut rewritten = sign.to_owned();
    while !rest.is_empty() {
        let (digits, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit() && c != '.')?);
        if digits.is_empty() {
            return None;
        }
        let long = ["ms", "us", "µs", "ns"].into_iter().find(|unit| after.starts_with(unit));
        let length = long.map(str::len).or_else(|| after.starts_with(|c: char| c.is_ascii_lowercase()).then_some(1))?;
        let (unit, after) = after.split_at(length);
        let hours = match unit {
            "d" => Some(24.0),
            "w" => Some(7.0 * 24.0),
            "y" => Some(365.0 * 24.0),
            _ => None,
        };
        rewritten += &match hours {
            Some(hours) => format!("{}h", digits.parse::<f64>().ok().filter(|n| n.is_finite())? * hours),
            None => format!("{digits}{unit}"),
        };
        rest = after;
    }
    // A sign alone is none.
    (rewritten != sign).then_some(rewritten)
}

/// `time.ParseDuration` of Go.
fn go(text: &str) -> Option<i64> {
    let (sign, mut rest) = signed(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0u64;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let (unit, after) = after.split_at(after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len()));
        let unit = nanos(unit)?;
        let mut value = number(whole)?.checked_mul(unit).filter(|value| *value <= 1 << 63)?;
        let (numerator, scale) = decimals(fraction);
        if numerator > 0 {
            value += (numerator as f64 * (unit as f64 / scale)) as u64;
        }
        // Two halves of everything are nothing, as there.
        total = total.wrapping_add(value);
        if value > 1 << 63 || total > 1 << 63 {
            return None;
        }
        rest = after;
    }
    if sign == "-" { Some((total as i64).wrapping_neg()) } else { i64::try_from(total).ok() }
}

fn signed(text: &str) -> (&str, &str) {
    text.split_at(usize::from(text.starts_with(['-', '+'])))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

fn number(digits: &str) -> Option<u64> {
    let number = if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() };
    number.filter(|number| *number <= 1 << 63)
}

/// Digits behind a point as a number and what it is to be divided by; those that no longer fit are left out.
fn decimals(digits: &str) -> (u64, f64) {
    let (mut number, mut scale) = (0u64, 1.0);
    for digit in digits.bytes() {
        let next = (number <= i64::MAX as u64 / 10).then(|| number * 10 + u64::from(digit - b'0'));
        let Some(next) = next.filter(|next| *next <= 1 << 63) else { break };
        (number, scale) = (next, scale * 10.0);
    }
    (number, scale)
}

fn nanos(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // With either letter that looks like a µ.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}
