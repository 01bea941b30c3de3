//! The protobuf form of an OpenAPI v2 document (gnostic's `openapi.v2.Document`), as far as models need it.

use serde_json::Value;

/// A message that is being written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(u8::try_from(n & 0x7f).unwrap_or(0) | 0x80);
            n >>= 7;
        }
        self.0.push(u8::try_from(n).unwrap_or(0));
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn text(&mut self, field: u64, text: &str) {
        if !text.is_empty() {
            self.bytes(field, text.as_bytes());
        }
    }

    fn message(&mut self, field: u64, inner: &Message) {
        self.bytes(field, &inner.0);
    }

    fn flag(&mut self, field: u64, value: bool) {
        if value {
            self.varint(field << 3);
            self.varint(1);
        }
    }

    /// A `Named…` entry: name and value.
    fn named(&mut self, field: u64, name: &str, value: &Message) {
        let mut entry = Message::default();
        entry.text(1, name);
        entry.message(2, value);
        self.message(field, &entry);
    }
}

pub(super) fn document(document: &Value) -> Vec<u8> {
    let mut out = Message::default();
    out.text(1, "2.0");
    let mut info = Message::default();
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    info.text(1, text("/info/title"));
    info.text(2, text("/info/version"));
    out.message(2, &info);
    out.message(8, &Message::default());
    let mut definitions = Message::default();
    for (name, model) in document.get("definitions").and_then(Value::as_object).into_iter().flatten() {
        definitions.named(1, name, &schema(model));
    }
    out.message(9, &definitions);
    out.0
}

fn schema(model: &Value) -> Message {
    let mut out = Message::default();
    let text = |key: &str| model.get(key).and_then(Value::as_str).unwrap_or_default();
    out.text(1, text("$ref"));
    out.text(2, text("format"));
    out.text(4, text("description"));
    for name in model.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        out.text(19, name);
    }
    for value in model.get("enum").and_then(Value::as_array).into_iter().flatten() {
        out.message(20, &any(value));
    }
    match model.get("additionalProperties") {
        Some(Value::Bool(allowed)) => {
            let mut item = Message::default();
            item.flag(2, *allowed);
            out.message(21, &item);
        }
        Some(values) => {
            let mut item = Message::default();
            item.message(1, &schema(values));
            out.message(21, &item);
        }
        None => {}
    }
    if !text("type").is_empty() {
        let mut kind = Message::default();
        kind.text(1, text("type"));
        out.message(22, &kind);
    }
    if let Some(items) = model.get("items") {
        let mut item = Message::default();
        item.message(1, &schema(items));
        out.message(23, &item);
    }
    let properties = model.get("properties").and_then(Value::as_object);
    if let Some(properties) = properties {
        let mut all = Message::default();
        for (name, property) in properties {
            all.named(1, name, &schema(property));
        }
        out.message(25, &all);
    }
    for (name, value) in model.as_object().into_iter().flatten().filter(|(k, _)| k.starts_with("x-")) {
        out.named(31, name, &any(value));
    }
    out
}

/// A value as YAML, of which JSON is a part.
fn any(value: &Value) -> Message {
    let mut out = Message::default();
    out.text(2, &format!("{value}\n"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_model_is_written_field_by_field() {
        let message = schema(&json!({"$ref": "#/definitions/a", "required": ["n"]}));
        let mut expected = vec![0x0a, 15];
        expected.extend_from_slice(b"#/definitions/a");
        // Field 19, length-delimited: 19 << 3 | 2 = 154.
        expected.extend_from_slice(&[0x9a, 0x01, 1, b'n']);
        assert_eq!(message.0, expected);
    }
}
