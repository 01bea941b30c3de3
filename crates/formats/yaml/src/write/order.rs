//! The order of keys.

use std::cmp::Ordering;

/// The keys in the natural order of the reference: `a2` before `a10`, what is no letter before letters.
///
/// That order is not transitive (`1a` < `2` < `10` < `1a`), so no library sort may see it; where it contradicts itself the
/// reference has no fixed answer, and ours depends on the keys alone.
pub(super) fn sort<V>(entries: &mut Vec<(&str, V)>) {
    entries.sort_unstable_by_key(|(key, _)| *key);
    // Letters alone are in the order of their bytes.
    if entries.iter().any(|(key, _)| !key.bytes().all(|b| b.is_ascii_alphabetic())) {
        merge_sort(entries);
    }
}

fn merge_sort<V>(keys: &mut Vec<(&str, V)>) {
    if keys.len() < 2 {
        return;
    }
    let mut right = keys.split_off(keys.len() / 2);
    let mut left = std::mem::take(keys);
    merge_sort(&mut left);
    merge_sort(&mut right);
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
        let next = if less(r.0, l.0) { right.next() } else { left.next() };
        keys.extend(next);
    }
    keys.extend(left);
    keys.extend(right);
}

/// Whether `a` stands before `b`.
fn less(a: &str, b: &str) -> bool {
    let mut digits_before_matter = false;
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let (Some(ca), Some(cb)) = (rest_a.chars().next(), rest_b.chars().next()) else {
            return rest_a.is_empty() && !rest_b.is_empty();
        };
        if ca != cb {
            return differing(rest_a, rest_b, ca, cb, digits_before_matter);
        }
        // Whether the run of equal digits up to here holds another than 0.
        digits_before_matter = ca.is_ascii_digit() && (digits_before_matter || ca != '0');
        rest_a = &rest_a[ca.len_utf8()..];
        rest_b = &rest_b[cb.len_utf8()..];
    }
}

/// The order of two texts whose first characters differ.
fn differing(a: &str, b: &str, ca: char, cb: char, digits_before_matter: bool) -> bool {
    match (ca.is_alphabetic(), cb.is_alphabetic()) {
        (true, true) => return ca < cb,
        (false, false) => {}
        (_, b_is_letter) => return b_is_letter,
    }
    let start = i64::from((ca == '0' || cb == '0') && digits_before_matter);
    let ((number_a, length_a), (number_b, length_b)) = (digits(a, start), digits(b, start));
    number_a.cmp(&number_b).then(length_a.cmp(&length_b)).then(ca.cmp(&cb)) == Ordering::Less
}

/// The number at the start of a text, and its length. Wraps as the reference does.
fn digits(text: &str, start: i64) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((start, 0), |(n, length), d| (n.wrapping_mul(10).wrapping_add(i64::from(d - b'0')), length + 1))
}
