//! A line as words, with everything that changes from line to line replaced by a placeholder.

/// Words beyond this many are cut: the comparison is linear in them.
const MOST_WORDS: usize = 64;

/// Bytes of a line that are looked at.
const LONGEST: usize = 4_096;

/// Splits a line into words and replaces numbers, times, hexadecimal, UUIDs, addresses, paths and quoted strings.
pub fn mask(line: &str) -> Vec<String> {
    let line = cut(line, LONGEST);
    unquoted(line).split_whitespace().take(MOST_WORDS).map(word).collect()
}

fn cut(text: &str, longest: usize) -> &str {
    let mut end = text.len().min(longest);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Quoted strings become `<str>`. A quote counts as an opening one only where no word runs into it: `can't` has none.
fn unquoted(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(['"', '\'', '`']) {
        let (before, from) = rest.split_at(start);
        let quote = &from[..1];
        let opens =
            !before.ends_with(char::is_alphanumeric) || before.is_empty() && !out.ends_with(char::is_alphanumeric);
        out.push_str(before);
        match from[1..].find(quote) {
            Some(end) if opens => {
                out.push_str("<str>");
                rest = &from[end + 2..];
            }
            _ => {
                out.push_str(quote);
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

const BRACKETS: &[char] = &['(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '!', '?', '|'];

/// Punctuation around a word stays, so that `(12)` and `12,` keep their look.
fn word(text: &str) -> String {
    if text.contains("<str>") {
        return text.to_owned();
    }
    // A bracketed address must be recognised before its brackets are taken for punctuation.
    if is_address(text.trim_end_matches([',', ';', ')', '.']).trim_start_matches('(')) {
        return "<ip>".to_owned();
    }
    let core = text.trim_matches(|c| BRACKETS.contains(&c) || c == '.' || c == ':');
    if core.is_empty() {
        return text.to_owned();
    }
    let start = text.find(core).unwrap_or(0);
    format!("{}{}{}", &text[..start], value(core), &text[start + core.len()..])
}

fn value(core: &str) -> String {
    if let Some(placeholder) = placeholder(core) {
        return placeholder.to_owned();
    }
    // `key=value` and `key:value` keep their key.
    if let Some((key, rest)) = core.split_once(['=', ':'])
        && !key.is_empty()
        && !rest.is_empty()
        && !key.starts_with(|c: char| c.is_ascii_digit())
    {
        let separator = &core[key.len()..=key.len()];
        return format!("{}{separator}{}", digits(key), word(rest));
    }
    digits(core)
}

fn placeholder(core: &str) -> Option<&'static str> {
    let hex = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit());
    let has_digit = core.contains(|c: char| c.is_ascii_digit());
    if core.len() == 36 && core.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && core.split('-').all(hex) {
        return Some("<uuid>");
    }
    if is_address(core) {
        return Some("<ip>");
    }
    if core.contains("://")
        || core.starts_with('/') && core.len() > 1
        || core.starts_with("./")
        || core.starts_with("~/")
    {
        return Some("<path>");
    }
    if core.strip_prefix("0x").is_some_and(hex) {
        return Some("<hex>");
    }
    if has_digit && is_number(core) {
        return Some("<num>");
    }
    (core.len() >= 8 && has_digit && hex(core)).then_some("<hex>")
}

/// IPv4 or IPv6, with or without a port.
fn is_address(core: &str) -> bool {
    use std::net::{IpAddr, SocketAddr};
    let looks = core.contains('.') || core.matches(':').count() >= 2;
    looks && (core.parse::<IpAddr>().is_ok() || core.parse::<SocketAddr>().is_ok())
}

/// Numbers, sizes, durations, dates and times: digits, their punctuation, and at most three letters of a unit.
fn is_number(core: &str) -> bool {
    let body = core.trim_start_matches(['-', '+', '#', '$', '~']);
    let unit = body.trim_end_matches('%');
    let letters = unit.chars().rev().take_while(|c| c.is_ascii_alphabetic() || *c == 'µ').count();
    let digits: String = unit.chars().take(unit.chars().count() - letters).collect();
    letters <= 3
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | ':' | '-' | '/' | '+' | '_' | 'T' | 'e'))
}

/// Runs of digits inside a word.
fn digits(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !inside {
            out.push_str("<num>");
        }
        inside = c.is_ascii_digit();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn what_changes_from_line_to_line_is_replaced() {
        for (line, masked) in [
            ("timeout after 30s (attempt 3)", "timeout after <num> (attempt <num>)"),
            ("2026-03-02T14:00:00.123Z ERROR db down", "<num> ERROR db down"),
            ("conn 10.1.2.3:5432 refused by [::1]:80", "conn <ip> refused by <ip>"),
            ("user 0b7f5d0a-9c1e-4f55-8a39-0c6c1d3cf7d1 unknown", "user <uuid> unknown"),
            ("open /var/lib/x.db: no such file", "open <path>: no such file"),
            ("GET https://a.b/c?d=1 failed", "GET <path> failed"),
            ("id=42 trace=deadbeef01 err=0xff", "id=<num> trace=<hex> err=<hex>"),
            ("can't parse \"a b c\" as 'number'", "can't parse <str> as <str>"),
            ("pod pay-7f9 lost 12.5% of 3GiB", "pod pay-<num>f<num> lost <num> of <num>"),
            ("null pointer", "null pointer"),
            ("", ""),
        ] {
            assert_eq!(mask(line).join(" "), masked, "{line}");
        }
    }

    #[test]
    fn length_is_bounded_at_character_borders() {
        assert_eq!(mask(&"ä ".repeat(10_000)).len(), 64);
        assert_eq!(mask(&"é".repeat(10_000))[0].len(), 4_096);
    }
}
