use crate::map::{Entry, Key};
use crate::node::Span;
use crate::{Node, Style, Value, float};
use serde_json::{Map, Number, Value as Json};
use std::sync::Arc;
use windlass_diagnostic::Place;

/// What becomes of numbers on the way to JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberStyle {
    /// A number that JSON would print differently becomes a string with its source text: `1.10` stays `1.10`, `010` stays
    /// `010` (decisions, "Scalars in pipeline YAML").
    KeepText,
    /// Numbers are numbers; one without a fraction is an integer, as objects are sent: `1.0` becomes `1`.
    Typed,
}

impl Node {
    /// The plain value. What JSON has no number for (`.inf`, `.nan`) becomes a string with its source text.
    pub fn to_json(&self, numbers: NumberStyle) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::String(s) => Json::String(s.to_string()),
            Value::Seq(items) => items.iter().map(|item| item.to_json(numbers)).collect(),
            Value::Map(map) => {
                Json::Object(map.iter().map(|(k, v)| (k.to_owned(), v.to_json(numbers))).collect::<Map<_, _>>())
            }
            Value::Int(i) => self.number(numbers, i.to_string(), Some((*i).into())),
            Value::Uint(u) => self.number(numbers, u.to_string(), Some((*u).into())),
            Value::Float(f) => {
                self.number(numbers, float::plain(*f), float::integer(*f).or_else(|| Number::from_f64(*f)))
            }
        }
    }

    fn number(&self, style: NumberStyle, printed: String, number: Option<Number>) -> Json {
        let text = self.text().unwrap_or(&printed);
        match number {
            Some(number) if style == NumberStyle::Typed || text == printed => Json::Number(number),
            _ => Json::String(text.to_owned()),
        }
    }
}

/// A tree without places, for what was made and not written: as if it had been printed and parsed.
impl From<&Json> for Node {
    fn from(json: &Json) -> Self {
        made(json, &Place::new("", 0, 0))
    }
}

fn made(json: &Json, place: &Place) -> Node {
    let (value, style, raw) = match json {
        Json::Null => (Value::Null, Style::Plain, Some("null".into())),
        Json::Bool(b) => (Value::Bool(*b), Style::Plain, Some(b.to_string().into())),
        Json::Number(number) => (typed(number), Style::Plain, Some(number.to_string().into())),
        Json::String(text) => (Value::String(text.as_str().into()), Style::DoubleQuoted, None),
        Json::Array(items) => (Value::Seq(items.iter().map(|item| made(item, place)).collect()), Style::Flow, None),
        Json::Object(fields) => {
            let key = Key { place: place.clone(), span: Span::default(), style: Style::DoubleQuoted, merged: false };
            let entry = |value: &Json| Entry { key: key.clone(), value: made(value, place) };
            let entries = fields.iter().map(|(key, value)| (key.as_str().into(), entry(value)));
            (Value::Map(crate::Map(Arc::new(entries.collect()))), Style::Flow, None)
        }
    };
    Node { value, place: place.clone(), span: Span::default(), style, raw, properties: None }
}

fn typed(number: &Number) -> Value {
    match (number.as_i64(), number.as_u64()) {
        (Some(int), _) => Value::Int(int),
        (None, Some(uint)) => Value::Uint(uint),
        (None, None) => Value::Float(number.as_f64().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, NumberStyle};
    use crate::{Options, parse_one};

    #[test]
    fn what_was_made_reads_as_if_it_had_been_printed_and_parsed() {
        let json = serde_json::json!({
            "text": "yes", "version": "1.10", "whole": 7, "large": u64::MAX, "part": 1.5, "off": false, "nothing": null,
            "list": [1, "two", { "three": [] }], "tiny": 1e-7,
        });
        let made = Node::from(&json);
        let parsed = parse_one("", &json.to_string(), &Options::DOCUMENT).unwrap().root;
        for numbers in [NumberStyle::KeepText, NumberStyle::Typed] {
            assert_eq!(made.to_json(numbers), parsed.to_json(numbers));
        }
        for key in ["text", "version", "whole", "large", "part", "off", "nothing"] {
            let (made, parsed) = (made.get(key).unwrap(), parsed.get(key).unwrap());
            assert_eq!((made.text(), made.style), (parsed.text(), parsed.style), "{key}");
        }
    }
}
