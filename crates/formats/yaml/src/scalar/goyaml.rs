//! The tables by which Kubernetes' tools read YAML (rendering §0.2 and its corrections a and c).

use super::{Scalar, bool_word, decimal_float, float_word, integer, null_word, split_sign, timestamp};

/// The generation of the library whose table counts.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Version {
    /// Kustomization files, charts, values: YAML 1.1 booleans; a date is text.
    V2,
    /// Objects.
    V3,
}

pub(super) fn resolve(text: &str, version: Version) -> Scalar {
    // No word that means something is longer.
    if text.len() > "false".len() && text.as_bytes()[0].is_ascii_alphabetic() {
        return Scalar::Text;
    }
    if null_word(text) {
        return Scalar::Null;
    }
    if let Some(b) = bool_word(text).or_else(|| old_bool_word(text).filter(|_| version == Version::V2)) {
        return Scalar::Bool(b);
    }
    if let Some(f) = float_word(text) {
        return Scalar::Float(f);
    }
    match text.as_bytes().first() {
        Some(b'.') => without_separators(text).and_then(|t| decimal_float(&t)).map_or(Scalar::Text, Scalar::Float),
        Some(b'0'..=b'9' | b'-' | b'+') => number(text, version),
        _ => Scalar::Text,
    }
}

/// The booleans of YAML 1.1 that YAML 1.2 dropped. `yEs` is none.
fn old_bool_word(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// A date, or a number: underscores are dropped; a leading 0 means octal, unless a digit forbids it.
fn number(text: &str, version: Version) -> Scalar {
    if let Some(written) = timestamp::parse(text) {
        return if version == Version::V3 { Scalar::Timestamp(written) } else { Scalar::Text };
    }
    let plain = text.replace('_', "");
    let (sign, digits) = split_sign(&plain);
    let integer = match digits.get(..2) {
        Some("0x" | "0X") => integer(sign, &digits[2..], 16),
        Some("0b" | "0B") => integer(sign, &digits[2..], 2),
        Some("0o" | "0O") => integer(sign, &digits[2..], 8),
        Some(_) if digits.starts_with('0') => integer(sign, digits, 8),
        _ => integer(sign, digits, 10),
    };
    integer.or_else(|| decimal_float(&plain).map(Scalar::Float)).unwrap_or(Scalar::Text)
}

/// The text without the underscores that stand between digits; nothing when one stands elsewhere.
fn without_separators(text: &str) -> Option<String> {
    let digit = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let separates = |at: usize| digit(at.checked_sub(1)) && digit(Some(at + 1));
    text.match_indices('_').all(|(at, _)| separates(at)).then(|| text.replace('_', ""))
}
