//! Overrides of a service's variables and manifests (pipelines §1.7).

use std::collections::BTreeSet;
use windlass_model::pipeline::{Variable, VariableType};
use windlass_model::{Json, Scope};

/// One override that applies, with the layer it stands in: a higher one wins.
#[derive(Clone, Debug)]
pub(crate) struct Override<'o> {
    pub layer: u8,
    pub scope: Scope,
    pub body: &'o Json,
}

/// Sorts overrides from the weakest to the strongest: by type, within it from the account to the project.
pub(crate) fn layers(found: &Json) -> Vec<Override<'_>> {
    let mut layers: Vec<_> = found
        .as_array()
        .into_iter()
        .flatten()
        .map(|body| {
            let scope = body.get("scope").cloned().and_then(|scope| serde_json::from_value(scope).ok());
            Override { layer: rank(body), scope: scope.unwrap_or_default(), body }
        })
        .collect();
    layers.sort_by_key(|one| (one.layer, one.scope.outwards().count()));
    layers
}

/// The layer of a type; 0 is the service itself.
fn rank(body: &Json) -> u8 {
    match body.get("type").and_then(Json::as_str).unwrap_or_default() {
        "ENV_GLOBAL_OVERRIDE" => 1,
        "ENV_SERVICE_OVERRIDE" => 2,
        "INFRA_GLOBAL_OVERRIDE" => 3,
        "INFRA_SERVICE_OVERRIDE" => 4,
        _ => 1,
    }
}

/// A list of variables as documents write it.
pub(crate) fn variables(json: Option<&Json>) -> Vec<Variable> {
    let one = |json: &Json| {
        let text = |key: &str| json.get(key).and_then(Json::as_str);
        Some(Variable {
            name: text("name")?.to_owned(),
            kind: match text("type") {
                Some("Number") => VariableType::Number,
                Some("Secret") => VariableType::Secret,
                _ => VariableType::String,
            },
            value: json.get("value").cloned().unwrap_or(Json::Null),
            default: json.get("default").cloned(),
            required: json.get("required") == Some(&Json::Bool(true)),
            description: text("description").unwrap_or_default().to_owned(),
        })
    };
    json.and_then(Json::as_array).into_iter().flatten().filter_map(one).collect()
}

/// The service's variables after all overrides. Variables are replaced whole; what the stage itself wrote (`own`) is
/// stronger than every override (SEED-30).
pub(crate) fn apply(service: &[Variable], own: &BTreeSet<String>, layers: &[Override<'_>]) -> Vec<Variable> {
    let mut result = service.to_vec();
    for layer in layers {
        for variable in variables(layer.body.get("variables")) {
            match result.iter_mut().find(|other| other.name == variable.name) {
                Some(other) if !own.contains(&other.name) => *other = variable,
                Some(_) => {}
                None => result.push(variable),
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{apply, layers, variables};
    use serde_json::json;

    #[test]
    fn the_narrowest_override_wins_and_the_stage_over_all() {
        let project = json!({"level": "project", "org": "default", "project": "p"});
        let found = json!([
            {"type": "INFRA_SERVICE_OVERRIDE", "variables": [{"name": "a", "value": "infra+service"}]},
            {"type": "ENV_GLOBAL_OVERRIDE", "scope": project, "variables": [{"name": "b", "value": "project"}, {"name": "own", "value": "x"}]},
            {"type": "ENV_GLOBAL_OVERRIDE", "scope": {"level": "account"}, "variables": [{"name": "b", "value": "account"}, {"name": "a", "value": "env"}]},
            {"type": "ENV_SERVICE_OVERRIDE", "variables": [{"name": "new", "value": "1"}]},
        ]);
        let service = variables(Some(
            &json!([{"name": "a", "value": "s"}, {"name": "b", "value": "s"}, {"name": "own", "value": "stage"}]),
        ));
        let result = apply(&service, &["own".to_owned()].into(), &layers(&found));
        let values: Vec<_> = result.iter().map(|v| format!("{}={}", v.name, v.value.as_str().unwrap())).collect();
        assert_eq!(values, ["a=infra+service", "b=project", "own=stage", "new=1"]);
    }
}
