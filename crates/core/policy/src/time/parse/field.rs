//! Numbers, names and blanks at the start of a value. Each answers with what it read and the rest.

/// What stands between elements; any blanks are as good as one.
pub(super) fn skip<'v>(mut value: &'v [u8], mut wanted: &[u8]) -> Option<&'v [u8]> {
    while let Some((first, rest)) = wanted.split_first() {
        if *first == b' ' {
            if value.first().is_some_and(|c| *c != b' ') {
                return None;
            }
            wanted = blanks(wanted);
            value = blanks(value);
        } else {
            value = value.strip_prefix(std::slice::from_ref(first))?;
            wanted = rest;
        }
    }
    Some(value)
}

fn blanks(value: &[u8]) -> &[u8] {
    &value[value.iter().take_while(|c| **c == b' ').count()..]
}

pub(super) fn take(value: &[u8], length: usize) -> Option<(&[u8], &[u8])> {
    value.split_at_checked(length)
}

/// One or two digits; exactly two when they are `fixed`.
pub(super) fn number(value: &[u8], fixed: bool) -> Option<(i64, &[u8])> {
    match value {
        [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => Some((digit(*a) * 10 + digit(*b), rest)),
        [a @ b'0'..=b'9', rest @ ..] if !fixed => Some((digit(*a), rest)),
        _ => None,
    }
}

/// Up to three digits.
pub(super) fn number3(value: &[u8], fixed: bool) -> Option<(i64, &[u8])> {
    let length = value.iter().take(3).take_while(|c| c.is_ascii_digit()).count();
    let (digits, rest) = take(value, length)?;
    let enough = length == 3 || length > 0 && !fixed;
    enough.then(|| (digits.iter().fold(0, |number, c| number * 10 + digit(*c)), rest))
}

/// Four digits.
pub(super) fn year(value: &[u8]) -> Option<(i64, &[u8])> {
    let (four, rest) = take(value, 4)?;
    if four[0].is_ascii_digit() { Some((signed(four)?, rest)) } else { None }
}

/// A few digits, with a sign or without; none are 0.
pub(super) fn signed(digits: &[u8]) -> Option<i64> {
    let (sign, digits) = match digits {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        digits => (1, digits),
    };
    let all = digits.iter().all(u8::is_ascii_digit);
    all.then(|| sign * digits.iter().fold(0, |number, c| number * 10 + digit(*c)))
}

fn digit(c: u8) -> i64 {
    i64::from(c - b'0')
}

/// The place of a name in a list, whatever its capitals. The short form is its first three letters.
pub(super) fn name<'v>(names: &[&str], long: bool, value: &'v [u8]) -> Option<(i64, &'v [u8])> {
    (0..).zip(names).find_map(|(index, name)| {
        let name = if long { name.as_bytes() } else { name.as_bytes().get(..3)? };
        let (start, rest) = take(value, name.len())?;
        start.eq_ignore_ascii_case(name).then_some((index, rest))
    })
}

/// Digits behind a point or a comma.
pub(super) fn fraction_length(value: &[u8]) -> usize {
    match value {
        [b'.' | b',', digits @ ..] => digits.iter().take_while(|c| c.is_ascii_digit()).count(),
        _ => 0,
    }
}

/// Nanoseconds from `length` bytes, the point included. What is finer is not looked at.
pub(super) fn fraction(value: &[u8], length: usize) -> Option<(i64, &[u8])> {
    let (fraction, rest) = take(value, length)?;
    let [b'.' | b',', digits @ ..] = fraction else { return None };
    let digits = digits.get(..9).unwrap_or(digits);
    let number = signed(digits).filter(|number| *number >= 0)?;
    let missing = u32::try_from(9 - digits.len()).ok()?;
    Some((number * 10i64.pow(missing), rest))
}
