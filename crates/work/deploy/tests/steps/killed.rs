//! A worker that is killed at any write, and another one that goes on (kubernetes-deploy §8).

use crate::support::gate::Cut;
use crate::support::manifests::{service, shop};
use crate::support::{World, world};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use windlass_model::task::Outcome;
use windlass_task::Recorder;

/// What is compared in the end.
type End = (BTreeMap<String, Json>, Vec<String>);

/// Prepares the cluster, then runs a step that is killed at `cut` and resumed; gives the end and how many writes there were.
fn played(
    prepare: impl AsyncFn(&mut World),
    kind: &str,
    spec: &Json,
    manifests: &str,
    cut: Option<Cut>,
    keeps_checkpoints: bool,
) -> (End, u32) {
    let mut end = None;
    world(async |mut w: World| {
        prepare(&mut w).await;
        // Checkpoints are of this task alone.
        w.recorder = Recorder::new();
        let mut task = w.task(kind, spec.clone(), w.source(manifests));
        w.gate.set(cut);
        let outcome = if cut.is_some() {
            tokio::select! {
                outcome = w.run(&task) => panic!("not killed at {cut:?}: {outcome:?}"),
                () = w.gate.cut() => {}
            }
            w.gate.set(None);
            task.attempt = 2;
            task.checkpoint = w.recorder.checkpoint().filter(|_| keeps_checkpoints);
            w.run(&task).await
        } else {
            w.run(&task).await
        };
        assert!(matches!(outcome, Outcome::Succeeded { .. }), "{cut:?}: {outcome:#?}\n{}", w.recorder.text());
        assert_eq!(w.lease(), None, "{cut:?}");
        end = Some(((w.state(), w.records()), w.gate.calls()));
    });
    end.unwrap()
}

fn killed_everywhere(prepare: impl AsyncFn(&mut World), kind: &str, spec: Json, manifests: &str) {
    killed(prepare, kind, spec, manifests, true);
}

fn killed(prepare: impl AsyncFn(&mut World), kind: &str, spec: Json, manifests: &str, keeps_checkpoints: bool) {
    let (expected, writes) = played(&prepare, kind, &spec, manifests, None, true);
    assert!(writes > 3, "{writes}");
    // The last write gives the lock back: after it the step is over.
    for cut in (1..writes).flat_map(|call| [Cut::Before(call), Cut::After(call)]) {
        let (end, _) = played(&prepare, kind, &spec, manifests, Some(cut), keeps_checkpoints);
        assert_eq!(end, expected, "{cut:?}");
    }
}

async fn two_releases(w: &mut World) {
    let v1 = format!("{}---\n{}", shop("1", 2, "a"), service("old"));
    w.good("K8sRollingDeploy", json!({}), &v1).await;
    w.next_stage();
}

#[test]
fn a_rolling_deployment() {
    let v2 = format!("{}---\n{}", shop("2", 3, "b"), service("new"));
    killed_everywhere(two_releases, "K8sRollingDeploy", json!({"pruningEnabled": true}), &v2);
}

#[test]
fn a_rolling_deployment_whose_checkpoints_were_lost() {
    let v2 = format!("{}---\n{}", shop("2", 3, "b"), service("new"));
    killed(two_releases, "K8sRollingDeploy", json!({"pruningEnabled": true}), &v2, false);
}

#[test]
fn a_canary() {
    let spec = json!({"instanceSelection": {"type": "Count", "spec": {"count": 2}}});
    killed_everywhere(two_releases, "K8sCanaryDeploy", spec, &shop("2", 2, "b"));
}

#[test]
fn the_deletion_of_a_canary() {
    let prepare = async |w: &mut World| {
        two_releases(w).await;
        let spec = json!({"instanceSelection": {"type": "Count", "spec": {"count": 2}}});
        w.good("K8sCanaryDeploy", spec, &shop("2", 2, "b")).await;
    };
    killed_everywhere(prepare, "K8sCanaryDelete", json!({}), "");
}

fn phase(percentage: u32) -> Json {
    json!({"canaryType": "Progressive", "targetPercentage": percentage})
}

#[test]
fn a_phase_of_a_progressive_canary() {
    killed_everywhere(two_releases, "K8sCanaryDeploy", phase(50), &shop("2", 2, "b"));
}

#[test]
fn the_last_phase_of_a_progressive_canary() {
    let prepare = async |w: &mut World| {
        two_releases(w).await;
        w.good("K8sCanaryDeploy", phase(50), &shop("2", 2, "b")).await;
    };
    killed_everywhere(prepare, "K8sCanaryDeploy", phase(100), &shop("2", 2, "b"));
}

#[test]
fn the_way_back_of_a_progressive_canary() {
    let prepare = async |w: &mut World| {
        two_releases(w).await;
        w.good("K8sCanaryDeploy", phase(100), &shop("2", 2, "b")).await;
    };
    killed_everywhere(prepare, "K8sProgressiveCanaryRollback", json!({}), "");
}

#[test]
fn a_rollback() {
    let prepare = async |w: &mut World| {
        two_releases(w).await;
        let v2 = format!("{}---\n{}", shop("2", 3, "b"), service("new"));
        w.good("K8sRollingDeploy", json!({"pruningEnabled": true}), &v2).await;
    };
    killed_everywhere(prepare, "K8sRollingRollback", json!({}), "");
}

#[test]
fn an_apply() {
    let v2 = format!("{}---\n{}", shop("2", 3, "b"), service("new"));
    killed_everywhere(two_releases, "K8sApply", json!({"filePaths": ["main.yaml"]}), &v2);
}

#[test]
fn a_swap_of_colors() {
    let prepare = async |w: &mut World| {
        w.good("K8sBlueGreenDeploy", json!({}), &shop("1", 2, "a")).await;
    };
    killed_everywhere(prepare, "K8sBGSwapServices", json!({}), "");
}

#[test]
fn a_color() {
    let prepare = async |w: &mut World| {
        w.good("K8sBlueGreenDeploy", json!({}), &shop("1", 2, "a")).await;
        w.good("K8sBGSwapServices", json!({}), "").await;
        w.next_stage();
    };
    killed_everywhere(prepare, "K8sBlueGreenDeploy", json!({}), &shop("2", 2, "b"));
}

#[test]
fn the_sleep_of_a_color() {
    let prepare = async |w: &mut World| {
        for tag in ["1", "2"] {
            w.good("K8sBlueGreenDeploy", json!({}), &shop(tag, 2, tag)).await;
            w.good("K8sBGSwapServices", json!({}), "").await;
            w.next_stage();
        }
    };
    killed_everywhere(prepare, "K8sBlueGreenStageScaleDown", json!({}), "");
}

#[test]
fn the_deletion_of_a_release() {
    let spec = json!({"deleteResources": {"type": "ReleaseName", "spec": {}}});
    killed_everywhere(two_releases, "K8sDelete", spec, "");
}
