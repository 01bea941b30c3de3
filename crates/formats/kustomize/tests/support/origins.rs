//! Every value of an output says where it comes from.

use serde_json::Value as Json;
use windlass_kustomize::Built;

/// How many values there are, each with a place; or what is wrong with one.
pub(crate) fn check(built: &Built) -> Result<usize, String> {
    let text = built.to_yaml();
    let count = text.lines().count();
    let lines = built.lines();
    let values: usize = built.objects.iter().map(|object| leaves(&object.to_json())).sum();
    if values != lines.len() {
        return Err(format!("{values} values and {} lines with an origin", lines.len()));
    }
    for line in &lines {
        if line.line < 1 || line.line > count {
            return Err(format!("line {} is outside of the text", line.line));
        }
        if line.origin.place.is_none() {
            return Err(format!("line {} comes from nowhere: {:?}", line.line, text.lines().nth(line.line - 1)));
        }
    }
    Ok(values)
}

/// Scalars, and lists and maps without content.
fn leaves(value: &Json) -> usize {
    match value {
        Json::Array(items) if !items.is_empty() => items.iter().map(leaves).sum(),
        Json::Object(fields) if !fields.is_empty() => fields.values().map(leaves).sum(),
        _ => 1,
    }
}
