//! Moments near the edges of windows, and what a pipeline says about them.

use serde_json::{Map, Value as Json, json};
use windlass_test_dice::Dice;

const SECOND: i64 = 1_000_000_000;
const HOUR: i64 = 3_600 * SECOND;
const DAY: i64 = 24 * HOUR;

/// Mondays, some of them in weeks in which clocks change in Europe or America, at midnight UTC.
const MONDAYS: [i64; 8] = [20_514, 20_535, 20_542, 20_549, 20_661, 20_745, 20_752, 20_451];

pub(super) fn moment(dice: &mut Dice, firm: bool) -> i64 {
    let day = *dice.pick(&MONDAYS) * DAY;
    if firm {
        // Well inside of office hours, whatever the season.
        return day + dice.between(0, 3) * DAY + dice.between(10 * 3_600, 14 * 3_600) * SECOND;
    }
    let near = dice.pick(&[-SECOND, -1_000, 0, 0, SECOND, 59 * 60 * SECOND]);
    match dice.below(4) {
        0 => dice.between(0, 4_102_444_800) * SECOND,
        1 => day + dice.between(-2, 7) * DAY + dice.between(0, 86_399) * SECOND,
        _ => day + dice.between(0, 4) * DAY + dice.pick(&[9, 10, 15, 16, 0, 23]) * HOUR + near,
    }
}

pub(super) fn fields(dice: &mut Dice, firm: bool) -> Map<String, Json> {
    let mut fields = Map::new();
    let environments: &[_] = if firm {
        &["prod", "production", "int"]
    } else {
        &["prod", "production", "PROD", "Production", "int-stable", "prod "]
    };
    fields.insert("environment".into(), json!(dice.text(environments)));
    if dice.percent(60) {
        fields.insert("currentTime".into(), json!(time(dice, firm)));
    }
    if dice.percent(60) {
        let good: &[_] = &["MONDAY", "Tuesday", "wednesday", "THURSDAY"];
        let days: &[_] = if firm { good } else { &["MONDAY", "Tuesday", "FRIDAY", "sunday", "Montag", "", "null"] };
        fields.insert("dayOfWeek".into(), json!(dice.text(days)));
    }
    fields
}

fn time(dice: &mut Dice, firm: bool) -> String {
    let (date, clock) = if firm {
        (
            dice.text(&["2026-03-02", "2026-06-03", "2026-10-22"]),
            format!("1{}:{:02}:00", dice.between(0, 3), dice.between(0, 59)),
        )
    } else {
        (
            dice.text(&[
                "2026-03-02",
                "2026-03-28",
                "2026-03-29",
                "2026-10-25",
                "2024-02-29",
                "2025-02-29",
                "0000-01-01",
                "2026-3-2",
            ]),
            dice.text(&[
                "09:59:59",
                "10:00:00",
                "15:59:59.999999999",
                "16:00:00",
                "00:30:00",
                "01:30:00",
                "24:00:00",
                "9:00:00",
                "12:00",
            ])
            .to_owned(),
        )
    };
    let zone = if firm {
        "Z"
    } else {
        dice.text(&["Z", "Z", "+00:00", "+01:00", "-05:00", "+0100", "", "z", "+24:00", "[UTC]"])
    };
    let between = if firm { "T" } else { dice.text(&["T", "T", "T", "T", " ", "t"]) };
    if !firm && dice.percent(10) {
        return dice.text(&["null", "", "<+pipeline.startTs>", "now"]).to_owned();
    }
    format!("{date}{between}{clock}{zone}")
}
