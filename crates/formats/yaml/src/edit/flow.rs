//! Values in one line.

use crate::scalar::ambiguous;
use crate::write::Emitter;
use serde_json::Value as Json;

/// `{a: 1, b: [x, "y z"]}`
pub(super) fn render(value: &Json) -> String {
    match value {
        Json::String(text) => string(text),
        Json::Array(items) => format!("[{}]", items.iter().map(render).collect::<Vec<_>>().join(", ")),
        Json::Object(map) => {
            let entries: Vec<String> =
                map.iter().map(|(key, value)| format!("{}: {}", string(key), render(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        scalar => crate::to_yaml(scalar).trim_end().to_owned(),
    }
}

/// Without quotes only where no reader could doubt.
pub(super) fn string(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let plain = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/') && text.chars().all(safe);
    if plain && !ambiguous(text) { text.to_owned() } else { Emitter::quoted(text) }
}
