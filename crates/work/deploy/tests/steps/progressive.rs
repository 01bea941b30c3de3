//! The progressive canary against a simulated cluster (kubernetes-deploy §2.6, §8).

use crate::support::manifests::{scaler, shop};
use crate::support::{World, text, world};
use serde_json::{Value as Json, json};
use windlass_model::Millis;
use windlass_model::task::Outcome;

fn phase(percentage: u32) -> Json {
    json!({"canaryType": "Progressive", "targetPercentage": percentage})
}

/// The shop with these limits of its rollouts.
fn paced(tag: &str, replicas: u32, surge: &str, unavailable: &str) -> String {
    let strategy = format!("  strategy: {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {unavailable}}}}}\n");
    shop(tag, replicas, tag).replace("  template:\n", &format!("{strategy}  template:\n"))
}

impl World {
    fn replicas(&self, name: &str) -> Option<u64> {
        self.get("apps/v1", "Deployment", name).and_then(|object| object["spec"]["replicas"].as_u64())
    }

    /// Wanted pods of all Deployments, and ready pods.
    fn totals(&self) -> (u64, u64) {
        let all = self.everything();
        let wanted =
            all.iter().filter(|o| text(o, "/kind") == "Deployment").filter_map(|o| o["spec"]["replicas"].as_u64());
        let pods = self.sim.cluster().everything().into_iter().filter(|(_, o)| {
            let is_ready = |c: &Json| text(c, "/type") == "Ready" && text(c, "/status") == "True";
            text(o, "/kind") == "Pod"
                && o.pointer("/metadata/deletionTimestamp").is_none()
                && o.pointer("/status/conditions").and_then(Json::as_array).is_some_and(|c| c.iter().any(is_ready))
        });
        (wanted.sum(), pods.count() as u64)
    }

    /// Runs a step and looks at the pods all the while: they stay within the bounds.
    async fn watched(&self, kind: &str, spec: Json, manifests: &str, (least, most): (u64, u64)) -> Json {
        let step = self.good(kind, spec, manifests);
        tokio::pin!(step);
        loop {
            tokio::select! {
                output = &mut step => return output,
                () = self.clock.sleep(Millis(100)) => {
                    let (wanted, ready) = self.totals();
                    assert!((least..=most).contains(&wanted), "{wanted} wanted\n{}", self.recorder.text());
                    assert!((least..=most).contains(&ready), "{ready} ready\n{}", self.recorder.text());
                }
            }
        }
    }
}

#[test]
fn phases_move_the_pods_and_the_last_one_takes_the_old_workload_away() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &paced("1", 4, "1", "0")).await;
        w.next_stage();
        let v2 = paced("2", 4, "1", "0");
        let output = w.good("K8sCanaryDeploy", phase(25), &v2).await;
        assert_eq!(output["canaryWorkload"], "shop/Deployment/web-v2");
        assert_eq!((w.replicas("web"), w.replicas("web-v2")), (Some(3), Some(1)));
        let new = w.deployment("web-v2");
        assert_eq!(text(&new, "/spec/template/spec/containers/0/envFrom/0/configMapRef/name"), "cfg-v2");
        assert_eq!(text(&new, "/spec/selector/matchLabels/windlass.io~1version"), "v2");
        w.good("K8sCanaryDeploy", phase(60), &v2).await;
        assert_eq!((w.replicas("web"), w.replicas("web-v2")), (Some(1), Some(3)));
        assert_eq!(w.records(), ["1 rolling succeeded", "2 progressive succeeded"]);
        w.good("K8sCanaryDeploy", phase(100), &v2).await;
        assert_eq!((w.replicas("web"), w.replicas("web-v2")), (None, Some(4)));
        assert_eq!(w.records(), ["1 rolling superseded", "2 progressive succeeded"]);
        // The next one takes over from there.
        w.next_stage();
        w.good("K8sCanaryDeploy", phase(100), &paced("3", 4, "1", "0")).await;
        assert_eq!((w.replicas("web-v2"), w.replicas("web-v3")), (None, Some(4)));
        assert_eq!(w.get("v1", "Service", "web").unwrap()["spec"]["selector"], json!({"app": "web"}));
    });
}

#[test]
fn the_number_of_pods_stays_within_surge_and_unavailability() {
    for (surge, unavailable, bounds) in
        [("1", "0", (6, 7)), ("50%", "0", (6, 9)), ("0", "2", (4, 6)), ("2", "1", (5, 8))]
    {
        world(async |mut w: World| {
            let v1 = paced("1", 6, surge, unavailable);
            w.good("K8sRollingDeploy", json!({}), &v1).await;
            w.next_stage();
            let v2 = paced("2", 6, surge, unavailable);
            for percentage in [10, 50, 100] {
                w.watched("K8sCanaryDeploy", phase(percentage), &v2, bounds).await;
            }
            w.watched("K8sProgressiveCanaryRollback", json!({}), "", bounds).await;
            assert_eq!((w.replicas("web"), w.replicas("web-v2")), (Some(6), None));
        });
    }
}

#[test]
fn the_way_back_leads_to_the_release_before_from_any_phase() {
    for percentages in [vec![25], vec![25, 50], vec![100]] {
        world(async |mut w: World| {
            w.good("K8sRollingDeploy", json!({}), &paced("1", 4, "1", "0")).await;
            let before = w.state();
            w.next_stage();
            for percentage in &percentages {
                w.good("K8sCanaryDeploy", phase(*percentage), &paced("2", 4, "1", "0")).await;
            }
            w.good("K8sProgressiveCanaryRollback", json!({}), "").await;
            assert_eq!(w.state(), before, "{percentages:?}");
            assert_eq!(w.records(), ["1 rolling succeeded", "2 progressive rolled-back"]);
            let again = w.step("K8sProgressiveCanaryRollback", json!({}), "").await;
            assert!(matches!(again, Outcome::Skipped { .. }), "{again:?}");
        });
    }
}

#[test]
fn a_bad_version_is_told_and_gives_its_pods_back() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &paced("1", 4, "1", "0")).await;
        let before = w.state();
        w.next_stage();
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:2"}, "imagePull": "denied"}]}));
        let outcome = w.step("K8sCanaryDeploy", phase(50), &paced("2", 4, "1", "0")).await;
        let Outcome::Failed { failure, .. } = outcome else { panic!("{outcome:?}") };
        assert!(failure.message.contains("acme/shop:2"), "{}", failure.message);
        assert_eq!(w.replicas("web"), Some(4), "nobody gave a pod for one that is not ready");
        // What a stage deletes at its end by itself knows the way too.
        w.good("K8sCanaryDelete", json!({}), "").await;
        assert_eq!(w.state(), before);
    });
}

#[test]
fn scalers_share_their_bounds_as_the_pods_are_shared() {
    world(async |mut w: World| {
        let with = |tag: &str| format!("{}---\n{}", paced(tag, 8, "2", "0"), scaler(8, 16));
        w.good("K8sRollingDeploy", json!({}), &with("1")).await;
        let before = w.state();
        w.next_stage();
        w.good("K8sCanaryDeploy", phase(25), &with("2")).await;
        let bounds = |w: &World, name: &str| {
            let spec = w.get("autoscaling/v2", "HorizontalPodAutoscaler", name)?["spec"].clone();
            Some((spec["minReplicas"].as_u64()?, spec["maxReplicas"].as_u64()?))
        };
        assert_eq!((bounds(&w, "web"), bounds(&w, "web-v2")), (Some((6, 12)), Some((2, 4))));
        w.good("K8sProgressiveCanaryRollback", json!({}), "").await;
        assert_eq!(w.state(), before);
        w.next_stage();
        w.good("K8sCanaryDeploy", phase(100), &with("3")).await;
        assert_eq!((bounds(&w, "web"), bounds(&w, "web-v3")), (None, Some((8, 16))));
    });
}

#[test]
fn the_first_deployment_has_nobody_to_take_over_from() {
    world(async |w: World| {
        w.good("K8sCanaryDeploy", phase(50), &paced("1", 4, "1", "0")).await;
        assert_eq!(w.replicas("web-v1"), Some(2));
        w.good("K8sCanaryDeploy", phase(100), &paced("1", 4, "1", "0")).await;
        assert_eq!((w.replicas("web-v1"), w.records()), (Some(4), vec!["1 progressive succeeded".to_owned()]));
    });
}

#[test]
fn what_no_phase_is_is_refused() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &paced("1", 4, "1", "0")).await;
        w.next_stage();
        let before = w.versions();
        for (percentage, wanted) in [(0, "from 1 to 100"), (101, "from 1 to 100")] {
            let outcome = w.step("K8sCanaryDeploy", phase(percentage), &paced("2", 4, "1", "0")).await;
            let Outcome::Failed { failure, .. } = outcome else { panic!("{outcome:?}") };
            assert!(failure.message.contains(wanted), "{}", failure.message);
        }
        assert_eq!(w.versions(), before);
        w.good("K8sCanaryDeploy", phase(50), &paced("2", 4, "1", "0")).await;
        let outcome = w.step("K8sCanaryDeploy", phase(25), &paced("2", 4, "1", "0")).await;
        let Outcome::Failed { failure, .. } = outcome else { panic!("{outcome:?}") };
        assert!(failure.message.contains("has reached 50 % already"), "{}", failure.message);
        assert_eq!(w.records(), ["1 rolling succeeded", "2 progressive succeeded"]);
    });
}
