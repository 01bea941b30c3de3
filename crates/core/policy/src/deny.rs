//! What an author's `deny` says, in all forms people write (pipelines §8.2).

use regorus::Value;

/// Whether a policy denies, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Denial {
    pub denied: bool,
    pub messages: Vec<String>,
}

/// Messages kept of one policy, and characters of one message.
const MOST: usize = 100;
const LONGEST: usize = 2_000;

/// Reads the value of `deny`; the error is the name of a type that says neither yes nor no.
///
/// A set, an array or an object denies when it is not empty, a text when it is not empty, a boolean when it is true.
pub(crate) fn read(value: &Value) -> Result<Denial, &'static str> {
    Ok(match value {
        Value::Undefined | Value::Null => Denial::default(),
        Value::Bool(denied) => Denial { denied: *denied, messages: Vec::new() },
        Value::String(text) => Denial { denied: !text.is_empty(), messages: collect([message(value)]) },
        Value::Set(set) => Denial { denied: !set.is_empty(), messages: collect(set.iter().map(message)) },
        Value::Array(list) => Denial { denied: !list.is_empty(), messages: collect(list.iter().map(message)) },
        Value::Object(object) => {
            if let Some(text) = object_text(value) {
                return Ok(Denial { denied: true, messages: collect([Some(text)]) });
            }
            // `deny[message] = true`: entries that say false do not count.
            let counting: Vec<_> = object.iter().filter(|(_, value)| !matches!(value, Value::Bool(false))).collect();
            Denial {
                denied: !counting.is_empty(),
                messages: collect(counting.into_iter().map(|(key, value)| match value {
                    Value::String(_) => message(value),
                    _ => message(key),
                })),
            }
        }
        Value::Number(_) => return Err("a number"),
    })
}

fn collect(messages: impl IntoIterator<Item = Option<String>>) -> Vec<String> {
    messages.into_iter().flatten().filter(|message| !message.is_empty()).take(MOST).collect()
}

/// One member of a collection as a text: strings as they are, objects by their `msg`, other things as JSON.
fn message(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.to_string(),
        Value::Bool(_) | Value::Null | Value::Undefined => return None,
        Value::Object(_) => object_text(value).or_else(|| serde_json::to_string(value).ok())?,
        _ => serde_json::to_string(value).ok()?,
    };
    Some(if text.len() > LONGEST { text.chars().take(LONGEST).chain(['…']).collect() } else { text })
}

/// `{"msg": "…"}`, as other tools expect it.
fn object_text(value: &Value) -> Option<String> {
    let object = value.as_object().ok()?;
    ["msg", "message", "reason"].iter().find_map(|name| match object.get(&Value::from(*name)) {
        Some(Value::String(text)) => Some(text.to_string()),
        _ => None,
    })
}
