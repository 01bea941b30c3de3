//! The schemas for editors say what the reader reads.

// clippy.toml allows these in test functions; here their helpers need them too.
#![allow(clippy::unwrap_used)]

use serde_json::Value;
use windlass_document::step::{keys_of, step_types};
use windlass_document::{Kind, read, schema};
use windlass_model::{Identifier, Scope};

fn project() -> Scope {
    let id = |text: &str| Identifier::parse(text).unwrap();
    Scope::Project { org: id("default"), project: id("platform") }
}

/// Whether the reader says that it does not know a key.
fn unknown(text: &str, key: &str, kind: Kind) -> bool {
    let scope = project().outwards().find(|scope| kind.can_live_in(scope)).unwrap();
    let (_, problems) = read("x.yaml", text, &scope, Some(kind));
    problems
        .iter()
        .any(|one| *one.code == *windlass_yaml::code::UNKNOWN_KEY && one.message.contains(&format!("`{key}`")))
}

#[test]
fn every_key_of_a_schema_is_read() {
    for kind in Kind::all() {
        let root = kind.words().root;
        let schema = schema(kind);
        let body = &schema["properties"][root];
        for key in body["properties"].as_object().unwrap().keys() {
            let text = format!("{root}: {{identifier: x, name: x, {key}: x}}");
            assert!(!unknown(&text, key, kind), "{kind}: {key}");
        }
        assert!(unknown(&format!("{root}: {{identifier: x, name: x, nonsense: x}}"), "nonsense", kind), "{kind}");
        for key in body["required"].as_array().into_iter().flatten() {
            assert!(body["properties"].get(key.as_str().unwrap()).is_some(), "{kind}: {key}");
        }
    }
}

#[test]
fn every_key_of_a_pipeline_s_parts_is_read() {
    let schema = schema(Kind::Pipeline);
    let keys = |part: &str| -> Vec<String> {
        schema["$defs"][part]["properties"].as_object().unwrap().keys().cloned().collect()
    };
    let stage = |inside: &str| format!("pipeline: {{identifier: x, name: x, stages: [{{stage: {{{inside}}}}}]}}");
    let step =
        |inside: &str| stage(&format!("identifier: s, type: Custom, spec: {{execution: {{steps: [{inside}]}}}}"));
    for key in keys("stage") {
        assert!(!unknown(&stage(&format!("{key}: x")), &key, Kind::Pipeline), "stage: {key}");
    }
    for key in keys("step") {
        assert!(!unknown(&step(&format!("{{step: {{{key}: x}}}}")), &key, Kind::Pipeline), "step: {key}");
    }
    for key in keys("group") {
        assert!(!unknown(&step(&format!("{{stepGroup: {{{key}: x}}}}")), &key, Kind::Pipeline), "group: {key}");
    }
    for key in keys("strategy") {
        let text = step(&format!("{{step: {{strategy: {{{key}: x}}}}}}"));
        assert!(!unknown(&text, &key, Kind::Pipeline), "strategy: {key}");
    }
}

#[test]
fn every_step_that_runs_has_its_spec() {
    let schema = schema(Kind::Pipeline);
    let specs = schema["$defs"]["step"]["allOf"].as_array().unwrap();
    let of = |name: &str| specs.iter().find(|one| one["if"]["properties"]["type"]["const"] == name);
    for step in step_types() {
        assert_eq!(of(step.name).is_some(), step.runs, "{}", step.name);
        let Some(spec) = of(step.name) else { continue };
        let properties = &spec["then"]["properties"]["spec"]["anyOf"][0]["properties"];
        for key in keys_of(step.name).unwrap() {
            assert!(properties.get(key.name).is_some(), "{}: {}", step.name, key.name);
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk(json: &Value, root: &Value) {
        match json {
            Value::Object(fields) => {
                if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                    assert!(root.pointer(target.trim_start_matches('#')).is_some(), "{target}");
                }
                fields.values().for_each(|inner| walk(inner, root));
            }
            Value::Array(items) => items.iter().for_each(|inner| walk(inner, root)),
            _ => {}
        }
    }
    for kind in Kind::all() {
        let schema = schema(kind);
        walk(&schema, &schema);
    }
}
