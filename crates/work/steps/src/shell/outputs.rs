//! The values that a script left behind.

use super::script::value_file;
use serde_json::{Map, json};
use std::io::{self, Read};
use std::path::Path;
use windlass_model::task::shell::ShellOutput;
use windlass_model::{Failure, FailureType, Json};
use windlass_task::Log;

/// The longest value, in bytes (pipelines §6.3).
const LONGEST: u64 = 512 * 1024;

/// Reads the output variables: `outputVariables` holds all of them by name, `secretOutputVariables` names those whose values
/// the worker masks and seals before they leave it.
pub(super) fn read(outputs: &[ShellOutput], folder: &Path, log: Log<'_>) -> Result<Json, Failure> {
    let mut values: Map<String, Json> = Map::new();
    let mut secret: Vec<&str> = Vec::new();
    for (index, output) in outputs.iter().enumerate() {
        let value = value(&folder.join(value_file(index))).map_err(|why| trouble(output, &why))?;
        match value {
            None | Some(Value::Text(_)) if output.secret && is_empty(value.as_ref()) => {
                return Err(trouble(output, "it is empty, and secrets cannot be"));
            }
            None => {
                let ShellOutput { name, variable, .. } = output;
                log.warn(format!(
                    "output variable `{name}`: the script did not set `{variable}`, or ended before its last line"
                ));
            }
            Some(Value::TooLong) => return Err(trouble(output, "it is longer than 512 KB")),
            Some(Value::Text(text)) => {
                if output.secret {
                    secret.push(&output.name);
                }
                values.insert(output.name.clone(), text.into());
            }
        }
    }
    for output in outputs.iter().filter(|output| !output.secret) {
        let Some(text) = values.get(&output.name).and_then(Json::as_str) else { continue };
        // The worker's mask does not know yet what this script made.
        let holds = |name: &&str| values.get(*name).and_then(Json::as_str).is_some_and(|secret| text.contains(secret));
        let told = if secret.iter().any(holds) { "(holds a secret)".to_owned() } else { shown(text) };
        log.info(format!("output variable {} = {told}", output.name));
    }
    Ok(json!({"outputVariables": values, "secretOutputVariables": secret}))
}

enum Value {
    Text(String),
    TooLong,
}

fn is_empty(value: Option<&Value>) -> bool {
    value.is_none_or(|value| matches!(value, Value::Text(text) if text.is_empty()))
}

/// Nothing when the variable was not set.
fn value(file: &Path) -> Result<Option<Value>, String> {
    let opened = match std::fs::File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("its value cannot be read: {error}")),
    };
    let mut bytes = Vec::new();
    opened.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| format!("its value cannot be read: {error}"))?;
    if bytes.len() as u64 > LONGEST {
        return Ok(Some(Value::TooLong));
    }
    Ok(Some(Value::Text(String::from_utf8_lossy(&bytes).into_owned())))
}

fn trouble(output: &ShellOutput, why: &str) -> Failure {
    let ShellOutput { name, variable, .. } = output;
    Failure::new(FailureType::Unknown, format!("output variable `{name}` (shell variable `{variable}`): {why}"))
}

/// The beginning of the first line.
fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let start: String = line.chars().take(200).collect();
    if start.len() < text.trim_end().len() { start + "…" } else { start }
}
