//! What goes wrong on the way: fields that are missing, or of another type.

use serde_json::{Value as Json, json};
use windlass_test_dice::Dice;

/// Changes one place of a document.
pub(super) fn mutate(value: &mut Json, dice: &mut Dice) {
    let inside = match value {
        Json::Object(fields) => fields.len(),
        Json::Array(items) => items.len(),
        _ => 0,
    };
    if inside == 0 || dice.percent(15) {
        *value = other(value, dice);
        return;
    }
    let at = dice.below(inside);
    let gone = dice.percent(12);
    match value {
        Json::Object(fields) => {
            let Some(key) = fields.keys().nth(at).cloned() else { return };
            if gone {
                fields.remove(&key);
            } else if let Some(field) = fields.get_mut(&key) {
                mutate(field, dice);
            }
        }
        Json::Array(items) if gone => drop(items.remove(at)),
        Json::Array(items) => mutate(&mut items[at], dice),
        _ => {}
    }
}

fn other(value: &Json, dice: &mut Dice) -> Json {
    match dice.below(9) {
        0 => Json::Null,
        1 => json!(dice.percent(50)),
        2 => json!(dice.between(-3, 3)),
        3 => json!(dice.text(&[
            "",
            "null",
            "true",
            "prod",
            "latest",
            "1",
            "<+pipeline.variables.x>",
            "ÄÖ ü",
            "\n\"quoted\""
        ])),
        4 => json!([]),
        5 => json!({}),
        6 => json!([value.clone()]),
        7 => json!({"value": value.clone()}),
        _ => json!(1.5),
    }
}
