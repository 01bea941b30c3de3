//! Control files as located values, and the reading of them as the reference decodes JSON into its types.

use crate::error::{Problem, Result};
use crate::tree::{Data, Id, Tree};
use serde_json::{Map, Number, Value as Json};
use std::collections::BTreeMap;
use windlass_diagnostic::{Place, nearest};
use windlass_yaml::{Node, NumberStyle, Options, RepeatedKeys, Value as Yaml};

/// How control files are read: a key that stands twice counts as it stands last.
pub(crate) const CONTROL: Options = Options { repeated_keys: RepeatedKeys::LastCounts, ..Options::CONTROL };

/// A value with its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conf {
    pub(crate) value: Value,
    pub(crate) place: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    List(Vec<Conf>),
    Map(Vec<(String, Conf)>),
}

impl Conf {
    pub(crate) fn of_yaml(node: &Node) -> Self {
        let value = match &node.value {
            Yaml::Null => Value::Null,
            Yaml::Bool(b) => Value::Bool(*b),
            Yaml::String(s) => Value::String(s.to_string()),
            Yaml::Seq(items) => Value::List(items.iter().map(Self::of_yaml).collect()),
            Yaml::Map(map) => {
                Value::Map(map.iter().map(|(key, value)| (key.to_owned(), Self::of_yaml(value))).collect())
            }
            _ => match node.to_json(NumberStyle::Typed) {
                Json::Number(number) => Value::Number(number),
                other => Value::String(other.as_str().unwrap_or_default().to_owned()),
            },
        };
        Self { value, place: Some(node.place.clone()) }
    }

    pub(crate) fn of_tree(tree: &Tree, id: Id) -> Result<Self> {
        let value = match tree.data(id) {
            Data::Scalar(scalar) => match scalar.value()? {
                Json::Bool(b) => Value::Bool(b),
                Json::Number(n) => Value::Number(n),
                Json::String(s) => Value::String(s),
                _ => Value::Null,
            },
            Data::Seq(items) => {
                Value::List(items.iter().map(|item| Self::of_tree(tree, *item)).collect::<Result<_>>()?)
            }
            Data::Map(fields) => Value::Map(
                fields
                    .iter()
                    .map(|(key, value)| Ok((key.to_string(), Self::of_tree(tree, *value)?)))
                    .collect::<Result<_>>()?,
            ),
        };
        Ok(Self { value, place: tree.node(id).origin.place.clone() })
    }

    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::Number(n) => Json::Number(n.clone()),
            Value::String(s) => Json::String(s.clone()),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(map) => Json::Object(map.iter().map(|(k, v)| (k.clone(), v.to_json())).collect::<Map<_, _>>()),
        }
    }

    /// Moves the places down by some lines.
    pub(crate) fn move_down(&mut self, lines: u32) {
        if let Some(place) = &mut self.place {
            place.line = place.line.saturating_add(lines);
        }
        match &mut self.value {
            Value::List(items) => items.iter_mut().for_each(|item| item.move_down(lines)),
            Value::Map(map) => map.iter_mut().for_each(|(_, value)| value.move_down(lines)),
            _ => {}
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    fn type_name(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::List(_) => "array",
            Value::Map(_) => "object",
        }
    }
}

/// A text with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) place: Option<Place>,
}

impl std::ops::Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// Texts by key, in the order in which they are applied.
pub(crate) type Texts = BTreeMap<String, Text>;

/// How unknown fields are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Kustomization files.
    Strict,
    /// Configurations: a number or boolean may stand where text is wanted.
    Converting,
    /// Plugins: besides, fields that nobody knows are ignored.
    Lenient,
}

/// The fields of one struct. Names match without case; of two that differ in case only, the one in lower case counts, since the
/// reference reads them sorted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Struct<'c> {
    name: &'static str,
    fields: &'c [(String, Conf)],
    strictness: Strictness,
}

impl<'c> Struct<'c> {
    pub(crate) fn new(
        conf: &'c Conf,
        name: &'static str,
        known: &[&'static str],
        strictness: Strictness,
    ) -> Result<Self> {
        let fields: &[(String, Conf)] = match &conf.value {
            Value::Map(fields) => fields,
            Value::Null => &[],
            _ => return Err(mismatch(conf, name, name)),
        };
        let unknown = fields.iter().find(|(key, _)| !known.iter().any(|known| known.eq_ignore_ascii_case(key)));
        if let Some((key, value)) = unknown.filter(|_| strictness != Strictness::Lenient) {
            let error = Problem::Kustomization.says(format!("json: unknown field {key:?}")).at(value.place.as_ref());
            return Err(match nearest(key, known.iter().copied()) {
                Some(near) => error.remedy(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        Ok(Self { name, fields, strictness })
    }

    /// A field that says something.
    pub(crate) fn get(&self, field: &str) -> Option<&'c Conf> {
        self.given(field).filter(|conf| !conf.is_null())
    }

    /// A field that is there, even if it is null.
    pub(crate) fn given(&self, field: &str) -> Option<&'c Conf> {
        let named = self.fields.iter().filter(|(key, _)| key.eq_ignore_ascii_case(field));
        named.max_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, conf)| conf)
    }

    pub(crate) fn text(&self, field: &'static str) -> Result<Text> {
        self.get(field).map_or_else(|| Ok(Text::default()), |conf| self.as_text(conf, field))
    }

    fn as_text(&self, conf: &Conf, field: &str) -> Result<Text> {
        let text = match &conf.value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            Value::Bool(b) if self.strictness != Strictness::Strict => b.to_string(),
            Value::Number(_) if self.strictness != Strictness::Strict => {
                windlass_yaml::to_yaml(&conf.to_json()).trim_end().to_owned()
            }
            _ => return Err(mismatch(conf, self.name, field).remedy("put the value in quotes")),
        };
        Ok(Text { text, place: conf.place.clone() })
    }

    pub(crate) fn string(&self, field: &'static str) -> Result<String> {
        self.text(field).map(|text| text.text)
    }

    pub(crate) fn bool(&self, field: &'static str) -> Result<bool> {
        match self.get(field) {
            None => Ok(false),
            Some(Conf { value: Value::Bool(b), .. }) => Ok(*b),
            Some(conf) => Err(mismatch(conf, self.name, field)),
        }
    }

    pub(crate) fn int(&self, field: &'static str) -> Result<i64> {
        match self.get(field) {
            None => Ok(0),
            Some(conf) => match &conf.value {
                Value::Number(n) => n.as_i64().ok_or_else(|| mismatch(conf, self.name, field)),
                _ => Err(mismatch(conf, self.name, field)),
            },
        }
    }

    pub(crate) fn list<T>(&self, field: &'static str, read: impl Fn(&'c Conf) -> Result<T>) -> Result<Vec<T>> {
        match self.get(field) {
            None => Ok(Vec::new()),
            Some(conf) => match &conf.value {
                Value::List(items) => items.iter().map(read).collect(),
                _ => Err(mismatch(conf, self.name, field)),
            },
        }
    }

    pub(crate) fn texts(&self, field: &'static str) -> Result<Vec<Text>> {
        self.list(field, |conf| self.as_text(conf, field))
    }

    pub(crate) fn strings(&self, field: &'static str) -> Result<Vec<String>> {
        self.list(field, |conf| self.as_text(conf, field).map(|text| text.text))
    }

    pub(crate) fn optional<T>(&self, field: &'static str, read: impl Fn(&'c Conf) -> Result<T>) -> Result<Option<T>> {
        self.get(field).map(read).transpose()
    }

    /// Keys and texts.
    pub(crate) fn map(&self, field: &'static str) -> Result<Texts> {
        match self.get(field) {
            None => Ok(Texts::new()),
            Some(conf) => match &conf.value {
                Value::Map(map) => {
                    map.iter().map(|(key, value)| Ok((key.clone(), self.as_text(value, field)?))).collect()
                }
                _ => Err(mismatch(conf, self.name, field)),
            },
        }
    }

    /// Keys and switches.
    pub(crate) fn switches(&self, field: &'static str) -> Result<BTreeMap<String, bool>> {
        let Some(conf) = self.get(field) else { return Ok(BTreeMap::new()) };
        let Value::Map(map) = &conf.value else { return Err(mismatch(conf, self.name, field)) };
        let read = |(key, value): &(String, Conf)| match value.value {
            Value::Bool(b) => Ok((key.clone(), b)),
            Value::Null => Ok((key.clone(), false)),
            _ => Err(mismatch(value, self.name, field)),
        };
        map.iter().map(read).collect()
    }
}

fn mismatch(conf: &Conf, of: &str, field: &str) -> Box<crate::KustomizeError> {
    let found = conf.type_name();
    let what = format!("json: cannot unmarshal {found} into Go struct field {of}.{field}");
    Problem::Kustomization.says(what).at(conf.place.as_ref())
}
