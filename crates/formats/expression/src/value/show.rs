//! How values read as text (pipelines §3.2).

use crate::{Text, Value};
use std::fmt;

impl Value {
    /// Strings as they are, numbers in their shortest form, `null`, `true`, lists and maps as JSON. Secrets stay secrets:
    /// within JSON their place is between quotes, and whoever fills it in puts the value there as it is.
    pub fn to_text(&self) -> Text {
        match self {
            Self::String(text) => Text::from(text.as_ref()),
            Self::Secret(text) => text.as_ref().clone(),
            Self::Moment(moment) => Text::from(moment.to_string()),
            other => {
                let mut out = Text::new();
                write(other, &mut out);
                out
            }
        }
    }

    /// JSON text, keys in their order; nothing when a secret is in it. A string has quotes here.
    pub(crate) fn to_json_text(&self) -> Option<String> {
        let mut out = Text::new();
        write(self, &mut out);
        out.plain().map(str::to_owned)
    }

    /// The text, unless a secret is in it.
    pub(crate) fn to_plain(&self) -> Option<String> {
        self.to_text().plain().map(str::to_owned)
    }

    /// Bytes of its text, or some number above `cap` when it is longer: never counts much further than that.
    pub(crate) fn size_up_to(&self, cap: usize) -> usize {
        let mut size = 0usize;
        let mut open = vec![self];
        while let Some(value) = open.pop() {
            size = size.saturating_add(match value {
                Self::Null | Self::Bool(_) => 5,
                Self::Int(_) | Self::Float(_) => 8,
                Self::Moment(_) => 24,
                Self::String(text) => text.len(),
                Self::Secret(text) => text.size(),
                Self::List(items) => {
                    open.extend(items.iter().take(cap));
                    2 + items.len()
                }
                Self::Map(entries) => {
                    open.extend(entries.values().take(cap));
                    2 + entries.keys().take(cap).map(|key| key.len() + 4).sum::<usize>()
                }
            });
            if size > cap {
                break;
            }
        }
        size
    }
}

impl fmt::Display for Value {
    /// For eyes only: secrets appear as the expressions that name them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_text().fmt(f)
    }
}

fn write(value: &Value, out: &mut Text) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => out.push_str(&value.to_string()),
        Value::Float(value) => out.push_str(&float(*value)),
        Value::String(text) => quote(text, out),
        Value::Moment(moment) => quote(&moment.to_string(), out),
        Value::Secret(text) => {
            out.push_str("\"");
            for segment in text.segments() {
                match segment {
                    crate::Segment::Literal(literal) => escape(literal, out),
                    crate::Segment::Secret(secret) => out.push_secret(secret.clone()),
                }
            }
            out.push_str("\"");
        }
        Value::List(items) => {
            out.push_str("[");
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(",");
                }
                write(item, out);
            }
            out.push_str("]");
        }
        Value::Map(entries) => {
            out.push_str("{");
            for (i, (key, item)) in entries.iter().enumerate() {
                if i > 0 {
                    out.push_str(",");
                }
                quote(key, out);
                out.push_str(":");
                write(item, out);
            }
            out.push_str("}");
        }
    }
}

fn quote(text: &str, out: &mut Text) {
    out.push_str("\"");
    escape(text, out);
    out.push_str("\"");
}

/// What stands between the quotes of a JSON string.
fn escape(text: &str, out: &mut Text) {
    let quoted = serde_json::Value::from(text).to_string();
    out.push_str(&quoted[1..quoted.len() - 1]);
}

/// Shortest decimal form that reads back as the same number; exponents only where digits would run away.
fn float(number: f64) -> String {
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-7..1e21).contains(&magnitude) { format!("{number:e}") } else { number.to_string() }
}
