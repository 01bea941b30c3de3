//! Values from and to JSON.

use super::{Budget, Map, TooMuch, Value};
use serde_json::{Number, Value as Json};

impl Value {
    /// As values files are read: every number is a float (rendering §2.3).
    pub(crate) fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Nil,
            Json::Bool(b) => Self::Bool(*b),
            Json::Number(number) => Self::Float(number.as_f64().unwrap_or(0.0)),
            Json::String(text) => Self::text(text.as_str()),
            Json::Array(items) => Self::list(items.iter().map(Self::from_json).collect()),
            Json::Object(entries) => {
                let map = Map::new();
                for (name, value) in entries {
                    map.set(name.as_str().into(), Self::from_json(value));
                }
                Self::Map(map)
            }
        }
    }

    /// # Errors
    /// When it holds too much, or itself.
    pub(crate) fn to_json(&self, budget: &mut Budget) -> Result<Json, TooMuch> {
        budget.enter()?;
        let json = match self {
            Self::Missing | Self::Nil => Json::Null,
            Self::Bool(b) => Json::Bool(*b),
            Self::Int(i) | Self::Int64(i) => Json::Number((*i).into()),
            Self::Float(f) => number(*f),
            Self::Text(text) => Json::String(text.to_string()),
            Self::List(list) => list.iter().map(|item| item.to_json(budget)).collect::<Result<_, _>>()?,
            Self::Map(map) => {
                let entries = map.entries().into_iter();
                Json::Object(entries.map(|(k, v)| Ok((k.to_string(), v.to_json(budget)?))).collect::<Result<_, _>>()?)
            }
        };
        budget.leave();
        Ok(json)
    }
}

/// A float without a fraction is an integer, as Go's encoder writes it.
fn number(f: f64) -> Json {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[allow(clippy::cast_possible_truncation)]
    if f.fract() == 0.0 && f.abs() <= EXACT {
        return Json::Number((f as i64).into());
    }
    Number::from_f64(f).map_or(Json::Null, Json::Number)
}
