//! Values as the YAML library of `toYamlPretty` sees them: it knows nothing of names in JSON, and what was never made is empty.

use super::json::NoJson;
use super::{Budget, Field, Struct, Value};
use serde_json::Value as Json;
use windlass_yaml::{Printable, Shape};

/// One level of a value and what is below.
#[derive(Debug)]
pub(crate) enum Printed {
    Leaf(Json),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
    Fields(Vec<(String, Self)>),
}

impl Printed {
    /// # Errors
    /// When the value holds too much, or itself, or what is no number.
    pub(crate) fn of(value: &Value, budget: &mut Budget) -> Result<Self, NoJson> {
        budget.enter()?;
        let printed = match value {
            Value::List(list) => Self::List(list.iter().map(|item| Self::of(item, budget)).collect::<Result<_, _>>()?),
            Value::Map(map) => {
                let entries = map.entries().into_iter();
                Self::Map(
                    entries.map(|(k, v)| Ok((k.to_string(), Self::of(&v, budget)?))).collect::<Result<_, NoJson>>()?,
                )
            }
            Value::Struct(of) => match value.described() {
                Some(text) if of.fields().iter().all(|field| field.key.is_empty()) => {
                    text.ok().map_or(Ok(Self::Leaf(Json::Null)), |text| Self::of(&text, budget))?
                }
                _ => Self::fields(of, budget)?,
            },
            leaf => Self::Leaf(leaf.to_json_with_floats(budget)?),
        };
        budget.leave();
        Ok(printed)
    }

    /// Every field, by its name in lower case. An embedded struct is a field, and its own do not stand beside it.
    fn fields(of: &Struct, budget: &mut Budget) -> Result<Self, NoJson> {
        let (embedded, beside): (Vec<&Field>, Vec<&Field>) =
            of.fields().iter().partition(|field| field.key.is_empty() && matches!(field.value, Value::Struct(_)));
        let is_embedded = |field: &&Field| {
            embedded.iter().any(|outer| matches!(&outer.value, Value::Struct(of) if of.get(field.name).is_some()))
        };
        let own = beside.into_iter().filter(|field| !is_embedded(field));
        let named = embedded.iter().copied().chain(own);
        let fields = named.map(|field| Ok((field.name.to_lowercase(), Self::of(&field.value, budget)?)));
        Ok(Self::Fields(fields.collect::<Result<_, NoJson>>()?))
    }
}

impl<'v> Printable<'v> for &'v Printed {
    fn shape(self) -> Shape<'v, Self> {
        let entries = |all: &'v [(String, Printed)]| all.iter().map(|(key, value)| (key.as_str(), value)).collect();
        match self {
            Printed::Leaf(Json::Bool(b)) => Shape::Bool(*b),
            Printed::Leaf(Json::Number(number)) => Shape::Number(number.clone()),
            Printed::Leaf(Json::String(text)) => Shape::Text(text.into()),
            Printed::Leaf(_) => Shape::Null,
            Printed::List(items) => Shape::List(items.iter().collect()),
            Printed::Map(all) => Shape::Map(entries(all)),
            Printed::Fields(all) => Shape::Fields(entries(all)),
        }
    }
}
