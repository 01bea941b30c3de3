//! When a schedule falls due, in UTC.

use windlass_model::{Millis, Timestamp};

const MINUTE: i64 = 60;
const DAY: i64 = 86_400;
/// A schedule that does not fall due within these days never does: the 30th of February.
const FARTHEST: i64 = 366 * 5;

/// Five fields as sets of numbers, or a fixed distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    Fields { minutes: u64, hours: u64, days: u64, months: u64, weekdays: u64, any_day: bool },
    Every(Millis),
}

impl Schedule {
    /// Reads what the checks of the API have let through.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(distance) = text.strip_prefix("@every ") {
            return Millis::parse(distance).ok().filter(|distance| distance.0 >= 1_000).map(Self::Every);
        }
        let text = match text {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else { return None };
        // Where one of the two kinds of days is open, both must fit; else one of them is enough.
        let any_day = !is_open(days) && !is_open(weekdays);
        Some(Self::Fields {
            minutes: set(minutes, 0, 59)?,
            hours: set(hours, 0, 23)?,
            days: set(days, 1, 31)?,
            months: set(months, 1, 12)?,
            weekdays: set(weekdays, 0, 6)?,
            any_day,
        })
    }

    /// The first time after this one.
    pub(super) fn next(&self, after: Timestamp) -> Option<Timestamp> {
        let (minutes, hours) = match self {
            Self::Every(distance) => {
                let second = 1_000_000;
                return Some(Timestamp::from_micros((after + *distance).micros() / second * second));
            }
            Self::Fields { minutes, hours, .. } => (*minutes, *hours),
        };
        let start = (after.secs().div_euclid(MINUTE) + 1) * MINUTE;
        let first = start.div_euclid(DAY);
        for day in first..first + FARTHEST {
            if !self.falls_on(day) {
                continue;
            }
            let from = if day == first { start.rem_euclid(DAY) / MINUTE } else { 0 };
            let due = (from..24 * 60).find(|at| has(hours, at / 60) && has(minutes, at % 60));
            if let Some(at) = due {
                return Some(Timestamp::from_secs(day * DAY + at * MINUTE));
            }
        }
        None
    }

    /// Whether a day since 1970 is one of the schedule.
    fn falls_on(&self, day: i64) -> bool {
        let Self::Fields { days, months, weekdays, any_day, .. } = self else { return false };
        let (month, date) = civil(day);
        // The first of January 1970 was a Thursday.
        let weekday = (day + 4).rem_euclid(7);
        let (date, weekday) = (has(*days, date), has(*weekdays, weekday));
        has(*months, month) && if *any_day { date || weekday } else { date && weekday }
    }
}

fn is_open(field: &str) -> bool {
    field.starts_with(['*', '?'])
}

fn has(set: u64, number: i64) -> bool {
    u32::try_from(number).is_ok_and(|number| set.checked_shr(number).unwrap_or(0) & 1 == 1)
}

/// The numbers of one field.
fn set(field: &str, low: u32, high: u32) -> Option<u64> {
    let mut out = 0;
    for part in field.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let (first, last) = match range {
            "*" | "?" => (low, high),
            _ => match range.split_once('-') {
                Some((first, last)) => (number(first)?, number(last)?),
                // One number with a step goes on to the end.
                None if step.is_some() => (number(range)?, high),
                None => (number(range)?, number(range)?),
            },
        };
        let step = step.map_or(Some(1), number).filter(|step| *step > 0)?;
        let numbers = (first.max(low)..=last.min(high)).step_by(usize::try_from(step).ok()?);
        out |= numbers.fold(0, |set, number| set | 1_u64 << number);
    }
    Some(out)
}

fn number(text: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    let named = |names: &[&str]| names.iter().position(|name| name.eq_ignore_ascii_case(text));
    let month = named(&MONTHS).map(|month| month + 1);
    let found = month.or_else(|| named(&DAYS)).and_then(|found| u32::try_from(found).ok());
    found.or_else(|| text.parse().ok())
}

/// Month and day of month of a day since 1970, in the calendar that goes on both ways.
fn civil(day: i64) -> (i64, i64) {
    // Years that begin in March, so that the leap day is their last: eras of 400 years are all alike.
    let shifted = day + 719_468;
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    (if month < 10 { month + 3 } else { month - 9 }, date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &str, after: &str) -> String {
        let schedule = Schedule::parse(schedule).unwrap();
        schedule.next(Timestamp::parse(after).unwrap()).map_or("never".to_owned(), crate::object::time_text)
    }

    #[test]
    fn schedules_fall_due() {
        for (schedule, after, due) in [
            ("* * * * *", "2026-03-03T10:05:00Z", "2026-03-03T10:06:00Z"),
            ("*/5 * * * *", "2026-03-03T10:05:30Z", "2026-03-03T10:10:00Z"),
            ("0 22 * * 1-5", "2026-03-06T22:00:00Z", "2026-03-09T22:00:00Z"),
            ("0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("0 0 13 * fri", "2026-03-03T00:00:00Z", "2026-03-06T00:00:00Z"),
            ("30 6 1 jan,jul *", "2026-03-03T00:00:00Z", "2026-07-01T06:30:00Z"),
            ("10/20 * * * *", "2026-03-03T10:31:00Z", "2026-03-03T10:50:00Z"),
            ("@daily", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"),
            ("@weekly", "2026-03-03T00:00:00Z", "2026-03-08T00:00:00Z"),
            ("@every 90s", "2026-03-03T10:05:00Z", "2026-03-03T10:06:30Z"),
            ("0 0 30 2 *", "2026-03-03T00:00:00Z", "never"),
        ] {
            assert_eq!(next(schedule, after), due, "{schedule}");
        }
    }
}
