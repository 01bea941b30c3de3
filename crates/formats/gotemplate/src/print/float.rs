use windlass_gofmt::Decimal;

/// A float as Go's encoder of JSON writes it: an exponent below -6 and from 21 up, in as few digits as it takes.
pub(crate) fn json(f: f64) -> String {
    let decimal = Decimal::shortest(f);
    let sign = if f.is_sign_negative() { "-" } else { "" };
    if f != 0.0 && !(1e-6..1e21).contains(&f.abs()) {
        return format!("{sign}{}e{:+}", decimal.mantissa(), decimal.exponent);
    }
    format!("{sign}{}", decimal.plain())
}
