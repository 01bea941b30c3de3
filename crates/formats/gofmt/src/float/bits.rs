//! Floats by their bits. The sign is the caller's.

/// Bits behind the leading one.
const FRACTION: u32 = 52;

/// `%b`: a whole number and a power of two.
pub(super) fn binary(f: f64) -> String {
    let (mantissa, exponent) = parts(f);
    format!("{mantissa}p{:+}", exponent - i64::from(FRACTION))
}

/// `%x`: `0x1.8p+01`, with all digits or rounded to so many.
pub(super) fn hexadecimal(f: f64, precision: Option<usize>) -> String {
    /// Where the leading one stands: behind it are fifteen whole digits, and before it is room to round.
    const LEADING: u32 = 60;
    const DIGITS: usize = 15;
    let (mantissa, exponent) = parts(f);
    let (mut mantissa, mut exponent) = match mantissa {
        0 => (0, 0),
        // A float near zero has no leading one: the first bit that is set becomes it.
        _ => {
            let top = mantissa.ilog2();
            (mantissa << (LEADING - top), exponent - i64::from(FRACTION - top))
        }
    };
    if let Some(cut) = precision.and_then(|precision| DIGITS.checked_sub(precision)).filter(|cut| *cut > 0) {
        let unit = 1_u64 << (4 * cut);
        let (kept, lost) = (mantissa / unit, mantissa % unit);
        let is_up = lost > unit / 2 || lost == unit / 2 && kept % 2 == 1;
        mantissa = (kept + u64::from(is_up)) * unit;
        if mantissa >> LEADING > 1 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let all = format!("{:015x}", mantissa & ((1 << LEADING) - 1));
    let digits = match precision {
        None => all.trim_end_matches('0').to_owned(),
        Some(precision) => all[..precision.min(DIGITS)].to_owned() + &"0".repeat(precision.saturating_sub(DIGITS)),
    };
    let point = if digits.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{}{point}{digits}p{sign}{:02}", mantissa >> LEADING, exponent.unsigned_abs())
}

/// A whole number, and the power of two of its 53rd bit.
fn parts(f: f64) -> (u64, i64) {
    let bits = f.to_bits();
    let stored = i64::try_from(bits >> FRACTION & 0x7ff).unwrap_or_default();
    let hidden = if stored == 0 { 0 } else { 1 << FRACTION };
    (bits & ((1 << FRACTION) - 1) | hidden, stored.max(1) - 1023)
}
