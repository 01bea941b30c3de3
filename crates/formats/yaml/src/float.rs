//! Floats as Go prints them.

/// `strconv.FormatFloat(f, 'g', -1, 64)`: the shortest digits that read back as the same number; with an exponent when
/// it is below -4 or above 5 (rendering, correction d).
pub(crate) fn shortest(f: f64) -> String {
    special(f).unwrap_or_else(|| arrange(&format!("{f:e}")))
}

/// A float that is a key of a control file: the reference prints these with the precision of 32 bits.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn key(f: f64) -> String {
    let narrow = f as f32;
    special(narrow.into()).unwrap_or_else(|| arrange(&format!("{narrow:e}")))
}

fn special(f: f64) -> Option<String> {
    if f.is_nan() {
        Some(".nan".into())
    } else if f.is_infinite() {
        Some(if f > 0.0 { ".inf" } else { "-.inf" }.into())
    } else {
        None
    }
}

/// From `1.25e6` to Go's choice between digits and exponent.
fn arrange(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    let (sign, unsigned) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits = unsigned.replace('.', "");
    let Ok(point) = usize::try_from(exponent + 1) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    match point {
        0 => format!("{sign}0.{digits}"),
        _ if digits.len() <= point => format!("{sign}{digits:0<point$}"),
        _ => format!("{sign}{}.{}", &digits[..point], &digits[point..]),
    }
}
