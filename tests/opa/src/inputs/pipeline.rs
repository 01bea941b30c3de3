//! Pipelines with stages, groups, parallel blocks, approvals and scripts.

use serde_json::{Map, Value as Json, json};
use windlass_test_dice::Dice;

pub(super) fn fields(dice: &mut Dice, firm: bool) -> Map<String, Json> {
    let mut stages: Vec<Json> = Vec::new();
    for number in 0..=dice.below(3) {
        let one = stage(dice, firm, number);
        stages.push(if dice.percent(20) { json!({"parallel": [one, stage(dice, firm, number + 10)]}) } else { one });
    }
    if firm {
        stages.insert(0, json!({"stage": {"identifier": "ask", "type": "Approval", "spec": {"execution": {"steps": [approval(dice, true)]}}}}));
    }
    let mut fields = Map::new();
    let variables = json!([{"name": "environment", "value": dice.text(&["prod", "int"])}]);
    fields.insert(
        "pipeline".into(),
        json!({"identifier": "pay", "name": "Pay", "stages": stages, "variables": variables}),
    );
    fields
}

fn stage(dice: &mut Dice, firm: bool, number: usize) -> Json {
    let kind = dice.text(&["Deployment", "Deployment", "Custom", "CI"]);
    let mut list = Vec::new();
    for _ in 0..=dice.below(2) {
        list.push(node(dice, firm, 0));
    }
    let environment = dice.text(&[
        "prod",
        "account.prod_euw1",
        "PROD",
        "product_tests",
        "int_stable",
        "<+input>",
        "org.preprod",
        "prod-2",
    ]);
    let mut spec = json!({"execution": {"steps": list, "rollbackSteps": [node(dice, firm, 2)]}});
    match dice.below(3) {
        0 => spec["infrastructure"] = json!({"environment": {"type": dice.text(&["Production", "PreProduction"])}}),
        _ => spec["environment"] = json!({"environmentRef": environment}),
    }
    json!({"stage": {"identifier": format!("s{number}"), "type": kind, "spec": spec}})
}

fn node(dice: &mut Dice, firm: bool, depth: usize) -> Json {
    match dice.below(if depth > 1 { 4 } else { 7 }) {
        0 => approval(dice, firm),
        1 if !firm => {
            json!({"step": {"type": "ShellScript", "identifier": dice.text(&["x", "run \"it\"", "später"]), "spec": {"script": "true"}}})
        }
        2 if !firm => json!({"step": {"type": "ShellScript"}}),
        4 => {
            json!({"stepGroup": {"identifier": "g", "steps": [node(dice, firm, depth + 1), node(dice, firm, depth + 1)]}})
        }
        5 => json!({"parallel": [node(dice, firm, depth + 1), node(dice, firm, depth + 1)]}),
        _ => {
            json!({"step": {"type": dice.text(&["K8sRollingDeploy", "Http", "K8sApply"]), "identifier": "d", "spec": {"timeout": "10m"}}})
        }
    }
}

fn approval(dice: &mut Dice, firm: bool) -> Json {
    let other = dice.percent(if firm { 0 } else { 20 });
    let kind =
        if other { dice.text(&["JiraApproval", "ServiceNowApproval", "CustomApproval"]) } else { "HarnessApproval" };
    let counts = [
        json!(2),
        json!("2"),
        json!(3),
        json!(1),
        json!("1"),
        json!("two"),
        json!("1.5"),
        json!(" 2"),
        json!("0x2"),
        Json::Null,
    ];
    let executor = [json!(true), json!("true"), json!("TRUE"), json!(false), json!("false"), json!([true]), Json::Null];
    let (counts, executor) = if firm { (&counts[..3], &executor[..3]) } else { (&counts[..], &executor[..]) };
    let spec = json!({"approvers": {
        "userGroups": ["release"], "minimumCount": dice.pick(counts), "disallowPipelineExecutor": dice.pick(executor)}});
    json!({"step": {"type": kind, "identifier": dice.text(&["ask", "release", "ÄÖ"]), "spec": spec}})
}
