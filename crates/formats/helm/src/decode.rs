//! Control files as the reference decodes them: names of fields match in any case, and a number or boolean where a text is
//! wanted becomes its text.

use crate::error::FileProblem;
use crate::values::Table;
use serde_json::{Number, Value as Json};
use windlass_yaml::{Map, Node, NumberStyle, Options, RepeatedKeys, Value};

/// The rules by which the reference reads YAML: of a key that stands twice the later one counts.
pub(crate) const RULES: Options = Options { repeated_keys: RepeatedKeys::LastCounts, ..Options::CONTROL };

/// The first document of a text; nothing when there is none.
pub(crate) fn document(text: &str) -> Result<Option<Node>, FileProblem> {
    let documents = windlass_yaml::parse("", text, &RULES).map_err(FileProblem::Yaml)?;
    Ok(documents.into_iter().next().map(|document| document.root))
}

/// A document that is a map, or nothing.
pub(crate) fn map<'n>(node: &'n Node, into: &str) -> Result<Option<&'n Map>, FileProblem> {
    match &node.value {
        Value::Map(map) => Ok(Some(map)),
        Value::Null => Ok(None),
        _ => Err(wrong(node, into)),
    }
}

pub(crate) fn field<'n>(map: &'n Map, name: &str) -> Option<&'n Node> {
    map.get(name).or_else(|| map.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, node)| node))
}

/// A text, or a number or boolean as one. Null is no text.
pub(crate) fn text(map: &Map, name: &str) -> Result<String, FileProblem> {
    field(map, name).map_or(Ok(String::new()), |node| as_text(node, name))
}

pub(crate) fn as_text(node: &Node, name: &str) -> Result<String, FileProblem> {
    match &node.value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.to_string()),
        Value::Bool(b) => Ok(b.to_string()),
        Value::Int(i) => Ok(i.to_string()),
        Value::Uint(u) => Ok(u.to_string()),
        Value::Float(f) => Ok(windlass_gotemplate::Value::Float(*f).printed().unwrap_or_default()),
        _ => Err(wrong(node, &format!("field {name} of type string"))),
    }
}

pub(crate) fn bool(map: &Map, name: &str) -> Result<bool, FileProblem> {
    match field(map, name).map(|node| (&node.value, node)) {
        None | Some((Value::Null, _)) => Ok(false),
        Some((Value::Bool(b), _)) => Ok(*b),
        Some((_, node)) => Err(wrong(node, &format!("field {name} of type bool"))),
    }
}

/// A list; nothing when there is none, which is not the same as an empty one.
pub(crate) fn list<'n>(map: &'n Map, name: &str) -> Result<Option<&'n [Node]>, FileProblem> {
    match field(map, name).map(|node| (&node.value, node)) {
        None | Some((Value::Null, _)) => Ok(None),
        Some((Value::Seq(items), _)) => Ok(Some(items)),
        Some((_, node)) => Err(wrong(node, &format!("field {name} of a list type"))),
    }
}

pub(crate) fn texts(map: &Map, name: &str) -> Result<Option<Vec<String>>, FileProblem> {
    let items = list(map, name)?;
    items.map(|items| items.iter().map(|item| as_text(item, name)).collect()).transpose()
}

/// A map of texts by name.
pub(crate) fn text_map(map: &Map, name: &str) -> Result<Option<Vec<(String, String)>>, FileProblem> {
    match field(map, name).map(|node| (&node.value, node)) {
        None | Some((Value::Null, _)) => Ok(None),
        Some((Value::Map(inner), _)) => inner
            .iter()
            .map(|(key, node)| Ok((key.to_owned(), as_text(node, name)?)))
            .collect::<Result<_, _>>()
            .map(Some),
        Some((_, node)) => Err(wrong(node, &format!("field {name} of type map[string]string"))),
    }
}

pub(crate) fn wrong(node: &Node, into: &str) -> FileProblem {
    let kind = match node.value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Seq(_) => "array",
        Value::Map(_) => "object",
    };
    let (line, column) = (node.place.line, node.place.column);
    FileProblem::Text(format!("line {line}, column {column}: cannot unmarshal {kind} into Go value: {into}"))
}

/// A text as values: its first document, every number a float.
pub(crate) fn table(text: &str) -> Result<Option<Table>, FileProblem> {
    let Some(root) = document(text)? else { return Ok(None) };
    match map(&root, "map[string]interface {}")? {
        None => Ok(None),
        Some(entries) => {
            let entries = entries.iter().map(|(key, node)| Ok((key.to_owned(), value(node)?)));
            entries.collect::<Result<Table, FileProblem>>().map(Some)
        }
    }
}

/// A value as JSON would hold it in Go: every number is a float.
pub(crate) fn value(node: &Node) -> Result<Json, FileProblem> {
    Ok(match &node.value {
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => {
            #[allow(clippy::cast_precision_loss)]
            let f = match &node.value {
                Value::Int(i) => *i as f64,
                Value::Uint(u) => *u as f64,
                Value::Float(f) => *f,
                _ => 0.0,
            };
            let unsupported = || FileProblem::Text(format!("json: unsupported value: {f}"));
            Json::Number(Number::from_f64(f).ok_or_else(unsupported)?)
        }
        Value::Seq(items) => items.iter().map(value).collect::<Result<_, _>>()?,
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, node)| Ok((key.to_owned(), value(node)?)));
            Json::Object(entries.collect::<Result<_, FileProblem>>()?)
        }
        _ => node.to_json(NumberStyle::Typed),
    })
}

/// JSON as Go decodes it: every number is a float.
pub(crate) fn with_floats(json: Json) -> Json {
    match json {
        Json::Number(number) => number.as_f64().and_then(Number::from_f64).map_or(Json::Null, Json::Number),
        Json::Array(items) => items.into_iter().map(with_floats).collect(),
        Json::Object(entries) => entries.into_iter().map(|(key, value)| (key, with_floats(value))).collect(),
        other => other,
    }
}
