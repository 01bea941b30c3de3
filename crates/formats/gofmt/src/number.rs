use crate::Spec;
use crate::spec::many;

/// Writes a number in its parts, with spaces to the width: sign, prefix, so many zeros, digits.
pub fn number(out: &mut String, sign: &str, prefix: &str, zeros: usize, digits: &str, spec: &Spec) {
    let length = sign.len() + prefix.len() + zeros + digits.len();
    let missing = spec.width.unwrap_or(0).saturating_sub(length);
    if !spec.minus {
        many(out, " ", missing);
    }
    out.push_str(sign);
    out.push_str(prefix);
    many(out, "0", zeros);
    out.push_str(digits);
    if spec.minus {
        many(out, " ", missing);
    }
}

/// Digits of a whole number, filled up with zeros to the precision, or to the width where zeros were asked for. The prefix does
/// not count for those.
pub(crate) fn digits(out: &mut String, is_negative: bool, prefix: &str, digits: &str, spec: &Spec) {
    let sign = spec.sign(is_negative);
    let least = match (spec.precision, spec.zeros()) {
        // Nothing, as wide as it was asked for.
        (Some(0), _) if digits == "0" => return number(out, "", "", 0, "", spec),
        (Some(precision), _) => precision,
        (None, Some(width)) => width.saturating_sub(sign.len()),
        (None, None) => 0,
    };
    let zeros = least.saturating_sub(digits.len());
    // The zero of octal numbers is left out where there is one already.
    let has_zero = zeros > 0 || digits.starts_with('0');
    let prefix = prefix.strip_suffix('0').filter(|_| has_zero).unwrap_or(prefix);
    number(out, sign, prefix, zeros, digits, spec);
}
