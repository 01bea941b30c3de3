//! Days and dates. The arithmetic wraps where Go's does, so that absurd arguments have the same absurd results.

pub(super) const MINUTE: i64 = 60;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

/// Of Go's calendar: it starts in March of this year before the year 0, a multiple of 400.
const FIRST_YEAR: u64 = 292_277_022_400;

/// From the first day of that calendar to 1970, in days: 400 years have 146,097, and 719,468 are from March of the year 0.
const FIRST_TO_1970: u64 = FIRST_YEAR / 400 * 146_097 + 719_468;

/// Year, month and day of a day since 1970-01-01.
pub(super) fn date(day: i64) -> [i64; 3] {
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let month_from_january = if month < 10 { month + 3 } else { month - 9 };
    [era * 400 + year + i64::from(month_from_january <= 2), month_from_january, day - (153 * month + 2) / 5 + 1]
}

/// Seconds since 1970 of a date whose parts may be out of their ranges: the 14th month is February of the next year.
pub(super) fn unix(year: i64, month: i64, day: i64, seconds: i64) -> i64 {
    let (year, month) = carry(year, month.wrapping_sub(1), 12);
    let (month, before_march) = if month < 2 { (month + 13, 1) } else { (month + 1, 0) };
    let year = (year as u64).wrapping_sub(before_march).wrapping_add(FIRST_YEAR);
    let days_before_year = 1_461 * (year % 100) / 4;
    let days_before_century = 146_097u64.wrapping_mul(year / 100) / 4;
    let day = (days_before_year as i64 + (153 * month - 457) / 5).wrapping_add(day).wrapping_sub(1);
    let days = days_before_century.wrapping_add(day as u64);
    let seconds_1970 = (FIRST_TO_1970 as i64).wrapping_mul(DAY);
    (days as i64).wrapping_mul(DAY).wrapping_add(seconds).wrapping_sub(seconds_1970)
}

/// `low` as 0 to `base` - 1; the rest goes to `high`.
fn carry(high: i64, low: i64, base: i64) -> (i64, i64) {
    (high.wrapping_add(low.div_euclid(base)), low.rem_euclid(base))
}

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(super) fn days_in(month: i64, year: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days before a month, 1 to 13, of a year without a leap day.
pub(super) fn days_before(month: i64) -> i64 {
    (1..month).map(|month| days_in(month, 1)).sum()
}

#[cfg(test)]
mod tests {
    use super::{DAY, date, days_before, unix};

    #[test]
    fn days_and_dates_are_each_others_reverse() {
        for day in (-200_000..200_000).step_by(17) {
            let [y, m, d] = date(day);
            assert_eq!(unix(y, m, d, 0), day * DAY, "{y}-{m}-{d}");
        }
        assert_eq!(date(0), [1970, 1, 1]);
        assert_eq!(date(11_016), [2000, 2, 29]);
        assert_eq!(date(-1), [1969, 12, 31]);
    }

    #[test]
    fn parts_carry() {
        assert_eq!(unix(2025, 14, 0, 0), unix(2026, 1, 31, 0));
        assert_eq!(unix(2025, 2, 29, 0), unix(2025, 3, 1, 0));
        assert_eq!(unix(2025, -1, 1, -1), unix(2024, 10, 31, DAY - 1));
        assert_eq!([days_before(1), days_before(3), days_before(13)], [0, 59, 365]);
    }
}
