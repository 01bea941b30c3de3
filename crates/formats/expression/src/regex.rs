//! Regular expressions in Java's dialect, with bounded backtracking.

use crate::error::{ErrorKind, Fault, Outcome, shorten};
use crate::limits::Meter;
use fancy_regex::{Assertion, Captures, Expr, RegexBuilder};

const LONGEST_PATTERN: usize = 4096;
const COMPILED_BYTES: usize = 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Regex {
    find: fancy_regex::Regex,
    whole: fancy_regex::Regex,
    /// Steps that one search pays for.
    price: usize,
}

impl Regex {
    pub(crate) fn new(pattern: &str, backtracks: usize) -> Outcome<Self> {
        if pattern.len() > LONGEST_PATTERN {
            return Err(ErrorKind::Limit { what: "the regular expression", limit: LONGEST_PATTERN }.into());
        }
        let invalid = |error: fancy_regex::Error| Fault::from(ErrorKind::Regex(shorten(&error.to_string())));
        let tree = Expr::parse_tree(pattern).map_err(invalid)?;
        let linear = is_linear(&tree.expr) && !tree.expr.has_descendant(|part| !is_linear(part));
        let (price, backtracks) = if linear { (10, backtracks / 50) } else { (500, backtracks) };
        let build = |pattern: &str| {
            RegexBuilder::new(pattern)
                .backtrack_limit(backtracks)
                .delegate_size_limit(COMPILED_BYTES)
                .build()
                .map_err(invalid)
        };
        // First alone: `a)(b` must not become valid by being wrapped.
        Ok(Self { find: build(pattern)?, whole: build(&format!(r"\A(?:{pattern})\z"))?, price })
    }

    /// Matches the whole text, as Java's `matches`.
    pub(crate) fn matches(&self, text: &str, meter: &mut Meter) -> Outcome<bool> {
        meter.spend(self.price)?;
        meter.spend_bytes(text.len())?;
        self.whole.is_match(text).map_err(ran_away)
    }

    /// The first match from `start` on.
    pub(crate) fn captures_from<'t>(
        &self,
        text: &'t str,
        start: usize,
        meter: &mut Meter,
    ) -> Outcome<Option<Captures<'t, str>>> {
        meter.spend(self.price)?;
        self.find.captures_from_pos(text, start).map_err(ran_away)
    }

    /// Replaces up to `limit` matches; the replacement may hold `$1`, `${name}` and `\$`.
    pub(crate) fn replace(&self, text: &str, replacement: &str, limit: usize, meter: &mut Meter) -> Outcome<String> {
        let mut out = String::new();
        let (mut copied, mut at, mut count) = (0, 0, 0);
        while count < limit && at <= text.len() {
            let Some(captures) = self.captures_from(text, at, meter)? else { break };
            let Some(found) = captures.get(0) else { break };
            out.push_str(&text[copied..found.start()]);
            expand(replacement, &captures, &mut out)?;
            meter.allow_bytes(out.len())?;
            copied = found.end();
            at = if found.end() > found.start() { found.end() } else { next_char(text, found.end()) };
            count += 1;
        }
        out.push_str(&text[copied..]);
        meter.allow_bytes(out.len())?;
        Ok(out)
    }
}

/// Needs no steps back: the search takes time in proportion to the text.
fn is_linear(part: &Expr) -> bool {
    match part {
        Expr::Assertion(assertion) => matches!(
            assertion,
            Assertion::StartText | Assertion::EndText | Assertion::StartLine { .. } | Assertion::EndLine { .. }
        ),
        Expr::Empty
        | Expr::Any { .. }
        | Expr::Literal { .. }
        | Expr::Concat(_)
        | Expr::Alt(_)
        | Expr::Group(_)
        | Expr::Repeat { .. }
        | Expr::Delegate { .. } => true,
        _ => false,
    }
}

/// The offset after the character at `at`; past the end when there is none.
pub(crate) fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(1, char::len_utf8)
}

fn expand(replacement: &str, captures: &Captures<'_, str>, out: &mut String) -> Outcome<()> {
    let refuse = |message: String| Fault::from(ErrorKind::Argument(message));
    let mut rest = replacement;
    while let Some(at) = rest.find(['$', '\\']) {
        out.push_str(&rest[..at]);
        let escaped = rest[at..].starts_with('\\');
        rest = &rest[at + 1..];
        if escaped {
            let Some(c) = rest.chars().next() else {
                return Err(refuse("the replacement ends in a backslash".into()));
            };
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else if let Some(named) = rest.strip_prefix('{') {
            let Some((name, after)) = named.split_once('}') else {
                return Err(refuse("the ${ of the replacement is never closed".into()));
            };
            out.push_str(captures.name(name).map_or("", |group| group.as_str()));
            rest = after;
        } else {
            // As many digits as name an existing group.
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let group = (1..=digits.min(3)).rev().find_map(|n| {
                let number = rest[..n].parse::<usize>().ok()?;
                (number < captures.len()).then_some((n, number))
            });
            let Some((n, number)) = group else {
                let fault = refuse("the replacement refers to a group that does not exist".into());
                return Err(fault.remedy("write \\$ for a dollar sign"));
            };
            out.push_str(captures.get(number).map_or("", |group| group.as_str()));
            rest = &rest[n..];
        }
    }
    out.push_str(rest);
    Ok(())
}

fn ran_away(error: fancy_regex::Error) -> Fault {
    let fault = Fault::from(ErrorKind::Regex(shorten(&error.to_string())));
    fault.remedy("make the pattern simpler: it goes back over the text too often")
}
