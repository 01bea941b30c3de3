//! Triggers, each source with its own `spec` (pipelines §7.1).

use super::parts::{anything, by_type, keys, list, object, text, word, yes_or_no};
use crate::entity::trigger::{ACTIONS, FORGES, LATER_EVENTS, LATER_SOURCES, operators};
use serde_json::json;
use windlass_model::Json;

/// What it listens to.
pub(super) fn source() -> Json {
    let types = keys([
        ("type", words(&["Webhook"], LATER_SOURCES, "What it listens to.")),
        ("spec", json!({ "type": "object" })),
        ("pollInterval", anything("Kept, and not read.")),
        ("webhookId", anything("Kept, and not read.")),
    ]);
    let mut schema = object(types, &["type", "spec"]);
    schema["allOf"] = by_type(&[("Webhook", webhook())]);
    schema
}

fn webhook() -> Json {
    let types =
        keys([("type", words(&["Custom", "Github"], FORGES, "Who sends.")), ("spec", json!({ "type": "object" }))]);
    let mut schema = object(types, &["type", "spec"]);
    schema["allOf"] = by_type(&[("Custom", object(keys(conditions()), &[])), ("Github", github())]);
    schema
}

fn github() -> Json {
    let types = keys([
        ("type", words(&["Push", "PullRequest"], LATER_EVENTS, "What happened.")),
        ("spec", json!({ "type": "object" })),
    ]);
    let [payload, headers, jexl] = conditions();
    let event = object(
        keys([
            ("connectorRef", text("The connector to the forge.")),
            ("repoName", text("Of an account: the repository.")),
            ("actions", list(word(ACTIONS, ""), "Of pull requests: these only; left out or empty, all.")),
            ("autoAbortPreviousExecutions", yes_or_no("A new run ends those that the same branch started before.")),
            payload,
            headers,
            jexl,
        ]),
        &["connectorRef"],
    );
    let mut schema = object(types, &["type", "spec"]);
    schema["allOf"] = by_type(&[("Push", event.clone()), ("PullRequest", event)]);
    schema
}

fn conditions() -> [(&'static str, Json); 3] {
    let condition = object(
        keys([
            ("key", text("<+trigger.payload.…>, a built-in word, or a path in the payload.")),
            ("operator", word(&operators(), "How it is compared.")),
            ("value", json!({ "type": ["string", "number", "boolean", "null"], "description": "With what." })),
        ]),
        &["key", "operator"],
    );
    [
        ("payloadConditions", list(condition.clone(), "All must hold.")),
        ("headerConditions", list(condition, "All must hold.")),
        ("jexlCondition", text("Must be true, too.")),
    ]
}

/// Words that fire, and words that are kept.
fn words(usable: &[&str], later: &[&str], description: &str) -> Json {
    let usable = usable.iter().map(|word| json!({ "const": word }));
    let later = later.iter().map(|word| json!({ "const": word, "description": "Kept; does not fire yet." }));
    json!({ "oneOf": usable.chain(later).collect::<Vec<Json>>(), "description": description })
}
