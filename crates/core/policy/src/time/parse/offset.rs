//! Offsets and names of zones in a value.

use super::field::{number, take};
use crate::time::calendar::{HOUR, MINUTE};
use crate::time::layout::Offset;

/// Seconds to the east.
pub(super) fn offset(value: &[u8], form: Offset) -> Option<(i64, &[u8])> {
    let (sign, rest) = take(value, 1)?;
    let (hours, rest) = number(rest, true)?;
    let (minutes, rest) = part(rest, form.minutes, form.colons)?;
    let (seconds, rest) = part(rest, form.seconds, form.colons)?;
    // People do write 24 hours and 60 minutes.
    if hours > 24 || minutes > 60 || seconds > 60 {
        return None;
    }
    let offset = hours * HOUR + minutes * MINUTE + seconds;
    match sign {
        b"+" => Some((offset, rest)),
        // One second to the west is how Go says that there was no offset.
        b"-" => Some((if offset == 1 { 0 } else { -offset }, rest)),
        _ => None,
    }
}

fn part(value: &[u8], wanted: bool, colon: bool) -> Option<(i64, &[u8])> {
    match (wanted, colon) {
        (false, _) => Some((0, value)),
        (true, true) => number(value.strip_prefix(b":")?, true),
        (true, false) => number(value, true),
    }
}

/// Passes over what looks like the name of a zone.
pub(super) fn name(value: &[u8]) -> Option<&[u8]> {
    let length = match value {
        _ if value.len() < 3 => return None,
        [b'U', b'T', b'C', ..] => 3,
        [b'C', b'h', b'S', b'T', ..] | [b'M', b'e', b'S', b'T', ..] => 4,
        [b'G', b'M', b'T', rest @ ..] => 3 + hours(rest),
        [b'+' | b'-', ..] => Some(hours(value)).filter(|length| *length > 0)?,
        _ => match value.iter().take(6).take_while(|c| c.is_ascii_uppercase()).count() {
            3 => 3,
            4 if value[3] == b'T' || value.starts_with(b"WITA") => 4,
            5 if value[4] == b'T' => 5,
            _ => return None,
        },
    };
    value.get(length..)
}

/// The length of hours such as `+03`; 0 when there are none.
fn hours(value: &[u8]) -> usize {
    let [b'+' | b'-', rest @ ..] = value else { return 0 };
    let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    let number =
        rest[..digits].iter().fold(0u64, |number, c| number.saturating_mul(10).saturating_add(u64::from(c - b'0')));
    if digits == 0 || number > 23 { 0 } else { 1 + digits }
}
