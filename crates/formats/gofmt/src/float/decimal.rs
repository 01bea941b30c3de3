/// The size of a finite float in decimal digits: a point behind the first one, times ten to the exponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Without zeros at the end, unless it is the only one.
    pub digits: String,
    pub exponent: i32,
}

impl Decimal {
    /// The fewest digits that mean this float. Where two texts are equally short and near, the printer of JSON takes the even
    /// one, as Go does.
    #[must_use]
    pub fn shortest(f: f64) -> Self {
        let f = f.abs();
        let text = serde_json::Number::from_f64(f).map_or_else(|| f.to_string(), |number| number.to_string());
        Self::read(&text)
    }

    /// Rounded to so many digits.
    pub(crate) fn rounded(f: f64, count: usize) -> Self {
        Self::read(&format!("{:.*e}", count - 1, f.abs()))
    }

    fn read(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        if significant.is_empty() {
            return Self { digits: "0".to_owned(), exponent: 0 };
        }
        let length = |text: &str| i32::try_from(text.len()).unwrap_or(0);
        let leading = length(&all) - length(significant);
        let exponent = exponent.parse().unwrap_or(0) + length(whole) - leading - 1;
        Self { digits: significant.trim_end_matches('0').to_owned(), exponent }
    }

    /// `1.25`: digits with a point behind the first, where more follow.
    #[must_use]
    pub fn mantissa(&self) -> String {
        let (first, rest) = self.digits.split_at(1);
        if rest.is_empty() { first.to_owned() } else { format!("{first}.{rest}") }
    }

    /// Without an exponent.
    #[must_use]
    pub fn plain(&self) -> String {
        let digits = &self.digits;
        match usize::try_from(self.exponent) {
            Err(_) => format!("0.{}{digits}", "0".repeat(usize::try_from(-self.exponent - 1).unwrap_or(0))),
            Ok(before) if digits.len() <= before + 1 => format!("{digits}{}", "0".repeat(before + 1 - digits.len())),
            Ok(before) => format!("{}.{}", &digits[..=before], &digits[before + 1..]),
        }
    }
}
