//! A moment in a zone, as the time functions take it: nanoseconds, or a list of nanoseconds, zone and layout.

use super::calendar::{DAY, HOUR, MINUTE, date, days_before, is_leap};
use super::zone::{self, Local};
use super::{integer, text};
use jiff::tz::TimeZone;
use regorus::Value;

pub(super) const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const NANOS: i64 = 1_000_000_000;

#[derive(Clone, Debug)]
pub(super) struct Moment {
    /// Since 1970.
    pub(super) seconds: i64,
    pub(super) nanos: i64,
    pub(super) zone: TimeZone,
    pub(super) local: Local,
}

impl Moment {
    pub(super) fn read(argument: &Value) -> Option<Self> {
        let (nanos, zone) = match argument {
            Value::Array(parts) => {
                let name = parts.get(1).map_or(Some(""), text)?;
                // A layout is nobody's business but that of `time.format`; still it has to be a text.
                parts.get(2).map_or(Some(""), text)?;
                (integer(parts.first()?)?, zone::find(name)?)
            }
            number => (integer(number)?, TimeZone::UTC),
        };
        Some(Self::new(nanos.div_euclid(NANOS), nanos.rem_euclid(NANOS), zone))
    }

    fn new(seconds: i64, nanos: i64, zone: TimeZone) -> Self {
        let local = zone::at(&zone, seconds);
        Self { seconds, nanos, zone, local }
    }

    /// The same moment, as people elsewhere see it.
    pub(super) fn in_zone(&self, zone: &TimeZone) -> Self {
        Self::new(self.seconds, self.nanos, zone.clone())
    }

    fn day(&self) -> i64 {
        (self.seconds + self.local.offset).div_euclid(DAY)
    }

    pub(super) fn second_of_day(&self) -> i64 {
        (self.seconds + self.local.offset).rem_euclid(DAY)
    }

    /// Year, month and day.
    pub(super) fn date(&self) -> [i64; 3] {
        date(self.day())
    }

    /// Hour, minute and second.
    pub(super) fn clock(&self) -> [i64; 3] {
        let second = self.second_of_day();
        [second / HOUR, second % HOUR / MINUTE, second % MINUTE]
    }

    pub(super) fn weekday(&self) -> &'static str {
        // 1970 began on a Thursday.
        let index = usize::try_from((self.day() + 4).rem_euclid(7)).unwrap_or_default();
        WEEKDAYS.get(index).copied().unwrap_or_default()
    }

    /// From 1.
    pub(super) fn day_of_year(&self) -> i64 {
        let [year, month, day] = self.date();
        days_before(month) + day + i64::from(month > 2 && is_leap(year))
    }
}

/// What fits in 64 bits: the years 1678 to 2261, and a little.
pub(super) fn nanos(seconds: i64, nanos: i64) -> Option<i64> {
    i64::try_from(i128::from(seconds) * i128::from(NANOS) + i128::from(nanos)).ok()
}
