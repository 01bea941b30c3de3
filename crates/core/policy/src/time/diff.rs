//! `time.diff`: how far two moments are apart on the calendar.

use super::calendar::days_in;
use super::moment::Moment;

/// Years, months, days, hours, minutes and seconds, in the zone of the first moment.
pub(super) fn diff(first: &Moment, second: &Moment) -> [i64; 6] {
    let second = second.in_zone(&first.zone);
    let later = (first.seconds, first.nanos) > (second.seconds, second.nanos);
    let (from, to) = if later { (&second, first) } else { (first, &second) };
    let ([y1, mo1, d1], [h1, m1, s1]) = (from.date(), from.clock());
    let ([y2, mo2, d2], [h2, m2, s2]) = (to.date(), to.clock());
    let (mut year, mut month, mut day) = (y2 - y1, mo2 - mo1, d2 - d1);
    let (mut hour, mut minute, mut second) = (h2 - h1, m2 - m1, s2 - s1);
    borrow(&mut second, 60, &mut minute);
    borrow(&mut minute, 60, &mut hour);
    borrow(&mut hour, 24, &mut day);
    borrow(&mut day, days_in(mo1, y1), &mut month);
    borrow(&mut month, 12, &mut year);
    [year, month, day, hour, minute, second]
}

fn borrow(small: &mut i64, size: i64, large: &mut i64) {
    if *small < 0 {
        *small += size;
        *large -= 1;
    }
}
