use crate::{Node, Value, float};
use serde_json::{Map, Number, Value as Json};

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
