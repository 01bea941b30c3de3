//! Images and their tags, as steps and variables of a pipeline say them.

use serde_json::{Map, Value as Json, json};
use windlass_test_dice::Dice;

const TAGS: &[&str] = &["latest", "LATEST", "Latest", "v2.3.0", "1.0", "latest-7", "", "sha-1f2e"];
const GOOD: &[&str] = &["v2.3.0", "1.4.1", "2026.3.1-rc1"];

pub(super) fn fields(dice: &mut Dice, firm: bool) -> Map<String, Json> {
    let tags = if firm { GOOD } else { TAGS };
    let mut fields = Map::new();
    let environments = ["prod", "production", "Prod", if firm { "prod" } else { "int-stable" }];
    if dice.percent(75) {
        fields.insert("environment".into(), json!(dice.text(&environments)));
    }
    for name in ["imageTag", "tag"] {
        if dice.percent(40) {
            fields.insert(name.into(), json!(dice.text(tags)));
        }
    }
    if dice.percent(60) {
        let registry = dice.text(&["", "registry:5000/", "ghcr.io/team/", "localhost/"]);
        let tag = dice.text(tags);
        let image = match dice.below(if firm { 2 } else { 4 }) {
            2 => format!("{registry}pay"),
            3 => format!("{registry}pay@sha256:abcdef"),
            _ => format!("{registry}pay:{tag}"),
        };
        fields.insert("image".into(), json!(image));
    }
    if dice.percent(50) {
        let mut variables = Vec::new();
        for _ in 0..dice.below(4) {
            let name = dice.text(&[
                "environment",
                "env",
                "targetEnvironment",
                "imageTag",
                "image_tag",
                "tag",
                "version",
                "team",
            ]);
            let value = if name.to_lowercase().contains("env") { dice.text(&environments) } else { dice.text(tags) };
            variables.push(json!({"name": name, "type": "String", "value": value}));
        }
        fields.insert("pipeline".into(), json!({"identifier": "pay", "variables": variables}));
    }
    fields
}
