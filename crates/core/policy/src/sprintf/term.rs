use regorus::Value;
use windlass_gofmt::quoted;

/// A value inside of a text, as OPA writes terms.
pub(super) fn term(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", list(items.iter().map(term).collect())),
        Value::Set(items) if items.is_empty() => "set()".to_owned(),
        Value::Set(items) => format!("{{{}}}", list(items.iter().map(term).collect())),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort();
            format!(
                "{{{}}}",
                list(fields.iter().map(|(key, value)| format!("{}: {}", term(key), term(value))).collect())
            )
        }
        other => other.to_string(),
    }
}
