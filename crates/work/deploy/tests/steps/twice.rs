//! Running any step twice in a row changes nothing: no object gets another resourceVersion (kubernetes-deploy §8).

use crate::support::manifests::{deployment, service, shop};
use crate::support::{World, world};
use serde_json::{Value as Json, json};
use windlass_model::task::Outcome;

fn good(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Succeeded { .. } | Outcome::Skipped { .. })
}

/// Prepares the cluster, runs a step, and runs it again as a new task of the same stage.
fn twice(prepare: impl AsyncFn(&mut World), kind: &str, spec: Json, manifests: &str) {
    world(async |mut w: World| {
        prepare(&mut w).await;
        let first = w.step(kind, spec.clone(), manifests).await;
        assert!(good(&first), "{first:#?}\n{}", w.recorder.text());
        let before = w.versions();
        let again = w.step(kind, spec, manifests).await;
        assert!(good(&again), "{again:#?}\n{}", w.recorder.text());
        assert_eq!(w.versions(), before, "{}", w.recorder.text());
    });
}

async fn released(w: &mut World) {
    let v1 = format!("{}---\n{}", shop("1", 4, "a"), service("old"));
    w.good("K8sRollingDeploy", json!({}), &v1).await;
    w.next_stage();
}

async fn failed(w: &mut World) {
    released(w).await;
    w.faults(json!({"pods": [{"on": {"image": "acme/shop:2"}, "imagePull": "denied"}]}));
    let v2 = format!("{}---\n{}", shop("2", 4, "b"), service("new"));
    let outcome = w.step("K8sRollingDeploy", json!({"pruningEnabled": true}), &v2).await;
    assert!(matches!(outcome, Outcome::Failed { .. }), "{outcome:?}");
}

fn half() -> Json {
    json!({"instanceSelection": {"type": "Percentage", "spec": {"percentage": 50}}})
}

#[test]
fn rolling_twice_writes_nothing() {
    // With numbers in the names of ConfigMaps each release has its own: that is the vendor's way, and no second run of the same.
    let plain = deployment("web", "2", 3).replace("        envFrom: [{configMapRef: {name: cfg}}]\n", "");
    let prune = json!({"pruningEnabled": true});
    twice(released, "K8sRollingDeploy", prune, &format!("{}---\n{plain}", service("web")));
}

#[test]
fn rolling_back_twice_writes_nothing() {
    twice(failed, "K8sRollingRollback", json!({"pruningEnabled": true}), "");
}

#[test]
fn a_canary_twice_writes_nothing() {
    twice(released, "K8sCanaryDeploy", half(), &shop("2", 4, "b"));
}

#[test]
fn deleting_a_canary_twice_writes_nothing() {
    let prepare = async |w: &mut World| {
        released(w).await;
        w.good("K8sCanaryDeploy", half(), &shop("2", 4, "b")).await;
    };
    twice(prepare, "K8sCanaryDelete", json!({}), "");
}

#[test]
fn a_phase_of_a_progressive_canary_twice_writes_nothing() {
    for percentage in [50, 100] {
        let spec = json!({"canaryType": "Progressive", "targetPercentage": percentage});
        twice(released, "K8sCanaryDeploy", spec, &shop("2", 4, "b"));
    }
}

#[test]
fn a_color_twice_writes_nothing() {
    twice(async |_: &mut World| {}, "K8sBlueGreenDeploy", json!({}), &shop("1", 2, "a"));
    let prepare = async |w: &mut World| {
        w.good("K8sBlueGreenDeploy", json!({}), &shop("1", 2, "a")).await;
        w.good("K8sBGSwapServices", json!({}), "").await;
        w.next_stage();
    };
    twice(prepare, "K8sBlueGreenDeploy", json!({"pruningEnabled": true}), &shop("2", 2, "b"));
}

/// Two swaps are two swaps; what is repeated here is one of them, whose answer was lost.
#[test]
fn a_swap_whose_answer_was_lost_does_not_swap_back() {
    world(async |w: World| {
        w.good("K8sBlueGreenDeploy", json!({}), &shop("1", 2, "a")).await;
        let mut task = w.task("K8sBGSwapServices", json!({}), w.source(""));
        assert!(good(&w.run(&task).await), "{}", w.recorder.text());
        let before = w.versions();
        task.attempt = 2;
        assert!(good(&w.run(&task).await), "{}", w.recorder.text());
        assert_eq!(w.versions(), before);
    });
}

#[test]
fn sending_a_color_to_sleep_twice_writes_nothing() {
    let prepare = async |w: &mut World| {
        for tag in ["1", "2"] {
            w.good("K8sBlueGreenDeploy", json!({}), &shop(tag, 2, tag)).await;
            w.good("K8sBGSwapServices", json!({}), "").await;
            w.next_stage();
        }
    };
    twice(prepare, "K8sBlueGreenStageScaleDown", json!({}), "");
}

#[test]
fn scaling_twice_writes_nothing() {
    let count = json!({"workload": "Deployment/web", "instanceSelection": {"type": "Count", "spec": {"count": 2}}});
    twice(released, "K8sScale", count, "");
}

#[test]
fn deleting_twice_writes_nothing() {
    for selected in [
        json!({"type": "ResourceName", "spec": {"resourceNames": ["Service/web"]}}),
        json!({"type": "ManifestPath", "spec": {"allManifestPaths": true}}),
        json!({"type": "ReleaseName", "spec": {}}),
    ] {
        twice(released, "K8sDelete", json!({"deleteResources": selected}), &shop("1", 4, "a"));
    }
}

#[test]
fn pausing_and_resuming_twice_writes_nothing() {
    for command in ["pause", "resume", "status", "history"] {
        let spec = json!({"command": command, "resources": {"type": "ReleaseName", "spec": {}}});
        twice(released, "K8sRollout", spec, "");
    }
}

#[test]
fn what_only_looks_writes_nothing() {
    for kind in ["K8sDryRun", "K8sDiff", "SteadyStateCheck"] {
        world(async |mut w: World| {
            released(&mut w).await;
            let before = (w.versions(), w.records());
            for _ in 0..2 {
                w.good(kind, json!({}), &shop("2", 3, "b")).await;
                assert_eq!((w.versions(), w.records()), before, "{kind}");
            }
        });
    }
}
