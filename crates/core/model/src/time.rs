//! Time as data: UTC microseconds and durations in milliseconds. Reading a clock is `windlass_clock`'s business.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};

/// A moment: microseconds since 1970-01-01T00:00:00Z. Prints as RFC 3339 with milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    pub const fn from_secs(secs: i64) -> Self {
        Self(secs.saturating_mul(1_000_000))
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    pub const fn millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    pub const fn secs(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// How long ago `earlier` was; zero when it lies ahead.
    pub fn since(self, earlier: Timestamp) -> Millis {
        Millis(u64::try_from(self.0.saturating_sub(earlier.0) / 1_000).unwrap_or(0))
    }

    /// The same moment for calendars and time zones. Moments outside the years -9999..9999 are clamped.
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_microsecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }

    pub fn from_jiff(at: jiff::Timestamp) -> Self {
        Self(at.as_microsecond())
    }

    /// Parses RFC 3339.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(Self::from_jiff)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.to_jiff())
    }
}

/// A length of time in whole milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a duration: write for example `30s`, `10m`, `1h 30m` or `7d`, at most 53w")]
pub struct DurationError {
    pub text: String,
}

impl Millis {
    pub const ZERO: Millis = Millis(0);
    /// The longest duration a document may name: 53 weeks (pipelines §4.5).
    pub const MAX: Millis = Millis(53 * 7 * 24 * 3_600_000);

    pub const fn from_secs(secs: u64) -> Self {
        Self(secs.saturating_mul(1_000))
    }

    pub const fn from_mins(mins: u64) -> Self {
        Self::from_secs(mins.saturating_mul(60))
    }

    pub const fn secs(self) -> u64 {
        self.0 / 1_000
    }

    /// Parses `1h 30m`, `45s`, `250ms` (pipelines §4.5). `5s` is accepted although the schema wants two digits.
    pub fn parse(text: &str) -> Result<Self, DurationError> {
        let error = || DurationError { text: text.to_owned() };
        let mut total: u64 = 0;
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(error());
        }
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(error)?;
            let number: u64 = rest[..digits].parse().map_err(|_| error())?;
            let tail = &rest[digits..];
            let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
            let unit = match &tail[..letters] {
                "ms" => 1,
                "s" => 1_000,
                "m" => 60_000,
                "h" => 3_600_000,
                "d" => 24 * 3_600_000,
                "w" => 7 * 24 * 3_600_000,
                _ => return Err(error()),
            };
            total = number.checked_mul(unit).and_then(|n| total.checked_add(n)).ok_or_else(error)?;
            rest = tail[letters..].trim_start();
        }
        if total > Self::MAX.0 { Err(error()) } else { Ok(Self(total)) }
    }

    /// Rounded down; the longest length for one that is longer.
    pub fn from_std(length: std::time::Duration) -> Self {
        Self(u64::try_from(length.as_millis()).unwrap_or(u64::MAX))
    }

    pub fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_millis(self.0)
    }
}

impl fmt::Display for Millis {
    /// The shortest composite form: `1h30m`, `45s`, `250ms`, `0s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = self.0;
        if left == 0 {
            return f.write_str("0s");
        }
        for (unit, name) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s"), (1, "ms")] {
            if left >= unit {
                write!(f, "{}{name}", left / unit)?;
                left %= unit;
            }
        }
        Ok(())
    }
}

impl Add<Millis> for Timestamp {
    type Output = Timestamp;

    fn add(self, rhs: Millis) -> Timestamp {
        let micros = i64::try_from(rhs.0.saturating_mul(1_000)).unwrap_or(i64::MAX);
        Timestamp(self.0.saturating_add(micros))
    }
}

impl Sub<Millis> for Timestamp {
    type Output = Timestamp;

    fn sub(self, rhs: Millis) -> Timestamp {
        let micros = i64::try_from(rhs.0.saturating_mul(1_000)).unwrap_or(i64::MAX);
        Timestamp(self.0.saturating_sub(micros))
    }
}

#[cfg(test)]
mod tests {
    use super::{Millis, Timestamp};

    #[test]
    fn durations_read_as_people_write_them() {
        for (text, secs) in [("10s", 10), ("5s", 5), ("10m", 600), ("1h 30m", 5_400), ("1h30m", 5_400), ("7d", 604_800)]
        {
            assert_eq!(Millis::parse(text), Ok(Millis::from_secs(secs)), "{text}");
        }
        assert_eq!(Millis::parse("250ms"), Ok(Millis(250)));
        for text in ["", " ", "10", "m", "10x", "1.5h", "-5m", "54w", "99999999999999999999s"] {
            assert!(Millis::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_print_short() {
        assert_eq!(Millis::parse("1h 30m").unwrap().to_string(), "1h30m");
        assert_eq!(Millis(250).to_string(), "250ms");
        assert_eq!(Millis::ZERO.to_string(), "0s");
    }

    #[test]
    fn moments_print_as_rfc_3339() {
        let at = Timestamp::parse("2026-03-02T14:00:00Z").unwrap();
        assert_eq!(at.to_string(), "2026-03-02T14:00:00.000Z");
        assert_eq!((at + Millis::from_mins(5)).since(at), Millis::from_mins(5));
        assert_eq!(at.since(at + Millis(1)), Millis::ZERO);
    }
}
