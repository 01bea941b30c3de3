//! A moment from a text by a layout, `time.Parse` of Go: what it takes, with its leniency, and nothing else.

mod field;
mod offset;

use super::calendar::{HOUR, MINUTE, days_before, days_in, is_leap, unix};
use super::layout::{Element, MONTHS, Pad, next};
use super::moment::{WEEKDAYS, nanos};
use field::{fraction, name, number, number3, skip, take, year};

/// What has been read so far.
#[derive(Debug, Default)]
struct Read {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: i64,
    before_noon: bool,
    after_noon: bool,
    /// Seconds to the east.
    offset: i64,
    /// Said by name; then no offset counts.
    utc: bool,
}

/// Nanoseconds since 1970.
pub(super) fn parse(mut layout: &str, value: &str) -> Option<i64> {
    let mut read = Read::default();
    let mut value = value.as_bytes();
    loop {
        let (before, element, after) = next(layout);
        value = skip(value, before.as_bytes())?;
        let Some(element) = element else { break };
        layout = after;
        value = read.element(element, value, layout)?;
    }
    if value.is_empty() { read.finish() } else { None }
}

impl Read {
    /// Reads one element; `layout` is what follows it. Answers with the rest of the value.
    fn element<'v>(&mut self, element: Element, value: &'v [u8], layout: &str) -> Option<&'v [u8]> {
        Some(match element {
            Element::ShortYear => {
                let (two, rest) = take(value, 2)?;
                let year = field::signed(two)?;
                self.year = if year >= 69 { year + 1900 } else { year + 2000 };
                rest
            }
            Element::Year => put(&mut self.year, year(value)?),
            Element::MonthName { long } => {
                let (index, rest) = name(&MONTHS, long, value)?;
                self.month = Some(index + 1);
                rest
            }
            Element::Month(pad) => {
                let (month, rest) = number(value, pad == Pad::Zero)?;
                self.month = Some(month).filter(|month| (1..=12).contains(month));
                self.month.map(|_| rest)?
            }
            // Not compared with the date.
            Element::WeekdayName { long } => name(&WEEKDAYS, long, value)?.1,
            Element::Day(pad) => {
                let value = if pad == Pad::Space { value.strip_prefix(b" ").unwrap_or(value) } else { value };
                let (day, rest) = number(value, pad == Pad::Zero)?;
                self.day = Some(day);
                rest
            }
            Element::DayOfYear(pad) => {
                let blanks =
                    if pad == Pad::Space { value.iter().take(2).take_while(|c| **c == b' ').count() } else { 0 };
                let (day, rest) = number3(&value[blanks..], pad == Pad::Zero)?;
                self.day_of_year = Some(day);
                rest
            }
            Element::Hour => put_within(&mut self.hour, 23, number(value, false)?)?,
            Element::Hour12(pad) => put_within(&mut self.hour, 12, number(value, pad == Pad::Zero)?)?,
            Element::Minute(pad) => put_within(&mut self.minute, 59, number(value, pad == Pad::Zero)?)?,
            Element::Second(pad) => {
                let rest = put_within(&mut self.second, 59, number(value, pad == Pad::Zero)?)?;
                let digits = field::fraction_length(rest);
                // A fraction of seconds is read even where the layout has none.
                if digits > 0 && !matches!(next(layout).1, Some(Element::Fraction(_))) {
                    put(&mut self.nanos, fraction(rest, 1 + digits)?)
                } else {
                    rest
                }
            }
            Element::Noon { capital } => {
                let (two, rest) = take(value, 2)?;
                match (two, capital) {
                    (b"AM", true) | (b"am", false) => self.before_noon = true,
                    (b"PM", true) | (b"pm", false) => self.after_noon = true,
                    _ => return None,
                }
                rest
            }
            Element::Offset(form) => match value {
                [b'Z', rest @ ..] if form.zulu => {
                    self.utc = true;
                    rest
                }
                _ => put(&mut self.offset, offset::offset(value, form)?),
            },
            // Names of zones are no one's in particular: none but that of UTC says anything about the moment.
            Element::ZoneName => {
                self.utc |= value.starts_with(b"UTC");
                offset::name(value)?
            }
            Element::Fraction(form) if form.trimmed => match field::fraction_length(value) {
                0 => value,
                digits => put(&mut self.nanos, fraction(value, 1 + digits)?),
            },
            Element::Fraction(form) => put(&mut self.nanos, fraction(value, 1 + form.digits)?),
        })
    }

    fn finish(mut self) -> Option<i64> {
        if self.after_noon && self.hour < 12 {
            self.hour += 12;
        } else if self.before_noon && self.hour == 12 {
            self.hour = 0;
        }
        let (month, day) = match self.day_of_year {
            Some(day) => self.of_year(day)?,
            None => (self.month.unwrap_or(1), self.day.unwrap_or(1)),
        };
        if day < 1 || day > days_in(month, self.year) {
            return None;
        }
        let offset = if self.utc { 0 } else { self.offset };
        let seconds = self.hour * HOUR + self.minute * MINUTE + self.second;
        nanos(unix(self.year, month, day, seconds) - offset, self.nanos)
    }

    /// Month and day of a day of the year; what was read of them must agree.
    fn of_year(&self, day: i64) -> Option<(i64, i64)> {
        let leap = is_leap(self.year);
        let (month, day) = match day {
            60 if leap => (2, 29),
            day => {
                let day = if leap && day > 60 { day - 1 } else { day };
                if !(1..=365).contains(&day) {
                    return None;
                }
                let month = (1..=12).rev().find(|month| days_before(*month) < day)?;
                (month, day - days_before(month))
            }
        };
        let agrees = |read: Option<i64>, found| read.is_none_or(|read| read == found);
        (agrees(self.month, month) && agrees(self.day, day)).then_some((month, day))
    }
}

fn put<'v>(place: &mut i64, (value, rest): (i64, &'v [u8])) -> &'v [u8] {
    *place = value;
    rest
}

fn put_within<'v>(place: &mut i64, most: i64, (value, rest): (i64, &'v [u8])) -> Option<&'v [u8]> {
    *place = value;
    (value <= most).then_some(rest)
}
