//! Calls of the time functions: moments near changes of clocks, layouts of all elements, values that nearly fit.

use super::Call;
use serde_json::{Value as Json, json};
use windlass_test_dice::Dice;

const ZONES: &[&str] = &[
    "Europe/London",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Pacific/Apia",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "Asia/Tehran",
    "Antarctica/Troll",
    "Etc/GMT+5",
    "US/Eastern",
    "UTC",
    "",
    "Etc/UTC",
    "GMT",
    "EST",
    "CET",
    "Local",
    "Europe/Dublin",
    "America/Nuuk",
    "Pacific/Kiritimati",
    "Asia/Kolkata",
    "europe/london",
    "Mars/Olympus",
    "Etc/Unknown",
    "../UTC",
    "/UTC",
    "Europe",
    "Zulu",
    "EST5EDT",
    "Europe/Kyiv",
];

const ELEMENTS: &[&str] = &[
    "January",
    "Jan",
    "1",
    "01",
    "Monday",
    "Mon",
    "2",
    "_2",
    "02",
    "__2",
    "002",
    "15",
    "3",
    "03",
    "4",
    "04",
    "5",
    "05",
    "2006",
    "06",
    "PM",
    "pm",
    "MST",
    "Z0700",
    "Z070000",
    "Z07",
    "Z07:00",
    "Z07:00:00",
    "-0700",
    "-070000",
    "-07",
    "-07:00",
    "-07:00:00",
    ".000",
    ".999",
    ",000000",
    ",999999999",
    ".0",
    ".9",
    ".0000000000",
    "_2006",
    "Month",
    "Janus",
    "T",
    "at",
    "Ü",
    "7",
    "P",
    "2007",
];

const NAMED: &[&str] = &[
    "ANSIC",
    "UnixDate",
    "RubyDate",
    "RFC822",
    "RFC822Z",
    "RFC850",
    "RFC1123",
    "RFC1123Z",
    "RFC3339",
    "RFC3339Nano",
    "Kitchen",
    "",
    "2006-01-02",
    "2006-01-02T15:04:05Z07:00",
    "2006-01-02 15:04:05.000",
    "02/01/2006 03:04PM",
    "2006-002",
    "Jan _2 2006",
    "20060102150405",
    "2006-01-02 15:04:05 -0700 MST",
    "Monday, January 2, 2006 3:04:05.999 pm",
    "2006-01-02T15",
    "06-1-2 5,999",
];

const VALUES: &[&str] = &[
    "2026-03-02T14:00:00Z",
    "2026-03-02T14:00:00.123456789+02:00",
    "2026-03-02T14:00:00,5Z",
    "2024-02-29T23:59:59Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-03-02T24:00:00Z",
    "2026-03-02T4:00:00Z",
    "2026-03-02 14:00:00Z",
    "2026-03-02t14:00:00z",
    "2026-03-02T14:00:00+24:00",
    "2026-03-02T14:00:00+25:00",
    "2026-03-02T14:00:00-00:60",
    "1677-09-21T00:12:43.145224192Z",
    "1677-09-21T00:12:43.145224191Z",
    "2262-04-11T23:47:16.854775807Z",
    "2262-04-11T23:47:16.854775808Z",
    "9999-12-31T23:59:59Z",
    "0000-01-01T00:00:00Z",
    "Mon Mar  2 14:00:00 2026",
    "Mon Mar 2 14:00:00 2026",
    "Mon, 02 Mar 2026 14:00:00 GMT",
    "02 Mar 26 14:00 CEST",
    "Monday, 02-Mar-26 14:00:00 UTC",
    "Tue, 02 Mar 2026 14:00:00 -0700",
    "2026-061",
    "2024-060",
    "2024-366",
    "2025-366",
    "2026-000",
    "20260302140000",
    "Mar  2 2026",
    "mar 02 2026",
    "02/03/2026 12:00AM",
    "02/03/2026 12:00PM",
    "02/03/2026 13:00PM",
    "",
    "26-3-2 7",
    "69-1-1 7.25",
    "68-12-31 59,75",
    "2026-03-02 14:00:00 +0300 +03",
    "2026-03-02 14:00:00 -0500 GMT-5",
    "2026-03-02 14:00:00 +0000 ChST",
    "2026-03-02T14:00:00.Z",
    "2026-03-02T14:00:60Z",
    "2026-03-02T14:60:00Z",
    "2026-03-32T14:00:00Z",
    "2026-03-02T14:00:00Z ",
    "12026-03-02",
];

pub(super) fn make(dice: &mut Dice) -> Call {
    match dice.below(10) {
        0 => Call::plain("time.add_date", vec![argument(dice), amount(dice, 4), amount(dice, 30), amount(dice, 500)]),
        1 => Call::plain("time.clock", vec![argument(dice)]),
        2 => Call::plain("time.date", vec![argument(dice)]),
        3 => Call::plain("time.weekday", vec![argument(dice)]),
        4 => Call::plain("time.diff", vec![argument(dice), argument(dice)]),
        5 => Call::plain("time.format", vec![json!([moment(dice), zone(dice), layout(dice)])]),
        6 => Call::plain("time.parse_duration_ns", vec![duration(dice)]),
        7 => Call::plain("time.parse_rfc3339_ns", vec![value(dice)]),
        8 => Call::plain("time.parse_ns", vec![json!(layout(dice)), value(dice)]),
        _ => {
            // What was written by a layout is read by it, or by another that it may fit.
            let written = layout(dice);
            let read = if dice.percent(85) { written.clone() } else { layout(dice) };
            let expression = "time.parse_ns(input[0], time.format([input[1], input[2], input[3]]))".to_owned();
            let arguments = vec![json!(read), moment(dice), json!(zone(dice)), json!(written)];
            Call { name: "time.parse_ns".to_owned(), expression, arguments }
        }
    }
}

/// What functions take for a moment: a number, or a list of a number, a zone and a layout.
fn argument(dice: &mut Dice) -> Json {
    match dice.below(16) {
        0..=3 => moment(dice),
        4 => json!([moment(dice)]),
        5 => json!([moment(dice), zone(dice), layout(dice)]),
        6 => dice
            .pick(&[
                json!([]),
                Json::Null,
                json!("now"),
                json!({}),
                json!([1, 2]),
                json!([1, "UTC", 3]),
                json!(["1"]),
                json!([0, "UTC", "", 1]),
            ])
            .clone(),
        _ => json!([moment(dice), zone(dice)]),
    }
}

fn moment(dice: &mut Dice) -> Json {
    const SECOND: i64 = 1_000_000_000;
    json!(match dice.below(12) {
        0 =>
            return dice
                .pick(&[
                    json!(1.5),
                    json!(-0.25),
                    json!(9_223_372_036_854_775_808_u64),
                    json!(1e18),
                    json!(1e300),
                    json!("0"),
                    Json::Null
                ])
                .clone(),
        1 => *dice.pick(&[0, -1, 1, i64::MAX, i64::MIN, i64::MAX - 1, 999_999_999, -1_000_000_000]),
        2 => dice.number() as i64,
        // Ends of months, leap days and changes of clocks.
        3 | 4 => {
            let day = dice.pick(&[
                20_541, 20_542, 20_751, 20_752, 20_520, 19_782, 19_783, 11_016, 20_147, 20_454, 20_478, 18_321, 20_367,
            ]);
            (day * 86_400 + dice.between(-3_700, 90_000)) * SECOND
                + dice.pick(&[0, 0, 1, 123_456_789, 500_000_000, 120_000])
        }
        5 => dice.between(-9_000_000_000, 9_000_000_000) * SECOND,
        _ => dice.between(0, 4_102_444_800) * SECOND + dice.between(0, 999) * 1_000_000,
    })
}

fn zone(dice: &mut Dice) -> String {
    dice.text(ZONES).to_owned()
}

fn amount(dice: &mut Dice, most: i64) -> Json {
    match dice.below(20) {
        0 => dice
            .pick(&[
                json!(1.5),
                json!("1"),
                Json::Null,
                json!(i64::MAX),
                json!(i64::MIN),
                json!(9_223_372_036_854_775_807_u64),
                json!(1_000_000_000),
            ])
            .clone(),
        1..=5 => json!(0),
        _ => json!(dice.between(-most, most)),
    }
}

fn layout(dice: &mut Dice) -> String {
    if dice.percent(50) {
        return dice.text(NAMED).to_owned();
    }
    let between = dice.text(&["-", " ", ":", "/", "T", ""]);
    let elements: Vec<_> = (0..dice.below(6)).map(|_| dice.text(ELEMENTS)).collect();
    // A year, or nothing can be read.
    format!("2006{between}{}", elements.join(between))
}

fn value(dice: &mut Dice) -> Json {
    let mut text = dice.text(VALUES).to_owned();
    if dice.percent(25) && !text.is_empty() && text.is_ascii() {
        let at = dice.below(text.len());
        let by = dice.text(&["", "0", "1", "9", " ", "-", ":", "Z", ".", "x"]);
        text.replace_range(at..=at, by);
    }
    if dice.percent(3) { json!(5) } else { json!(text) }
}

fn duration(dice: &mut Dice) -> Json {
    if dice.percent(5) {
        return dice.pick(&[json!(5), Json::Null, json!("")]).clone();
    }
    let mut text = dice.text(&["", "", "", "-", "+", "--"]).to_owned();
    for _ in 0..=dice.below(3) {
        text += dice.text(&[
            "1",
            "0",
            "1.5",
            ".5",
            "5.",
            ".",
            "",
            "1000000",
            "9223372036854775807",
            "0.000000000123456789012345678901",
            "1e3",
            "00",
        ]);
        text += dice.text(&["h", "m", "s", "ms", "us", "µs", "μs", "ns", "d", "w", "y", "", "M", "x", " s", "ms"]);
    }
    json!(text)
}
