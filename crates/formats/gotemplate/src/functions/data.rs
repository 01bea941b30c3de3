//! YAML and JSON.

use crate::function::Function;
use crate::function::Parameter::{Any, Text};
use crate::value::{Budget, Map, Value};
use serde_json::Value as Json;
use windlass_yaml::{NumberStyle, Options};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("toYaml", &[Any], |a| yaml(&a.value(0))),
    Function::pure("mustToYaml", &[Any], |a| yaml(&a.value(0))),
    Function::pure("fromYaml", &[Text], |a| Ok(map_or_error(read_yaml(&a.text(0))))),
    Function::pure("fromYamlArray", &[Text], |a| Ok(list_or_error(read_yaml(&a.text(0))))),
    Function::pure("toJson", &[Any], |a| json(&a.value(0)).map(|json| escaped(&json.to_string()).into())),
    Function::pure("mustToJson", &[Any], |a| json(&a.value(0)).map(|json| escaped(&json.to_string()).into())),
    Function::pure("toRawJson", &[Any], |a| json(&a.value(0)).map(|json| json.to_string().into())),
    Function::pure("mustToRawJson", &[Any], |a| json(&a.value(0)).map(|json| json.to_string().into())),
    Function::pure("toPrettyJson", &[Any], |a| json(&a.value(0)).map(|json| escaped(&format!("{json:#}")).into())),
    Function::pure("mustToPrettyJson", &[Any], |a| json(&a.value(0)).map(|json| escaped(&format!("{json:#}")).into())),
    Function::pure("fromJson", &[Text], |a| Ok(map_or_error(read_json(&a.text(0))))),
    Function::pure("fromJsonArray", &[Text], |a| Ok(list_or_error(read_json(&a.text(0))))),
    Function::pure("mustFromJson", &[Text], |a| read_json(&a.text(0)).map(|json| Value::from_json(&json))),
];

pub(super) fn json(value: &Value) -> Result<Json, String> {
    let mut json = value.to_json(&mut Budget::new())?;
    json.sort_all_objects();
    Ok(json)
}

fn yaml(value: &Value) -> Result<Value, String> {
    let text = windlass_yaml::to_yaml(&json(value)?);
    Ok(text.strip_suffix('\n').unwrap_or(&text).into())
}

/// Go's encoder makes its texts safe for HTML.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn read_yaml(text: &str) -> Result<Json, String> {
    let documents = windlass_yaml::parse("", text, &Options::CONTROL).map_err(|problems| problems.to_string())?;
    Ok(documents.first().map_or(Json::Null, |document| document.root.to_json(NumberStyle::Typed)))
}

fn read_json(text: &str) -> Result<Json, String> {
    serde_json::from_str(text).map_err(|problem| problem.to_string())
}

/// A problem is told in the value, as Helm does.
fn map_or_error(read: Result<Json, String>) -> Value {
    let problem = match read {
        Ok(Json::Null) => return Value::Map(Map::new()),
        Ok(json @ Json::Object(_)) => return Value::from_json(&json),
        Ok(_) => "a map was expected".to_owned(),
        Err(problem) => problem,
    };
    let map = Map::new();
    map.set("Error".into(), problem.into());
    Value::Map(map)
}

fn list_or_error(read: Result<Json, String>) -> Value {
    match read {
        Ok(Json::Null) => Value::list(Vec::new()),
        Ok(json @ Json::Array(_)) => Value::from_json(&json),
        Ok(_) => Value::list(vec!["a list was expected".into()]),
        Err(problem) => Value::list(vec![problem.into()]),
    }
}
