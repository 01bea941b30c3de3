//! The core schema of YAML 1.2 (§10.3.2): decimal integers may have leading zeros, octal is `0o17`, `yes` is text.

use super::{Scalar, bool_word, decimal_float, float_word, integer, null_word, split_sign};

pub(super) fn resolve(text: &str) -> Scalar {
    if null_word(text) {
        return Scalar::Null;
    }
    if let Some(b) = bool_word(text) {
        return Scalar::Bool(b);
    }
    if let Some(f) = float_word(text) {
        return Scalar::Float(f);
    }
    let (sign, digits) = split_sign(text);
    let number = match (sign, digits.get(..2)) {
        (None, Some("0o")) => integer(None, &digits[2..], 8),
        (None, Some("0x")) => integer(None, &digits[2..], 16),
        _ => integer(sign, digits, 10),
    };
    number.or_else(|| decimal_float(text).map(Scalar::Float)).unwrap_or(Scalar::Text)
}
