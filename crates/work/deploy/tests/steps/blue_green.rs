//! Blue/green against a simulated cluster (kubernetes-deploy §2.7, §8).

use crate::support::manifests::{config_map, shop};
use crate::support::{World, text, world};
use serde_json::{Value as Json, json};
use windlass_model::task::Outcome;

impl World {
    fn selector(&self, service: &str) -> Json {
        self.get("v1", "Service", service).unwrap()["spec"]["selector"].clone()
    }

    fn color(&self, service: &str) -> String {
        text(&self.selector(service), "/harness.io~1color").to_owned()
    }
}

#[test]
fn colors_take_turns() {
    world(async |mut w: World| {
        for (tag, stage, primary) in [("1", "blue", "green"), ("2", "green", "blue"), ("3", "blue", "green")] {
            let output = w.good("K8sBlueGreenDeploy", json!({}), &shop(tag, 2, tag)).await;
            assert_eq!((output["stageColor"].as_str(), output["primaryColor"].as_str()), (Some(stage), Some(primary)));
            assert_eq!(
                (output["primaryServiceName"].as_str(), output["stageServiceName"].as_str()),
                (Some("web"), Some("web-stage"))
            );
            assert_eq!((w.color("web"), w.color("web-stage")), (primary.to_owned(), stage.to_owned()));
            let workload = w.deployment(&format!("web-{stage}"));
            assert_eq!(
                text(&workload, "/spec/template/spec/containers/0/envFrom/0/configMapRef/name"),
                format!("cfg-{stage}")
            );
            w.good("K8sBGSwapServices", json!({}), "").await;
            assert_eq!((w.color("web"), w.color("web-stage")), (stage.to_owned(), primary.to_owned()));
            w.next_stage();
        }
        assert_eq!(w.image("web-blue"), "acme/shop:3");
        assert_eq!(w.image("web-green"), "acme/shop:2");
    });
}

/// A stage as people wrote it ends with a color that is never swapped; the next one fails before it leaves a record.
#[test]
fn a_color_without_traffic_does_not_take_the_plain_release_s_place() {
    world(async |mut w: World| {
        w.rolling(&shop("1", 2, "a")).await;
        w.good("K8sBlueGreenDeploy", json!({}), &shop("1", 2, "a")).await;
        w.next_stage();
        let kind = w.sim.cluster().kind_of("apps/v1", "Deployment").unwrap();
        let mut broken = w.deployment("web");
        broken["spec"]["template"]["spec"]["containers"][0]["image"] = "acme/shop:2".into();
        w.sim.cluster().update(&kind, broken, "somebody").unwrap();
        w.good("K8sRollingRollback", json!({}), "").await;
        assert_eq!(w.image("web"), "acme/shop:1");
    });
}

#[test]
fn swapping_twice_is_as_before_and_a_rollback_swaps_back_once() {
    world(async |mut w: World| {
        w.good("K8sBlueGreenDeploy", json!({}), &shop("1", 1, "a")).await;
        w.good("K8sBGSwapServices", json!({}), "").await;
        w.next_stage();
        w.good("K8sBlueGreenDeploy", json!({}), &shop("2", 1, "b")).await;
        let before = w.state();
        w.good("K8sBGSwapServices", json!({}), "").await;
        w.good("K8sBGSwapServices", json!({}), "").await;
        assert_eq!(w.state(), before);
        w.good("K8sBGSwapServices", json!({}), "").await;
        assert_eq!(w.color("web"), "green");
        let mut back = w.task("K8sBGSwapServices", json!({}), w.source(""));
        back.origin.step = "execution.rollbackSteps.back".into();
        assert!(matches!(w.run(&back).await, Outcome::Succeeded { .. }));
        assert_eq!(w.state(), before);
        let mut again = w.task("K8sBGSwapServices", json!({}), w.source(""));
        again.origin.step = "execution.rollbackSteps.back".into();
        assert!(matches!(w.run(&again).await, Outcome::Skipped { .. }));
    });
}

#[test]
fn an_adopted_service_serves_its_old_pods_until_the_swap() {
    world(async |w: World| {
        w.good("K8sApply", json!({"filePaths": ["main.yaml"]}), &shop("1", 2, "a")).await;
        w.good("K8sBlueGreenDeploy", json!({}), &shop("2", 2, "b")).await;
        assert_eq!(w.selector("web"), json!({"app": "web"}), "no gap");
        w.good("K8sBGSwapServices", json!({}), "").await;
        assert_eq!(w.color("web"), "blue");
        let mut back = w.task("K8sBGSwapServices", json!({}), w.source(""));
        back.origin.step = "execution.rollbackSteps.back".into();
        w.run(&back).await;
        assert_eq!(w.selector("web"), json!({"app": "web"}));
    });
}

#[test]
fn the_color_without_traffic_sleeps_and_wakes_for_the_way_back() {
    world(async |mut w: World| {
        w.good("K8sBlueGreenDeploy", json!({}), &shop("1", 2, "a")).await;
        w.good("K8sBGSwapServices", json!({}), "").await;
        w.next_stage();
        w.good("K8sBlueGreenDeploy", json!({}), &shop("2", 3, "b")).await;
        w.good("K8sBGSwapServices", json!({}), "").await;
        let output = w.good("K8sBlueGreenStageScaleDown", json!({}), "").await;
        assert_eq!(output["color"], "blue");
        assert_eq!(w.deployment("web-blue")["spec"]["replicas"], 0);
        assert_eq!(w.deployment("web-green")["spec"]["replicas"], 3);
        let mut back = w.task("K8sBGSwapServices", json!({}), w.source(""));
        back.origin.step = "execution.rollbackSteps.back".into();
        assert!(matches!(w.run(&back).await, Outcome::Succeeded { .. }));
        assert_eq!(w.deployment("web-blue")["spec"]["replicas"], 2);
        assert_eq!(w.color("web"), "blue");
    });
}

#[test]
fn the_same_manifests_are_not_deployed_again() {
    world(async |mut w: World| {
        w.good("K8sBlueGreenDeploy", json!({}), &shop("1", 1, "a")).await;
        w.good("K8sBGSwapServices", json!({}), "").await;
        w.next_stage();
        let before = w.versions();
        let spec = json!({"skipDeploymentIfSameManifest": true});
        let output = w.good("K8sBlueGreenDeploy", spec, &shop("1", 1, "a")).await;
        assert_eq!(output["skipped"], true);
        let swap = w.step("K8sBGSwapServices", json!({}), "").await;
        assert!(matches!(swap, Outcome::Skipped { .. }), "{swap:?}");
        assert_eq!(w.versions(), before);
    });
}

#[test]
fn the_vendor_s_example_of_pruning() {
    world(async |mut w: World| {
        // Releases abc, abd, abe, abe: c goes with the third, d with the fourth.
        let mut seen = Vec::new();
        for letters in ["abc", "abd", "abe", "abe"] {
            let mut manifests = shop("1", 1, "x");
            for letter in letters.chars() {
                let map = config_map(&letter.to_string(), "v")
                    .replace("{name: ", "{annotations: {harness.io/skip-versioning: \"true\"}, name: ");
                manifests.push_str(&format!("---\n{map}"));
            }
            w.good("K8sBlueGreenDeploy", json!({"pruningEnabled": true}), &manifests).await;
            w.good("K8sBGSwapServices", json!({}), "").await;
            w.next_stage();
            let there = |letter: &&str| w.get("v1", "ConfigMap", letter).is_some();
            seen.push(["a", "b", "c", "d", "e"].into_iter().filter(there).collect::<String>());
        }
        assert_eq!(seen, ["abc", "abcd", "abde", "abe"]);
    });
}
