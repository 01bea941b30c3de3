//! A moment by a layout.

use super::calendar::{HOUR, MINUTE};
use super::layout::{Element, Fraction, MONTHS, Offset, Pad, next};
use super::moment::Moment;
use std::fmt::Write as _;

pub(super) fn format(moment: &Moment, mut layout: &str) -> String {
    let mut text = String::new();
    while !layout.is_empty() {
        let (before, element, after) = next(layout);
        text.push_str(before);
        if let Some(element) = element {
            add(&mut text, moment, element);
        }
        layout = after;
    }
    text
}

fn add(text: &mut String, moment: &Moment, element: Element) {
    let ([year, month, day], [hour, minute, second]) = (moment.date(), moment.clock());
    match element {
        Element::Year => number(text, year, 4, Pad::Zero),
        Element::ShortYear => number(text, year % 100, 2, Pad::Zero),
        Element::MonthName { long } => {
            let name = usize::try_from(month - 1).ok().and_then(|index| MONTHS.get(index));
            text.push_str(shortened(name.copied().unwrap_or_default(), long));
        }
        Element::Month(pad) => number(text, month, 2, pad),
        Element::WeekdayName { long } => text.push_str(shortened(moment.weekday(), long)),
        Element::Day(pad) => number(text, day, 2, pad),
        Element::DayOfYear(pad) => number(text, moment.day_of_year(), 3, pad),
        Element::Hour => number(text, hour, 2, Pad::Zero),
        Element::Hour12(pad) => number(text, if hour % 12 == 0 { 12 } else { hour % 12 }, 2, pad),
        Element::Minute(pad) => number(text, minute, 2, pad),
        Element::Second(pad) => number(text, second, 2, pad),
        Element::Noon { capital } => text.push_str(match (hour >= 12, capital) {
            (true, true) => "PM",
            (true, false) => "pm",
            (false, true) => "AM",
            (false, false) => "am",
        }),
        Element::ZoneName => text.push_str(&moment.local.name),
        Element::Offset(form) => offset(text, moment.local.offset, form),
        Element::Fraction(form) => fraction(text, moment.nanos, form),
    }
}

fn shortened(name: &str, long: bool) -> &str {
    if long { name } else { name.get(..3).unwrap_or(name) }
}

/// Writing to a text cannot fail.
fn number(text: &mut String, number: i64, width: usize, pad: Pad) {
    let _ = match pad {
        Pad::None => write!(text, "{number}"),
        Pad::Space => write!(text, "{number:width$}"),
        Pad::Zero => write!(text, "{number:0width$}"),
    };
}

fn offset(text: &mut String, offset: i64, form: Offset) {
    if offset == 0 && form.zulu {
        text.push('Z');
        return;
    }
    // The sign is that of whole minutes.
    text.push(if offset / MINUTE < 0 { '-' } else { '+' });
    let offset = offset.abs();
    number(text, offset / HOUR, 2, Pad::Zero);
    for (wanted, part) in [(form.minutes, offset % HOUR / MINUTE), (form.seconds, offset % MINUTE)] {
        if wanted {
            text.push_str(if form.colons { ":" } else { "" });
            number(text, part, 2, Pad::Zero);
        }
    }
}

fn fraction(text: &mut String, nanos: i64, form: Fraction) {
    if form.trimmed && (form.digits == 0 || nanos == 0) {
        return;
    }
    let digits = format!("{nanos:09}");
    let digits = digits.get(..form.digits).unwrap_or(&digits);
    let digits = if form.trimmed { digits.trim_end_matches('0') } else { digits };
    if !(form.trimmed && digits.is_empty()) {
        text.push(if form.comma { ',' } else { '.' });
        text.push_str(digits);
    }
}
