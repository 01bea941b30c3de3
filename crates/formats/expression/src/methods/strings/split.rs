use crate::Value;
use crate::error::Outcome;
use crate::limits::Meter;
use crate::regex::next_char;

/// Java's `split`: at most `limit` pieces when it is positive; without trailing empty pieces when it is zero.
pub(super) fn split(own: &str, pattern: &str, limit: i64, meter: &mut Meter) -> Outcome<Value> {
    let most = usize::try_from(limit).ok().filter(|limit| *limit > 0).unwrap_or(usize::MAX);
    let mut pieces = match literal(pattern) {
        Some(separator) => by_text(own, &separator, most, meter)?,
        None => by_pattern(own, pattern, most, meter)?,
    };
    // A text without any separator is one piece, even when it is empty.
    if limit == 0 && pieces.len() > 1 {
        let kept = pieces.iter().rposition(|piece| !piece.is_empty()).map_or(0, |last| last + 1);
        pieces.truncate(kept);
    }
    Ok(pieces.into_iter().map(Value::from).collect())
}

/// The text that a pattern stands for, when it is nothing but that text.
fn literal(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next().filter(|c| !c.is_alphanumeric())?),
            '.' | '$' | '|' | '(' | ')' | '[' | '{' | '^' | '?' | '*' | '+' => return None,
            _ => text.push(c),
        }
    }
    (!text.is_empty()).then_some(text)
}

fn by_text<'t>(own: &'t str, separator: &str, most: usize, meter: &mut Meter) -> Outcome<Vec<&'t str>> {
    let pieces: Vec<&str> = own.splitn(most, separator).collect();
    meter.spend(pieces.len())?;
    Ok(pieces)
}

fn by_pattern<'t>(own: &'t str, pattern: &str, most: usize, meter: &mut Meter) -> Outcome<Vec<&'t str>> {
    let regex = meter.regex(pattern)?;
    let mut pieces = Vec::new();
    let (mut piece, mut at) = (0, 0);
    while pieces.len() + 1 < most && at <= own.len() {
        let Some(captures) = regex.captures_from(own, at, meter)? else { break };
        let Some(found) = captures.get(0) else { break };
        let empty = found.end() == found.start();
        at = if empty { next_char(own, found.end()) } else { found.end() };
        // An empty match at the start or the end separates nothing.
        if empty && (found.end() == 0 || found.end() == own.len()) {
            continue;
        }
        pieces.push(&own[piece..found.start()]);
        piece = found.end();
    }
    pieces.push(&own[piece..]);
    Ok(pieces)
}
