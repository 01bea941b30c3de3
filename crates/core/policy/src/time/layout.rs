//! Go's layouts: the reference time, Monday 2 January 2006 15:04:05 in a zone at -07:00, as the author wants to see it.

pub(super) const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
pub(super) const RFC3339_NANO: &str = "2006-01-02T15:04:05.999999999Z07:00";

/// A layout by one of the names that OPA knows, or as it is written.
pub(super) fn named(layout: &str) -> &str {
    match layout {
        "ANSIC" => "Mon Jan _2 15:04:05 2006",
        "UnixDate" => "Mon Jan _2 15:04:05 MST 2006",
        "RubyDate" => "Mon Jan 02 15:04:05 -0700 2006",
        "RFC822" => "02 Jan 06 15:04 MST",
        "RFC822Z" => "02 Jan 06 15:04 -0700",
        "RFC850" => "Monday, 02-Jan-06 15:04:05 MST",
        "RFC1123" => "Mon, 02 Jan 2006 15:04:05 MST",
        "RFC1123Z" => "Mon, 02 Jan 2006 15:04:05 -0700",
        "RFC3339" => RFC3339,
        "RFC3339Nano" => RFC3339_NANO,
        other => other,
    }
}

/// Months by the words of layouts; three letters are the short form.
pub(super) const MONTHS: [&str; 12] = [
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

/// Filling of numbers that have fewer digits than their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pad {
    None,
    Space,
    Zero,
}

/// What a place of a layout stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    MonthName { long: bool },
    Month(Pad),
    WeekdayName { long: bool },
    Day(Pad),
    DayOfYear(Pad),
    Hour,
    Hour12(Pad),
    Minute(Pad),
    Second(Pad),
    Year,
    ShortYear,
    Noon { capital: bool },
    ZoneName,
    Offset(Offset),
    Fraction(Fraction),
}

/// `Z07:00` and its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    /// `Z` for UTC.
    pub(super) zulu: bool,
    pub(super) colons: bool,
    pub(super) minutes: bool,
    pub(super) seconds: bool,
}

/// `.000` or `,999`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fraction {
    pub(super) comma: bool,
    pub(super) digits: usize,
    /// Whether zeros at the end are left out.
    pub(super) trimmed: bool,
}

const fn offset(zulu: bool, colons: bool, minutes: bool, seconds: bool) -> Element {
    Element::Offset(Offset { zulu, colons, minutes, seconds })
}

/// The longer ones first.
const ELEMENTS: &[(&str, Element)] = &[
    ("January", Element::MonthName { long: true }),
    ("Jan", Element::MonthName { long: false }),
    ("Monday", Element::WeekdayName { long: true }),
    ("Mon", Element::WeekdayName { long: false }),
    ("MST", Element::ZoneName),
    ("01", Element::Month(Pad::Zero)),
    ("002", Element::DayOfYear(Pad::Zero)),
    ("02", Element::Day(Pad::Zero)),
    ("03", Element::Hour12(Pad::Zero)),
    ("04", Element::Minute(Pad::Zero)),
    ("05", Element::Second(Pad::Zero)),
    ("06", Element::ShortYear),
    ("15", Element::Hour),
    ("1", Element::Month(Pad::None)),
    ("2006", Element::Year),
    ("2", Element::Day(Pad::None)),
    ("__2", Element::DayOfYear(Pad::Space)),
    ("_2", Element::Day(Pad::Space)),
    ("3", Element::Hour12(Pad::None)),
    ("4", Element::Minute(Pad::None)),
    ("5", Element::Second(Pad::None)),
    ("PM", Element::Noon { capital: true }),
    ("pm", Element::Noon { capital: false }),
    ("-070000", offset(false, false, true, true)),
    ("-07:00:00", offset(false, true, true, true)),
    ("-0700", offset(false, false, true, false)),
    ("-07:00", offset(false, true, true, false)),
    ("-07", offset(false, false, false, false)),
    ("Z070000", offset(true, false, true, true)),
    ("Z07:00:00", offset(true, true, true, true)),
    ("Z0700", offset(true, false, true, false)),
    ("Z07:00", offset(true, true, true, false)),
    ("Z07", offset(true, false, false, false)),
];

/// The text before the first element, the element, and the layout behind it.
pub(super) fn next(layout: &str) -> (&str, Option<Element>, &str) {
    for (at, c) in layout.char_indices() {
        let rest = &layout[at..];
        let found = match c {
            '.' | ',' => fraction(rest),
            // An underscore before a year is only that.
            '_' if rest.starts_with("_2006") => None,
            '0'..='5' | 'J' | 'M' | 'P' | 'p' | '_' | '-' | 'Z' => element(rest),
            _ => None,
        };
        if let Some((element, length)) = found {
            return (&layout[..at], Some(element), &rest[length..]);
        }
    }
    (layout, None, "")
}

fn element(rest: &str) -> Option<(Element, usize)> {
    ELEMENTS.iter().find_map(|(text, element)| {
        let after = rest.strip_prefix(text)?;
        // "Month" does not begin with a weekday.
        let inside = matches!(*text, "Jan" | "Mon") && after.starts_with(|c: char| c.is_ascii_lowercase());
        (!inside).then_some((*element, text.len()))
    })
}

fn fraction(rest: &str) -> Option<(Element, usize)> {
    let first = rest[1..].chars().next().filter(|c| matches!(c, '0' | '9'))?;
    let after = rest[1..].trim_start_matches(first);
    if after.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = rest.len() - 1 - after.len();
    // Go keeps twelve bits of the number.
    let fraction = Fraction { comma: rest.starts_with(','), digits: digits & 0xfff, trimmed: first == '9' };
    Some((Element::Fraction(fraction), 1 + digits))
}
