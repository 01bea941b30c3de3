//! Times as Go parses them: the layouts of RFC 3339 and what it says of texts that do not fit.

use windlass_model::Timestamp;

/// `metav1.Time`.
pub(super) const SECONDS: &str = "2006-01-02T15:04:05Z07:00";
/// `metav1.MicroTime`: six digits, no fewer and no more.
pub(super) const MICROS: &str = "2006-01-02T15:04:05.000000Z07:00";

/// Reads a moment. The error is Go's.
pub(super) fn parse(text: &str, layout: &str) -> Result<Timestamp, String> {
    let mut rest = text;
    let mut numbers = [0u32; 6];
    let elements = [("", "2006"), ("-", "01"), ("-", "02"), ("T", "15"), (":", "04"), (":", "05")];
    for (i, (before, element)) in elements.into_iter().enumerate() {
        let cannot = |rest: &str, what: &str| {
            Err(format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {what:?}"))
        };
        let Some(after) = rest.strip_prefix(before) else { return cannot(rest, before) };
        let digits = after.get(..element.len()).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
        let Some(number) = digits.and_then(|d| d.parse().ok()) else { return cannot(after, element) };
        let (what, range) = [
            ("year", 0..=9_999),
            ("month", 1..=12),
            ("day", 0..=31),
            ("hour", 0..=23),
            ("minute", 0..=59),
            ("second", 0..=59),
        ][i]
            .clone();
        if !range.contains(&number) {
            return Err(format!("parsing time {text:?}: {what} out of range"));
        }
        numbers[i] = number;
        rest = &after[element.len()..];
    }
    let cannot =
        |rest: &str, what: &str| Err(format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {what:?}"));
    let fraction = rest.strip_prefix('.').map_or(0, |r| r.bytes().take_while(u8::is_ascii_digit).count());
    if layout == MICROS {
        if fraction < 6 {
            return cannot(rest, ".000000");
        }
        rest = &rest[7..];
    } else if fraction > 0 {
        rest = &rest[1 + fraction..];
    }
    match zone(rest) {
        Some("") => {}
        Some(extra) => return Err(format!("parsing time {text:?}: extra text: {extra:?}")),
        None => return cannot(rest, "Z07:00"),
    }
    Timestamp::parse(text).ok_or_else(|| format!("parsing time {text:?}: day out of range"))
}

/// What follows `Z` or `+07:00`.
fn zone(rest: &str) -> Option<&str> {
    if let Some(rest) = rest.strip_prefix('Z') {
        return Some(rest);
    }
    let offset = rest.get(..6).filter(|o| o.starts_with(['+', '-']) && o.as_bytes()[3] == b':')?;
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    (number(&offset[1..3]) && number(&offset[4..6])).then(|| &rest[6..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_are_those_of_go() {
        for (text, layout, error) in [
            ("", SECONDS, r#"parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006""#),
            ("x", SECONDS, r#"parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006""#),
            (
                "2024-01-01",
                SECONDS,
                r#"parsing time "2024-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T""#,
            ),
            (
                "2024-01-01 00:00:00Z",
                SECONDS,
                r#"parsing time "2024-01-01 00:00:00Z" as "2006-01-02T15:04:05Z07:00": cannot parse " 00:00:00Z" as "T""#,
            ),
            ("2024-13-01T00:00:00Z", SECONDS, r#"parsing time "2024-13-01T00:00:00Z": month out of range"#),
            ("2024-02-30T00:00:00Z", SECONDS, r#"parsing time "2024-02-30T00:00:00Z": day out of range"#),
            ("2024-01-01T00:00:00Zx", SECONDS, r#"parsing time "2024-01-01T00:00:00Zx": extra text: "x""#),
            (
                "2024-01-01T00:00:00",
                SECONDS,
                r#"parsing time "2024-01-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00""#,
            ),
            (
                "2024-01-01T00:00:00Z",
                MICROS,
                r#"parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000""#,
            ),
        ] {
            assert_eq!(parse(text, layout).unwrap_err(), error);
        }
        for text in ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00+02:00"] {
            assert!(parse(text, SECONDS).is_ok(), "{text}");
        }
        assert!(parse("2024-01-01T00:00:00.123456Z", MICROS).is_ok());
        assert!(parse("2024-01-01T00:00:00.1234567Z", MICROS).is_err());
    }
}
