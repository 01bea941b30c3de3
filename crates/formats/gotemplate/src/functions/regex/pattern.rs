//! Go's regular expressions as this house's library reads them: its classes are ASCII there, and some texts are literal that
//! mean something here.

use std::iter::Peekable;
use std::str::Chars;

/// More repetitions are refused by Go too.
const MOST_REPEATED: u32 = 1000;

/// # Errors
/// What Go does not read.
pub(super) fn translated(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.next_if_eq(&'Q').is_some() => quotation(&mut rest, &mut out),
            '\\' => out.push_str(&escape(&mut rest, false)?),
            '[' => class(&mut rest, &mut out)?,
            '{' if !is_repetition(&rest)? => out.push_str("\\{"),
            '#' | '&' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    Ok(out)
}

/// `\Q…\E` is taken as it is.
fn quotation(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    let mut text = String::new();
    for c in rest.by_ref() {
        text.push(c);
        if text.ends_with("\\E") {
            text.truncate(text.len() - 2);
            break;
        }
    }
    out.push_str(&regex::escape(&text));
}

fn escape(rest: &mut Peekable<Chars<'_>>, in_class: bool) -> Result<String, String> {
    let Some(c) = rest.next() else { return Err("trailing backslash at end of expression".to_owned()) };
    let ascii = |inside: &str, negated: bool| match (in_class, negated) {
        (true, false) => inside.to_owned(),
        (true, true) => format!("[^{inside}]"),
        (false, false) => format!("[{inside}]"),
        (false, true) => format!("[^{inside}]"),
    };
    Ok(match c {
        'd' | 'D' => ascii("0-9", c == 'D'),
        'w' | 'W' => ascii("0-9A-Za-z_", c == 'W'),
        's' | 'S' => ascii("\\t\\n\\f\\r ", c == 'S'),
        'b' if !in_class => "(?-u:\\b)".to_owned(),
        'B' | 'A' | 'z' if !in_class => format!("\\{c}"),
        'a' | 'f' | 'n' | 'r' | 't' | 'v' | 'x' | 'p' | 'P' => format!("\\{c}"),
        '0'..='7' => octal(c, rest)?,
        c if c.is_ascii_punctuation() && c != '<' && c != '>' => format!("\\{c}"),
        '<' | '>' => c.to_string(),
        c => return Err(format!("invalid escape sequence: `\\{c}`")),
    })
}

/// `\012`; a single digit would refer to a group, which there is none of.
fn octal(first: char, rest: &mut Peekable<Chars<'_>>) -> Result<String, String> {
    let mut code = first.to_digit(8).unwrap_or(0);
    if first != '0' && !rest.peek().is_some_and(|c| c.is_digit(8)) {
        return Err(format!("invalid escape sequence: `\\{first}`"));
    }
    for _ in 0..2 {
        match rest.peek().and_then(|c| c.to_digit(8)) {
            Some(digit) => {
                code = code * 8 + digit;
                rest.next();
            }
            None => break,
        }
    }
    Ok(format!("\\x{{{code:x}}}"))
}

/// What stands between brackets: no classes within each other but those of POSIX, no set operations.
fn class(rest: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    out.push('[');
    if rest.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    loop {
        let Some(c) = rest.next() else { return Err("missing closing ]".to_owned()) };
        match c {
            ']' if !first => break,
            '[' if rest.peek() == Some(&':') => {
                let name: String = rest.by_ref().take_while(|c| *c != ']').collect();
                out.push_str(&format!("[{name}]"));
            }
            '\\' => out.push_str(&escape(rest, true)?),
            '[' | ']' | '&' | '~' | '#' => out.extend(['\\', c]),
            c => out.push(c),
        }
        first = false;
    }
    out.push(']');
    Ok(())
}

/// `{2}`, `{2,}` or `{2,3}`; anything else is a brace.
fn is_repetition(rest: &Peekable<Chars<'_>>) -> Result<bool, String> {
    let inside: String = rest.clone().take_while(|c| *c != '}').take(16).collect();
    let is_closed = rest.clone().nth(inside.chars().count()) == Some('}');
    let (least, most) = inside.split_once(',').unwrap_or((&inside, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    if !is_closed || !is_number(least) || !(most.is_empty() || is_number(most)) {
        return Ok(false);
    }
    let is_small = |text: &str| text.is_empty() || text.parse::<u32>().is_ok_and(|count| count <= MOST_REPEATED);
    if is_small(least) && is_small(most) { Ok(true) } else { Err("invalid repeat count".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_go_reads_them() {
        for (pattern, text, wanted) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^[\w.]+$", "a.b", true),
            (r"^\w$", "é", false),
            (r"a{,2}", "a{,2}", true),
            (r"a{2}", "aa", true),
            (r"[[]x", "[x", true),
            (r"[a&&b]", "&", true),
            (r"\Qa.b\E+", "a.bb", true),
            (r"[]a]", "]", true),
            (r"[^[:space:]]", "x", true),
            (r"\bfoo\b", "a foo b", true),
            ("a #b", "a #b", true),
        ] {
            let expression = regex::Regex::new(&translated(pattern).unwrap()).unwrap();
            assert_eq!(expression.is_match(text), wanted, "{pattern} {text}");
        }
        for bad in [r"\u0041", "a\\", r"\8", "a{1001}", "[a"] {
            assert!(translated(bad).is_err(), "{bad}");
        }
    }
}
