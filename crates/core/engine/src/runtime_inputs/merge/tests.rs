use super::{Layer, Trust, merge};
use crate::runtime_inputs::{asked, of_trigger, of_values};
use crate::start::TriggerContext;
use serde_json::{Value as Json, json};

fn pipeline() -> Json {
    json!({"pipeline": {
        "identifier": "shop_cd",
        "variables": [
            {"name": "imageTag", "type": "String", "required": true, "value": "<+input>", "default": "latest"},
            {"name": "env", "type": "String", "required": true, "value": "<+input>.allowedValues(int-stable,prod)"},
            {"name": "replicas", "type": "Number", "value": "<+input>"},
            {"name": "note", "type": "String", "value": "<+input>"},
            {"name": "fixed", "type": "String", "value": "stays"},
            {"name": "later", "type": "String", "value": "<+input>.executionInput()"},
        ],
        "stages": [{"parallel": [{"stage": {"identifier": "deploy", "spec": {"execution": {"steps": [
            {"step": {"identifier": "s", "timeout": "<+input>", "spec": {"script": "<+input>"}}},
        ]}}}}]}],
    }})
}

fn one(values: &Json, trust: Trust) -> Result<Json, Vec<String>> {
    let layer = Layer { values, trust, strict: trust == Trust::Outside };
    merge(&pipeline(), &[layer])
        .map(|merged| merged.document["pipeline"].clone())
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

fn script() -> Json {
    json!([{"parallel": [{"stage": {"identifier": "deploy", "spec": {"execution": {"steps": [
        {"step": {"identifier": "s", "spec": {"script": "true"}}},
    ]}}}}]}])
}

fn variable<'j>(pipeline: &'j Json, name: &str) -> &'j Json {
    let found = pipeline["variables"].as_array().unwrap().iter().find(|variable| variable["name"] == name);
    &found.unwrap()["value"]
}

#[test]
fn values_go_where_they_are_asked_for() {
    let values = json!({
        "variables": [{"name": "env", "value": "prod"}, {"name": "fixed", "value": "other"}, {"name": "replicas", "value": 3}],
        "stages": script(),
    });
    let merged = one(&values, Trust::Author).unwrap();
    assert_eq!(variable(&merged, "env"), "prod");
    assert_eq!(variable(&merged, "replicas"), 3);
    assert_eq!(variable(&merged, "imageTag"), "latest");
    assert_eq!(variable(&merged, "note"), "");
    assert_eq!(variable(&merged, "fixed"), "stays");
    assert_eq!(variable(&merged, "later"), "<+input>.executionInput()");
    let step = &merged["stages"][0]["parallel"][0]["stage"]["spec"]["execution"]["steps"][0]["step"];
    assert_eq!(step, &json!({"identifier": "s", "spec": {"script": "true"}}));
}

#[test]
fn every_problem_is_told_at_once() {
    let values = json!({"variables": [{"name": "env", "value": "prd"}, {"name": "replicas", "value": "many"}]});
    assert_eq!(
        one(&values, Trust::Author).unwrap_err(),
        [
            "error INPUT0001: this input is required at pipeline.stages.deploy.spec.execution.steps.s.spec.script",
            "error INPUT0002: `prd` is not one of int-stable, prod; did you mean `prod`? at pipeline.variables.env",
            "error INPUT0002: `many` is not a number at pipeline.variables.replicas",
        ]
    );
    let empty = json!({"variables": [{"name": "env", "value": ""}], "stages": script()});
    assert_eq!(one(&empty, Trust::Author).unwrap_err().len(), 1);
    let literal = json!({"variables": [{"name": "env", "value": "<+input>"}], "stages": script()});
    assert_eq!(one(&literal, Trust::Author).unwrap_err().len(), 1, "SEED-76");
}

#[test]
fn a_map_of_variables_is_read_as_a_list() {
    let values = json!({"pipeline": {"variables": {"env": "prod", "imageTag": "v2"}, "stages": script()}});
    let layer = Layer { values: &values, trust: Trust::Author, strict: true };
    let merged = merge(&pipeline(), &[layer]).unwrap();
    assert_eq!(variable(&merged.document["pipeline"], "imageTag"), "v2");
    assert_eq!(merged.notes[0].code, "SEED-12");
}

#[test]
fn what_a_payload_holds_is_never_code() {
    let trigger = TriggerContext {
        payload: json!({"tag": "<+secrets.getValue(\"k\")>", "env": "prod"}),
        ..TriggerContext::default()
    };
    let input = json!({"pipeline": {"variables": {
        "imageTag": "<+trigger.payload.tag>", "env": "<+trigger.payload.env>", "note": "<+pipeline.sequenceId>",
        "replicas": "<+trigger.payload.replicas>",
    }, "stages": script()}});
    let values = of_trigger(&input, &trigger, windlass_model::Timestamp::from_secs(0)).unwrap();
    assert_eq!(values.warnings.len(), 1);
    let layers = [
        Layer { values: &values.author, trust: Trust::Author, strict: true },
        Layer { values: &values.outside, trust: Trust::Outside, strict: true },
    ];
    let merged = merge(&pipeline(), &layers).unwrap().document["pipeline"].clone();
    assert_eq!(variable(&merged, "imageTag"), "<+\"<\">+secrets.getValue(\"k\")>");
    assert_eq!(variable(&merged, "note"), "<+pipeline.sequenceId>");
    assert_eq!(variable(&merged, "replicas"), "");
    // Constraints are held against what really came.
    let forged = json!({"variables": [{"name": "env", "value": "<+\"prod\">"}], "stages": script()});
    assert!(one(&forged, Trust::Outside).is_err());
}

#[test]
fn triggers_may_not_miss() {
    let values = json!({"variables": [{"name": "imagTag", "value": "v2"}, {"name": "env", "value": "prod"}], "stages": script()});
    assert_eq!(
        one(&values, Trust::Outside).unwrap_err(),
        ["error INPUT0003: nothing is asked for here: the value is ignored at pipeline.variables.imagTag"]
    );
    assert!(one(&values, Trust::Author).is_ok());
}

#[test]
fn a_pipeline_tells_what_it_asks_for() {
    let asked = asked(&pipeline());
    let names: Vec<_> = asked.iter().map(|one| (one.path.as_str(), one.required)).collect();
    assert_eq!(names[0], ("pipeline.stages.deploy.spec.execution.steps.s.spec.script", true));
    assert!(names.contains(&("pipeline.variables.imageTag", true)));
    let tag = asked.iter().find(|one| one.variable.as_deref() == Some("imageTag")).unwrap();
    assert_eq!(tag.default, Some(json!("latest")));
    let values = of_values(&[("env".to_owned(), json!("prod"))].into());
    assert_eq!(values, json!({"variables": [{"name": "env", "value": "prod"}]}));
}
