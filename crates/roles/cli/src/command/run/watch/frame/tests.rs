use super::{View, draw};
use serde_json::{Value, json};
use std::collections::HashMap;
use windlass_model::Timestamp;

const SECOND: i64 = 1_000_000;

fn node(id: &str, parent: Option<&str>, kind: &str, status: &str, more: Value) -> Value {
    let name = id.rsplit('.').next().unwrap();
    let mut node = json!({ "node": id, "parent": parent, "name": name, "type": kind, "status": status });
    node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    node
}

fn projection() -> Value {
    let ran = |from: i64, to: i64| json!({ "startedAt": from * SECOND, "endedAt": to * SECOND });
    json!({
        "run": { "run": "run_1", "pipeline": "shop", "sequence": 7, "status": "Running", "startedAt": 0 },
        "nodes": [
            node("p", None, "Pipeline", "Running", json!({ "startedAt": 0 })),
            node("p.int", Some("p"), "Deployment", "Success", ran(0, 41)),
            node("p.int.apply", Some("p.int"), "K8sApply", "Success", ran(1, 40)),
            node("p.prod", Some("p"), "Deployment", "ApprovalWaiting", json!({ "startedAt": 41 * SECOND })),
            node("p.prod.check", Some("p.prod"), "Http", "Failed",
                json!({ "startedAt": 41 * SECOND, "endedAt": 42 * SECOND, "failure": { "message": "404\u{1b}[2J not found\nbody" } })),
            node("p.prod.ask", Some("p.prod"), "HarnessApproval", "ApprovalWaiting",
                json!({ "startedAt": 42 * SECOND, "reason": "1 of 2 approvals", "measure": { "done": 1, "of": 2 } })),
            node("p.prod.roll", Some("p.prod"), "K8sRollingDeploy", "Running",
                json!({ "startedAt": 50 * SECOND, "note": "2 of 3 pods are ready", "measure": { "done": 2, "of": 3 } })),
            node("p.prod.script", Some("p.prod"), "ShellScript", "Running", json!({ "startedAt": 50 * SECOND })),
            node("p.prod.pause", Some("p.prod"), "Wait", "WaitStepRunning",
                json!({ "startedAt": 50 * SECOND, "until": 110 * SECOND })),
            node("p.prod.lock", Some("p.prod"), "K8sApply", "ResourceWaiting",
                json!({ "startedAt": 59 * SECOND, "reason": "waits for infrastructure shop in prod: run_0 (shop #6) has it" })),
            node("p.last", Some("p"), "Deployment", "NotStarted", json!({})),
            node("p.last.apply", Some("p.last"), "K8sApply", "NotStarted", json!({})),
        ]
    })
}

fn picture(width: usize, height: usize) -> String {
    let projection = projection();
    let lines = HashMap::from([("p.prod.script".to_owned(), "copied 12 files".to_owned())]);
    let now = Some(Timestamp::from_micros(65 * SECOND + 300_000));
    let newest = Some("     41s  int Success");
    console::set_colors_enabled(false);
    let drawn = draw(&View { projection: &projection, now, lines: &lines, newest, turn: 0, width, height });
    for line in &drawn {
        assert!(console::measure_text_width(line) < width, "too wide: {line}");
    }
    assert!(drawn.len() < height, "{} lines in {height}", drawn.len());
    drawn.join("\n")
}

#[test]
fn a_wide_window_shows_everything() {
    insta::assert_snapshot!(picture(110, 40), @"
    ⠋ shop #7  running  1m5s  run_1
      ✓ int  Deployment  41s
        ✓ apply  K8sApply  39s
      ◦ prod  Deployment  24s
        ✗ check  Http  1s  failed: 404 [2J not found
        ◦ ask  HarnessApproval  23s  ████████░░░░░░░░  1 of 2 approvals
        ⠋ roll  K8sRollingDeploy  15s  ██████████░░░░░░  2 of 3 pods are ready
        ⠋ script  ShellScript  15s  copied 12 files
        ⠋ pause  Wait  15s  ████░░░░░░░░░░░░  44s left
        ◦ lock  K8sApply  6s  waits for infrastructure shop in prod: run_0 (shop #6) has it
        last
          apply
    41s  int Success
    ");
}

#[test]
fn a_narrow_window_shows_what_happens() {
    insta::assert_snapshot!(picture(56, 40), @"
    ⠋ shop #7  running  1m5s  run_1
      ✓ int  41s
        ✓ apply  39s
      ◦ prod  24s
        ✗ check  1s  failed: 404 [2J not found
        ◦ ask  23s  ████░░░░  1 of 2 approvals
        ⠋ roll  15s  █████░░░  2 of 3 pods are ready
        ⠋ script  15s  copied 12 files
        ⠋ pause  15s  ██░░░░░░  44s left
        ◦ lock  6s  waits for infrastructure shop in prod:…
        last
          apply
    41s  int Success
    ");
}

#[test]
fn a_low_window_shows_what_goes_on() {
    insta::assert_snapshot!(picture(80, 10), @"
    ⠋ shop #7  running  1m5s  run_1
      ◦ prod  Deployment  24s
        ◦ ask  HarnessApproval  23s  ████████░░░░░░░░  1 of 2 approvals
        ⠋ roll  K8sRollingDeploy  15s  ██████████░░░░░░  2 of 3 pods are ready
        ⠋ script  ShellScript  15s  copied 12 files
        ⠋ pause  Wait  15s  ████░░░░░░░░░░░░  44s left
        ◦ lock  K8sApply  6s  waits for infrastructure shop in prod: run_0 (shop #…
      … and 5 more
    41s  int Success
    ");
}

#[test]
fn no_window_is_too_small() {
    for width in 1..40 {
        for height in 2..9 {
            picture_of_any_size(width, height);
        }
    }
}

fn picture_of_any_size(width: usize, height: usize) {
    let projection = projection();
    let lines = HashMap::new();
    let drawn = draw(&View { projection: &projection, now: None, lines: &lines, newest: None, turn: 3, width, height });
    assert!(drawn.iter().all(|line| console::measure_text_width(line) <= width), "{drawn:?}");
}
