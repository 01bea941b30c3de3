//! `time.add_date`: years, months and days on the calendar of a zone; the hour stays, as far as that day has it.

use super::calendar::unix;
use super::moment::{Moment, nanos};
use super::zone;

pub(super) fn add(moment: &Moment, years: i64, months: i64, days: i64) -> Option<i64> {
    let [year, month, day] = moment.date();
    let second = moment.second_of_day();
    let local = unix(year.wrapping_add(years), month.wrapping_add(months), day.wrapping_add(days), second);
    // The offset of a moment that is not known yet: that of the clock taken for UTC is right, or one change away from it.
    let mut offset = zone::at(&moment.zone, local).offset;
    if offset != 0 {
        offset = zone::at(&moment.zone, local.wrapping_sub(offset)).offset;
    }
    nanos(local.wrapping_sub(offset), moment.nanos)
}
