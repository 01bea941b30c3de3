//! JSON that keeps the order of its keys: strict checks tell problems in the order of the document.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

#[derive(Clone, Debug)]
pub(crate) enum Ordered {
    Plain(Value),
    List(Vec<Ordered>),
    Object(Vec<(String, Ordered)>),
}

impl Ordered {
    pub(crate) fn get(&self, key: &str) -> Option<&Ordered> {
        match self {
            Ordered::Object(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> &[Ordered] {
        if let Ordered::List(items) = self { items } else { &[] }
    }

    /// Every text within, changed.
    pub(crate) fn map(&self, change: &dyn Fn(&str) -> String) -> Ordered {
        match self {
            Ordered::Plain(Value::String(text)) => Ordered::Plain(change(text).into()),
            Ordered::Plain(other) => Ordered::Plain(other.clone()),
            Ordered::List(items) => Ordered::List(items.iter().map(|i| i.map(change)).collect()),
            Ordered::Object(entries) => {
                Ordered::Object(entries.iter().map(|(k, v)| (change(k), v.map(change))).collect())
            }
        }
    }
}

impl fmt::Display for Ordered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |parts: Vec<String>| parts.join(",");
        match self {
            Ordered::Plain(value) => write!(f, "{value}"),
            Ordered::List(items) => write!(f, "[{}]", list(items.iter().map(ToString::to_string).collect())),
            Ordered::Object(entries) => {
                let parts = entries.iter().map(|(k, v)| format!("{}:{v}", Value::from(k.as_str()))).collect();
                write!(f, "{{{}}}", list(parts))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Ordered;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Ordered, E> {
        Ok(Ordered::Plain(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Ordered, E> {
        Ok(Ordered::Plain(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Ordered, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = seq.next_element()? {
            out.push(item);
        }
        Ok(Ordered::List(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
        let mut out = Vec::new();
        while let Some(entry) = map.next_entry()? {
            out.push(entry);
        }
        Ok(Ordered::Object(out))
    }
}
