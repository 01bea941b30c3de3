//! Patterns of Java's `DateTimeFormatter`, English names.

use crate::error::{ErrorKind, Fault, Outcome};
use jiff::Zoned;
use jiff::civil::Weekday;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

pub(super) fn format(at: &Zoned, pattern: &str) -> Outcome<String> {
    const LONGEST: usize = 200;
    if pattern.len() > LONGEST {
        return Err(ErrorKind::Limit { what: "the date pattern", limit: LONGEST }.into());
    }
    let mut out = String::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\'' {
            quoted(&mut chars, &mut out)?;
        } else if c.is_ascii_alphabetic() {
            let mut count = 1;
            while chars.next_if_eq(&c).is_some() {
                count += 1;
            }
            field(at, c, count, &mut out)?;
        } else {
            out.push(c);
        }
    }
    Ok(out)
}

/// `'text'`, with `''` for a quote.
fn quoted(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) -> Outcome<()> {
    if chars.next_if_eq(&'\'').is_some() {
        out.push('\'');
        return Ok(());
    }
    while let Some(c) = chars.next() {
        if c != '\'' {
            out.push(c);
        } else if chars.next_if_eq(&'\'').is_some() {
            out.push('\'');
        } else {
            return Ok(());
        }
    }
    Err(ErrorKind::Argument("a quote of the date pattern is not closed".into()).into())
}

fn field(at: &Zoned, letter: char, count: usize, out: &mut String) -> Outcome<()> {
    let mut number = |n: i64| out.push_str(&format!("{n:0count$}"));
    match letter {
        'y' | 'u' if count == 2 => number(i64::from(at.year()).rem_euclid(100)),
        'y' | 'u' => number(at.year().into()),
        'M' | 'L' if count >= 3 => out.push_str(name(MONTHS[usize::from(at.month().unsigned_abs() - 1) % 12], count)),
        'M' | 'L' => number(at.month().into()),
        'd' => number(at.day().into()),
        'D' => number(at.day_of_year().into()),
        'E' => out.push_str(name(weekday(at.weekday()), count)),
        'e' => number(at.weekday().to_monday_one_offset().into()),
        'H' => number(at.hour().into()),
        'k' => number(if at.hour() == 0 { 24 } else { at.hour().into() }),
        'h' => number(match at.hour() % 12 {
            0 => 12,
            hour => hour.into(),
        }),
        'a' => out.push_str(if at.hour() < 12 { "AM" } else { "PM" }),
        'm' => number(at.minute().into()),
        's' => number(at.second().into()),
        'S' => out.push_str(&format!("{:09}", at.subsec_nanosecond()).chars().take(count).collect::<String>()),
        'X' => offset(at, count, "Z", out),
        'x' => offset(at, count, "", out),
        'Z' => offset(at, if count >= 4 { 3 } else { 2 }, "", out),
        'z' | 'V' => out.push_str(at.time_zone().iana_name().unwrap_or("UTC")),
        _ => {
            let fault = Fault::from(ErrorKind::Argument(format!("unknown letter `{letter}` in the date pattern")));
            return Err(fault.remedy("put plain text between single quotes, as in yyyy-MM-dd'T'HH:mm"));
        }
    }
    Ok(())
}

/// Short with three letters, else long.
fn name(long: &'static str, count: usize) -> &'static str {
    if count <= 3 { &long[..3] } else { long }
}

/// `+01`, `+0130` or `+01:30`; `zero` stands for no offset when it is not empty.
fn offset(at: &Zoned, count: usize, zero: &str, out: &mut String) {
    let seconds = at.offset().seconds();
    if seconds == 0 && !zero.is_empty() {
        return out.push_str(zero);
    }
    let minutes = seconds.unsigned_abs() / 60;
    let sign = if seconds < 0 { '-' } else { '+' };
    let (hours, minutes) = (minutes / 60, minutes % 60);
    out.push_str(&match count {
        1 if minutes == 0 => format!("{sign}{hours:02}"),
        1 | 2 => format!("{sign}{hours:02}{minutes:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}"),
    });
}
