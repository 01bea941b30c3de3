//! YAML and JSON.

use crate::function::Parameter::{Any, Text};
use crate::function::{Arguments, Function};
use crate::value::{Budget, JsonStyle, Map, NoJson, Printed, Value, write_json};
use serde_json::Value as Json;
use windlass_yaml::{NumberStyle, Options, RepeatedKeys};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::pure("toYaml", &[Any], |a| or_nothing(yaml(&a.value(0)))),
    Function::pure("toYamlPretty", &[Any], |a| or_nothing(pretty_yaml(&a.value(0)))),
    Function::pure("mustToYaml", &[Any], |a| Ok(yaml(&a.value(0))?.into())).not_in_helm(),
    Function::pure("fromYaml", &[Text], |a| Ok(map_or_error(read_yaml(&a.text(0)), OF_YAML))),
    Function::pure("fromYamlArray", &[Text], |a| Ok(list_or_error(read_yaml(&a.text(0)), OF_YAML))),
    Function::pure("toJson", &[Any], |a| or_nothing(json(a, HTML))),
    Function::pure("mustToJson", &[Any], |a| Ok(json(a, HTML)?.into())),
    Function::pure("toRawJson", &[Any], |a| Ok(json(a, RAW)?.into())),
    Function::pure("mustToRawJson", &[Any], |a| Ok(json(a, RAW)?.into())),
    Function::pure("toPrettyJson", &[Any], |a| or_nothing(json(a, PRETTY))),
    Function::pure("mustToPrettyJson", &[Any], |a| Ok(json(a, PRETTY)?.into())),
    Function::pure("fromJson", &[Text], |a| Ok(map_or_error(read_json(&a.text(0)), ""))),
    Function::pure("fromJsonArray", &[Text], |a| Ok(list_or_error(read_json(&a.text(0)), ""))),
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
    let text = windlass_yaml::to_indented_yaml(&Printed::of(value, &mut Budget::new())?);
    Ok(text.strip_suffix('\n').map(str::to_owned).unwrap_or(text))
}

fn read_yaml(text: &str) -> Result<Json, String> {
    let rules = Options { repeated_keys: RepeatedKeys::LastCounts, ..Options::CONTROL };
    let documents = windlass_yaml::parse("", text, &rules).map_err(|problems| problems.to_string())?;
    Ok(documents.first().map_or(Json::Null, |document| document.root.to_json(NumberStyle::Typed)))
}

fn read_json(text: &str) -> Result<Json, String> {
    serde_json::from_str(text).map_err(|problem| explained(text, &problem))
}

/// A problem of JSON in the words of the reference.
fn explained(text: &str, problem: &serde_json::Error) -> String {
    let message = problem.to_string();
    if problem.is_eof() {
        return "unexpected end of JSON input".to_owned();
    }
    let line = text.lines().nth(problem.line().saturating_sub(1)).unwrap_or_default();
    let found = line.as_bytes().get(problem.column().saturating_sub(1)..).unwrap_or_default();
    let c = String::from_utf8_lossy(found).chars().next().unwrap_or('\n');
    let place = [
        ("expected value", "looking for beginning of value"),
        ("trailing characters", "after top-level value"),
        ("expected `,` or `}`", "after object key:value pair"),
        ("expected `,` or `]`", "after array element"),
        ("expected `:`", "after object key"),
        ("key must be a string", "looking for beginning of object key string"),
        ("trailing comma", "looking for beginning of value"),
    ];
    match place.into_iter().find(|(stem, _)| message.starts_with(stem)) {
        Some((_, place)) => format!("invalid character {c:?} {place}"),
        None => format!("invalid character {c:?}: {message}"),
    }
}

/// A problem is told in the value, as Helm does.
fn map_or_error(read: Result<Json, String>, stem: &str) -> Value {
    let problem = match read {
        Ok(Json::Null) => return Value::Map(Map::new()),
        Ok(json @ Json::Object(_)) => return Value::from_json(&json),
        Ok(other) => mismatch(&other, stem, "map[string]interface {}"),
        Err(problem) => problem,
    };
    let map = Map::new();
    map.set("Error".into(), problem.into());
    Value::Map(map)
}

fn list_or_error(read: Result<Json, String>, stem: &str) -> Value {
    match read {
        Ok(Json::Null) => Value::list(Vec::new()),
        Ok(json @ Json::Array(_)) => Value::from_json(&json),
        Ok(other) => Value::list(vec![mismatch(&other, stem, "[]interface {}").into()]),
        Err(problem) => Value::list(vec![problem.into()]),
    }
}

/// What the reference says in front of a problem of JSON that came out of YAML.
const OF_YAML: &str = "error unmarshaling JSON: while decoding JSON: ";

fn mismatch(json: &Json, stem: &str, wanted: &str) -> String {
    let kind = match json {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    };
    format!("{stem}json: cannot unmarshal {kind} into Go value of type {wanted}")
}
