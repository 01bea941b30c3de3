//! The values of a run's inputs: who gave them, and whether they fit (pipelines §2).

use crate::{Answer, Failure};
use windlass_diagnostic::Diagnostics;
use windlass_engine::runtime_inputs::{Layer, Merged, Trust, of_values};
use windlass_model::Json;
use windlass_yaml::{NumberStyle, Options, parse_one};

/// A sparse pipeline, and whether its author may write expressions.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    values: Json,
    trust: Trust,
}

impl Given {
    /// From somebody who may run the pipeline.
    pub(crate) fn author(values: Json) -> Self {
        Self { values, trust: Trust::Author }
    }

    /// From a payload: data, whatever it looks like (SEED-74).
    pub(crate) fn outside(values: Json) -> Self {
        Self { values, trust: Trust::Outside }
    }
}

/// A sparse pipeline from its text.
pub(crate) fn read_yaml(text: &str) -> Result<Json, Diagnostics> {
    Ok(parse_one("inputYaml", text, &Options::DOCUMENT)?.root.to_json(NumberStyle::KeepText))
}

/// Values from a file of somebody who starts a run: a sparse pipeline, an input set, or plain `name: value` of variables.
pub(crate) fn read_file(text: &str) -> Result<Json, Diagnostics> {
    let json = read_yaml(text)?;
    if let Some(set) = json.get("inputSet").and_then(|set| set.get("pipeline")) {
        return Ok(serde_json::json!({ "pipeline": set }));
    }
    let is_sparse = |fields: &serde_json::Map<String, Json>| {
        ["pipeline", "variables", "stages"].iter().any(|key| fields.contains_key(*key))
    };
    match json {
        Json::Object(fields) if !is_sparse(&fields) => Ok(of_values(&fields.into_iter().collect())),
        json => Ok(json),
    }
}

/// Inputs that start nothing.
pub(crate) fn unusable(problems: Diagnostics) -> Failure {
    Failure::problems("RUN0001", "the pipeline cannot run with these inputs", problems)
}

/// Puts the values into a pipeline document. A value that fits nowhere refuses the run: what it was meant for would silently get
/// its default.
pub(crate) fn merge(document: &Json, given: &[Given]) -> Answer<Merged> {
    let layers: Vec<Layer<'_>> =
        given.iter().map(|given| Layer { values: &given.values, trust: given.trust, strict: true }).collect();
    windlass_engine::runtime_inputs::merge(document, &layers)
        .map_err(|problems| unusable(problems.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::read_file;
    use serde_json::json;

    #[test]
    fn files_hold_a_sparse_pipeline_an_input_set_or_names() {
        let sparse = json!({"pipeline": {"variables": [{"name": "tag", "value": "v1"}]}});
        let tag = |text: &str| read_file(text).unwrap();
        assert_eq!(tag("pipeline: {variables: [{name: tag, value: v1}]}"), sparse);
        assert_eq!(tag("inputSet: {identifier: x, pipeline: {variables: [{name: tag, value: v1}]}}"), sparse);
        assert_eq!(tag("tag: v1"), windlass_engine::runtime_inputs::of_values(&[("tag".into(), json!("v1"))].into()));
        assert!(read_file("a: [").is_err());
    }
}
