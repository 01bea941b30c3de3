//! Values from and to JSON.

use super::{Budget, Map, TooMuch, Value};
use crate::print::float;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Number, Value as Json};

/// Why a value is no JSON.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum NoJson {
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
    #[error("JSON has no number for infinity, or for what is no number")]
    NoNumber,
}

impl From<NoJson> for String {
    fn from(problem: NoJson) -> Self {
        problem.to_string()
    }
}

impl Value {
    /// As values files are read: every number is a float (rendering §2.3).
    pub fn from_json(json: &Json) -> Self {
        Self::read(json, |number| Self::Float(number.as_f64().unwrap_or(0.0)))
    }

    /// As values are merged: numbers of files are floats, those of `--set` whole (rendering §2.3).
    pub fn from_values(json: &Json) -> Self {
        Self::read(json, |number| match number.as_i64() {
            Some(whole) => Self::Int64(whole),
            None => Self::Float(number.as_f64().unwrap_or(0.0)),
        })
    }

    /// The plain value, as it would be written.
    ///
    /// # Errors
    /// When it holds too much, or itself, or what is no number.
    pub fn into_json(self) -> Result<Json, String> {
        Ok(self.to_json(&mut Budget::new())?)
    }

    /// As [`Value::from_values`] reads it back: floats stay floats.
    ///
    /// # Errors
    /// As [`Value::into_json`].
    pub fn into_values(self) -> Result<Json, String> {
        Ok(self.to_json_with_floats(&mut Budget::new())?)
    }

    /// A value of its own: no map in it is shared.
    ///
    /// # Errors
    /// When it holds too much, or itself.
    pub fn deep_copied(&self) -> Result<Self, String> {
        Ok(self.deep_copy(&mut Budget::new())?)
    }

    fn read(json: &Json, number: fn(&Number) -> Self) -> Self {
        match json {
            Json::Null => Self::Nil,
            Json::Bool(b) => Self::Bool(*b),
            Json::Number(n) => number(n),
            Json::String(text) => Self::text(text.as_str()),
            Json::Array(items) => Self::list(items.iter().map(|item| Self::read(item, number)).collect()),
            Json::Object(entries) => {
                let map = Map::new();
                for (name, value) in entries {
                    map.set(name.as_str().into(), Self::read(value, number));
                }
                Self::Map(map)
            }
        }
    }

    /// # Errors
    /// When it holds too much, or itself, or what is no number.
    pub(crate) fn to_json(&self, budget: &mut Budget) -> Result<Json, NoJson> {
        self.json(budget, number)
    }

    /// The same, where floats stay floats.
    ///
    /// # Errors
    /// As [`Value::to_json`].
    pub(crate) fn to_json_with_floats(&self, budget: &mut Budget) -> Result<Json, NoJson> {
        self.json(budget, Number::from_f64)
    }

    fn json(&self, budget: &mut Budget, float: fn(f64) -> Option<Number>) -> Result<Json, NoJson> {
        budget.enter()?;
        let json = match self {
            Self::Missing | Self::Nil => Json::Null,
            Self::Bool(b) => Json::Bool(*b),
            Self::Int(i) | Self::Int64(i) => Json::Number((*i).into()),
            Self::Float(f) => Json::Number(float(*f).ok_or(NoJson::NoNumber)?),
            Self::Text(text) => Json::String(text.to_string()),
            Self::Bytes(bytes) if bytes.is_text => Json::String(bytes.lossy()),
            Self::Bytes(bytes) => Json::String(BASE64_STANDARD.encode(&bytes.data)),
            value if value.was_never_made() => Json::Null,
            Self::List(list) => list.iter().map(|item| item.json(budget, float)).collect::<Result<_, _>>()?,
            Self::Map(map) => {
                let entries = map.entries().into_iter();
                Json::Object(
                    entries.map(|(k, v)| Ok((k.to_string(), v.json(budget, float)?))).collect::<Result<_, NoJson>>()?,
                )
            }
            Self::Struct(of) => match self.described() {
                Some(text) if of.fields().iter().all(|field| field.key.is_empty()) => {
                    text.ok().map_or(Ok(Json::Null), |text| text.json(budget, float))?
                }
                _ => {
                    let kept = of.fields().iter().filter(|field| !field.key.is_empty());
                    let kept = kept.filter(|field| !field.is_optional || field.value.truth());
                    Json::Object(
                        kept.map(|field| Ok((field.key.to_owned(), field.value.json(budget, float)?)))
                            .collect::<Result<_, NoJson>>()?,
                    )
                }
            },
        };
        budget.leave();
        Ok(json)
    }
}

/// A float without a fraction is an integer, as Go's encoder writes it: the shortest digits, filled up with zeros.
fn number(f: f64) -> Option<Number> {
    if f.is_finite() && f.fract() == 0.0 && f.abs() < 1e21 {
        let digits = float::json(f);
        if let Ok(whole) = digits.parse::<i64>() {
            return Some(whole.into());
        }
        if let Ok(whole) = digits.parse::<u64>() {
            return Some(whole.into());
        }
    }
    Number::from_f64(f)
}
