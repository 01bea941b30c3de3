use crate::Json;

/// The JSON patch that leads from one value to another. Applied the other way round it is the inverse of a change
/// (kubernetes-deploy §2.8, K8sPatch).
pub fn difference(before: &Json, after: &Json) -> Json {
    let operations = json_patch::diff(before, after);
    serde_json::to_value(operations).unwrap_or_else(|_| Json::Array(Vec::new()))
}
