use crate::{Text, Value};
use indexmap::IndexMap;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;
use std::fmt;

/// The value holds a secret and JSON has no way to say so: carry it through a [`crate::Marker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the value holds a secret, which JSON cannot carry")]
pub struct HoldsSecret;

impl Value {
    /// Plain JSON; dates become their text.
    pub fn to_json(&self) -> Result<Json, HoldsSecret> {
        self.to_json_with(&mut |_| Err(HoldsSecret))
    }

    /// JSON for eyes: secrets appear as the expressions that name them. Not for workers, see [`crate::Marker`].
    pub fn to_shown_json(&self) -> Json {
        let shown: Result<Json, std::convert::Infallible> = self.to_json_with(&mut |text| Ok(text.to_string()));
        match shown {
            Ok(json) => json,
            Err(never) => match never {},
        }
    }

    pub(crate) fn to_json_with<E>(&self, secret: &mut impl FnMut(&Text) -> Result<String, E>) -> Result<Json, E> {
        Ok(match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Int(value) => Json::from(*value),
            Self::Float(value) => Json::from(*value),
            Self::String(text) => Json::String(text.as_ref().to_owned()),
            Self::List(items) => {
                Json::Array(items.iter().map(|item| item.to_json_with(secret)).collect::<Result<_, E>>()?)
            }
            Self::Map(entries) => {
                let mut object = serde_json::Map::new();
                for (key, value) in entries.iter() {
                    object.insert(key.clone(), value.to_json_with(secret)?);
                }
                Json::Object(object)
            }
            Self::Moment(moment) => Json::String(moment.to_string()),
            Self::Secret(text) => Json::String(secret(text)?),
        })
    }
}

impl From<Json> for Value {
    /// Whole numbers beyond 64 bits with sign become strings, so that no digit is lost.
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(int), _, _) => Self::Int(int),
                (None, None, Some(float)) if float.is_finite() => Self::Float(float),
                _ => Self::string(number.to_string()),
            },
            Json::String(text) => Self::string(text),
            Json::Array(items) => items.into_iter().map(Value::from).collect(),
            Json::Object(entries) => {
                Self::map(entries.into_iter().map(|(key, value)| (key, Value::from(value))).collect())
            }
        }
    }
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        json.clone().into()
    }
}

impl TryFrom<&Value> for Json {
    type Error = HoldsSecret;

    fn try_from(value: &Value) -> Result<Self, HoldsSecret> {
        value.to_json()
    }
}

impl<'de> Deserialize<'de> for Value {
    /// Keeps the order of keys, which `serde_json::Value` does only with a feature.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or_else(|_| Value::string(value.to_string()), Value::Int))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Value::float(value).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::string(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::list(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = IndexMap::new();
        while let Some((key, value)) = entries.next_entry()? {
            map.insert(key, value);
        }
        Ok(Value::map(map))
    }
}
