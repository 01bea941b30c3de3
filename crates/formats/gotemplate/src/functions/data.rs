//! YAML and JSON.

use crate::function::Parameter::{Any, Text};
use crate::function::{Arguments, Function};
use crate::value::{Budget, JsonStyle, Map, NoJson, Value, write_json};
use serde_json::Value as Json;
use windlass_yaml::{NumberStyle, Options};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("toYaml", &[Any], |a| or_nothing(yaml(&a.value(0)))),
    Function::pure("toYamlPretty", &[Any], |a| or_nothing(pretty_yaml(&a.value(0)))),
    Function::pure("mustToYaml", &[Any], |a| Ok(yaml(&a.value(0))?.into())).not_in_helm(),
    Function::pure("fromYaml", &[Text], |a| Ok(map_or_error(read_yaml(&a.text(0))))),
    Function::pure("fromYamlArray", &[Text], |a| Ok(list_or_error(read_yaml(&a.text(0))))),
    Function::pure("toJson", &[Any], |a| or_nothing(json(a, HTML))),
    Function::pure("mustToJson", &[Any], |a| Ok(json(a, HTML)?.into())),
    Function::pure("toRawJson", &[Any], |a| Ok(json(a, RAW)?.into())),
    Function::pure("mustToRawJson", &[Any], |a| Ok(json(a, RAW)?.into())),
    Function::pure("toPrettyJson", &[Any], |a| or_nothing(json(a, PRETTY))),
    Function::pure("mustToPrettyJson", &[Any], |a| Ok(json(a, PRETTY)?.into())),
    Function::pure("fromJson", &[Text], |a| Ok(map_or_error(read_json(&a.text(0))))),
    Function::pure("fromJsonArray", &[Text], |a| Ok(list_or_error(read_json(&a.text(0))))),
    Function::pure("mustFromJson", &[Text], |a| read_json(&a.text(0)).map(|json| Value::from_json(&json))),
];

const HTML: JsonStyle = JsonStyle { html: true, pretty: false };
const RAW: JsonStyle = JsonStyle { html: false, pretty: false };
const PRETTY: JsonStyle = JsonStyle { html: true, pretty: true };

fn json(arguments: &Arguments, style: JsonStyle) -> Result<String, NoJson> {
    write_json(&arguments.value(0), style)
}

/// What cannot be written is nothing, as in the reference; what is too large is an error all the same.
fn or_nothing(text: Result<String, NoJson>) -> Result<Value, String> {
    match text {
        Err(NoJson::NoNumber) => Ok("".into()),
        text => Ok(text?.into()),
    }
}

fn yaml(value: &Value) -> Result<String, NoJson> {
    let text = windlass_yaml::to_yaml(&value.to_json(&mut Budget::new())?);
    Ok(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text))
}

/// The same with the items of a list indented.
fn pretty_yaml(value: &Value) -> Result<String, NoJson> {
    let text = windlass_yaml::to_indented_yaml(&value.to_json_with_floats(&mut Budget::new())?);
    Ok(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text))
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
