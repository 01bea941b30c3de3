//! K8sRollingDeploy and K8sRollingRollback against a simulated cluster (kubernetes-deploy §8).

use crate::support::manifests::{config_map, deployment, scaler, service, shop};
use crate::support::{World, text, world};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use windlass_model::failure::{Failure, FailureType};
use windlass_model::task::Outcome;
use windlass_model::task::kubernetes::OnFirstFailure;
use windlass_model::task::source::ConfigVersioning;
use windlass_model::{Millis, Timestamp};
use windlass_task::{Handler, TaskContext};

fn failed(outcome: Outcome) -> (Failure, Json) {
    match outcome {
        Outcome::Failed { failure, output } => (failure, output),
        other => panic!("{other:#?}"),
    }
}

#[test]
fn the_first_release_is_deployed_and_recorded() {
    world(async |w: World| {
        let output = w.good("K8sRollingDeploy", json!({}), &shop("1", 2, "a")).await;
        assert_eq!(output["releaseNumber"], 1);
        assert_eq!(output["instances"].as_array().unwrap().len(), 2, "{output:#}");
        assert_eq!(output["workloads"][0]["revision"], "1");
        assert_eq!(w.names(), ["ConfigMap/cfg-1", "Deployment/web", "Secret/windlass.release.shop.v1", "Service/web"]);
        let live = w.deployment("web");
        assert_eq!(text(&live, "/spec/template/spec/containers/0/envFrom/0/configMapRef/name"), "cfg-1");
        assert_eq!(
            live["spec"]["template"]["metadata"]["labels"],
            json!({"app": "web", "harness.io/release-name": "shop"})
        );
        assert_eq!(live["metadata"]["labels"]["windlass.io/release"], "shop");
        assert_eq!(live["spec"]["selector"]["matchLabels"], json!({"app": "web"}));
        assert_eq!(w.records(), ["1 rolling succeeded"]);
        let meta = &w.metas()[0];
        assert!(meta["resources"].as_array().unwrap().iter().all(|r| r["uid"].is_string()), "{meta:#}");
        assert_eq!(w.lease(), None, "the lock was given back");
        insta::assert_snapshot!(w.recorder.text(), @r"
        == Fetch Files
        main: 1 files from the file store
        == Initialize
        3 objects
          shop/ConfigMap/cfg
          shop/Service/web
          shop/Deployment/web
        == Prepare
        ConfigMap                cfg-1                                    versioned
        Service                  web
        Deployment               web
        Current release number: 1
        No previous successful release
        Managed workloads: shop/Deployment/web
        Dry run: 3 to create, 0 to change, 0 unchanged
        Release 1 is recorded
        == Apply
        created shop/ConfigMap/cfg-1
        created shop/Service/web
        created shop/Deployment/web
        == Wait for Steady State
        shop/Deployment/web: ready
        == Wrap Up
        Release 1 of shop is complete
        ");
    });
}

#[test]
fn a_bad_image_is_told_early_and_the_rollback_is_byte_identical() {
    world(async |mut w: World| {
        let v1 = format!(
            "{}---\n{}",
            shop("1", 2, "a"),
            config_map("old", "x")
                .replace("{name: old}", "{name: old, annotations: {harness.io/skip-versioning: \"true\"}}")
        );
        w.good("K8sRollingDeploy", json!({}), &v1).await;
        let before = w.state();
        w.next_stage();
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:broken"}, "imagePull": "manifest unknown"}]}));
        let v2 = format!("{}---\n{}", shop("broken", 3, "b"), service("extra"));
        let began = w.clock.now();
        let (failure, output) = failed(w.step("K8sRollingDeploy", json!({"pruningEnabled": true}), &v2).await);
        assert!(w.clock.now().since(began) < Millis::from_secs(90), "{}", w.clock.now().since(began));
        assert!(failure.types.contains(&FailureType::ConfigurationFailure));
        assert!(
            failure.message.contains("acme/shop:broken") && failure.message.contains("ImagePull"),
            "{}",
            failure.message
        );
        assert!(!output["failure"]["events"].as_array().unwrap().is_empty(), "{output:#}");
        assert_eq!(w.records(), ["1 rolling succeeded", "2 rolling failed"]);
        let output = w.good("K8sRollingRollback", json!({}), &v2).await;
        assert_eq!((output["restoredRelease"].as_u64(), output["releaseNumber"].as_u64()), (Some(1), Some(3)));
        assert_eq!(w.state(), before);
        assert_eq!(w.records(), ["1 rolling superseded", "2 rolling rolled-back", "3 rollback succeeded"]);
        // Twice is the same as once.
        let versions = w.versions();
        assert!(matches!(w.step("K8sRollingRollback", json!({}), &v2).await, Outcome::Skipped { .. }));
        assert_eq!(w.versions(), versions);
    });
}

#[test]
fn a_worker_s_wrong_clock_changes_no_patience() {
    for (hours, signed) in [(3, "ahead"), (-3, "behind")] {
        world(async |mut w: World| {
            w.clock = windlass_clock::Clock::simulated(Timestamp::from_secs(w.clock.now().secs() + hours * 3_600));
            w.faults(json!({"pods": [{"on": {"image": "acme/shop:broken"}, "imagePull": "manifest unknown"}]}));
            let began = w.clock.now();
            let (failure, _) = failed(w.step("K8sRollingDeploy", json!({}), &shop("broken", 1, "a")).await);
            let waited = w.clock.now().since(began).secs();
            assert!((60..90).contains(&waited), "a clock that is {signed}: {waited} s, {}", failure.message);
            assert!(failure.message.contains("acme/shop:broken"), "{}", failure.message);
        });
    }
}

#[test]
fn what_a_failed_release_pruned_comes_back() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        let v1 = format!("{}---\n{}", shop("1", 1, "a"), config_map("old", "x"));
        w.good("K8sRollingDeploy", json!({}), &v1).await;
        let before = w.state();
        w.next_stage();
        let v2 = format!("{}---\n{}", shop("2", 1, "a"), service("extra"));
        let output = w.good("K8sRollingDeploy", json!({"pruningEnabled": true}), &v2).await;
        assert_eq!(output["prunedResources"], json!(["shop/ConfigMap/old"]));
        assert_eq!(w.get("v1", "ConfigMap", "old"), None);
        assert!(w.get("v1", "Service", "extra").is_some());
        // A later step of the stage failed: the stage goes back.
        w.good("K8sRollingRollback", json!({}), &v2).await;
        assert_eq!(w.state(), before);
        assert_eq!(w.get("v1", "Service", "extra"), None);
    });
}

#[test]
fn a_successful_release_is_rolled_back_later() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 1, "a")).await;
        let before = w.state();
        w.next_stage();
        w.good("K8sRollingDeploy", json!({}), &shop("2", 1, "b")).await;
        w.next_stage();
        w.good("K8sRollingRollback", json!({"ofStageExecution": "stage_2"}), &shop("2", 1, "b")).await;
        assert_eq!(w.state(), before);
        // The next release finds the right number and the right one to return to.
        w.next_stage();
        let output = w.good("K8sRollingDeploy", json!({}), &shop("3", 1, "c")).await;
        assert_eq!((output["releaseNumber"].as_u64(), output["previousSuccessful"].as_u64()), (Some(4), Some(3)));
        // Once is enough.
        let again = w.step("K8sRollingRollback", json!({"ofStageExecution": "stage_2"}), "").await;
        assert!(matches!(again, Outcome::Skipped { .. }), "{again:?}");
    });
}

#[test]
fn the_first_release_fails_and_there_is_nothing_to_return_to() {
    for (what, names) in [
        (
            OnFirstFailure::Keep,
            vec!["ConfigMap/cfg-1", "Deployment/web", "Secret/windlass.release.shop.v1", "Service/web"],
        ),
        (OnFirstFailure::Delete, vec!["Secret/windlass.release.shop.v1"]),
    ] {
        world(async |mut w: World| {
            w.settings.on_first_failure = what;
            w.faults(json!({"pods": [{"on": {"image": "acme/shop:*"}, "imagePull": "denied"}]}));
            failed(w.rolling(&shop("1", 1, "a")).await);
            let outcome = w.step("K8sRollingRollback", json!({}), "").await;
            assert_eq!(matches!(outcome, Outcome::Skipped { .. }), what == OnFirstFailure::Keep, "{outcome:?}");
            assert_eq!(w.names(), names);
        });
    }
}

#[test]
fn a_rollback_without_a_release_is_a_success() {
    world(async |w: World| {
        let outcome = w.step("K8sRollingRollback", json!({}), "").await;
        assert!(matches!(outcome, Outcome::Skipped { .. }), "{outcome:?}");
    });
}

#[test]
fn deploying_the_same_again_writes_nothing() {
    for versioning in [ConfigVersioning::Hash, ConfigVersioning::None] {
        world(async |mut w: World| {
            w.versioning = Some(versioning);
            w.good("K8sRollingDeploy", json!({}), &shop("1", 2, "a")).await;
            let before = w.versions();
            w.next_stage();
            let output = w.good("K8sRollingDeploy", json!({}), &shop("1", 2, "a")).await;
            assert_eq!(output["releaseNumber"], 2);
            assert_eq!(w.versions(), before);
            // A changed ConfigMap reaches the pods.
            w.good("K8sRollingDeploy", json!({}), &shop("1", 2, "b")).await;
            assert_eq!(w.deployment("web")["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "2");
        });
    }
}

#[test]
fn what_a_scaler_decided_stays() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        let with_scaler = |tag: &str| format!("{}---\n{}", shop(tag, 2, "a"), scaler(2, 10));
        // First without a scaler: the number of pods is ours.
        w.good("K8sRollingDeploy", json!({}), &shop("1", 2, "a")).await;
        w.good("K8sRollingDeploy", json!({}), &with_scaler("1")).await;
        let deployments = w.sim.cluster().kind_of("apps/v1", "Deployment").unwrap();
        w.sim
            .cluster()
            .modify(&deployments, "shop", "web", "", "hpa", |object| object["spec"]["replicas"] = 7.into())
            .unwrap();
        w.clock.sleep(Millis::from_secs(5)).await;
        for tag in ["2", "3"] {
            w.next_stage();
            w.good("K8sRollingDeploy", json!({}), &with_scaler(tag)).await;
            assert_eq!(w.deployment("web")["spec"]["replicas"], 7, "{tag}");
        }
        let before = w.versions();
        w.good("K8sRollingDeploy", json!({}), &with_scaler("3")).await;
        assert_eq!(w.versions(), before);
    });
}

#[test]
fn objects_of_kubectl_are_taken_over() {
    world(async |w: World| {
        let by_kubectl = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"selector": {"app": "web", "old": "yes"}, "ports": [{"port": 80}]}});
        let services = w.sim.cluster().kind_of("v1", "Service").unwrap();
        w.sim.cluster().create(&services, by_kubectl, "kubectl-client-side-apply").unwrap();
        w.good("K8sRollingDeploy", json!({}), &shop("1", 1, "a")).await;
        let live = w.get("v1", "Service", "web").unwrap();
        assert_eq!(live["spec"]["selector"], json!({"app": "web"}), "what left the manifests left the cluster");
    });
}

#[test]
fn whoever_stops_a_step_is_told_what_was_done() {
    world(async |w: World| {
        w.faults(json!({"pods": [{"on": {"image": "*"}, "slowStart": "2h"}]}));
        let cancel = CancellationToken::new();
        let cx = TaskContext::new(Arc::new(w.recorder.clone()), w.clock, cancel.clone(), "/nowhere".into());
        let task = w.task("K8sRollingDeploy", json!({}), w.source(&shop("1", 1, "a")));
        let handler = w.handler();
        let stopping = async {
            w.clock.sleep(Millis::from_secs(60)).await;
            cancel.cancel();
            w.clock.now()
        };
        let (outcome, stopped) = tokio::join!(handler.run(&cx, &task), stopping);
        assert!(w.clock.now().since(stopped) < Millis::from_secs(10));
        let Outcome::Aborted { done } = outcome else { panic!("{outcome:?}") };
        assert!(done.contains("created shop/Deployment/web"), "{done}");
        assert_eq!(w.records(), ["1 rolling failed"]);
        assert_eq!(w.lease(), None);
    });
}

#[test]
fn the_time_of_a_step_ends_with_a_reason() {
    world(async |w: World| {
        w.faults(json!({"pods": [{"on": {"image": "*"}, "slowStart": "2h"}]}));
        let mut task = w.task("K8sRollingDeploy", json!({}), w.source(&shop("1", 1, "a")));
        task.deadline = Timestamp::from_micros(w.clock.now().micros() + 120_000_000);
        let (failure, _) = failed(w.run(&task).await);
        assert!(failure.types.contains(&FailureType::Timeout));
        assert!(failure.message.contains("0 of 1 new pods are available"), "{}", failure.message);
        assert_eq!(w.records(), ["1 rolling failed"]);
    });
}

#[test]
fn what_the_server_refuses_changes_nothing() {
    world(async |w: World| {
        let bad =
            shop("1", 1, "a").replace("selector: {matchLabels: {app: web}}", "selector: {matchLabels: {app: other}}");
        let (failure, _) = failed(w.rolling(&bad).await);
        assert!(failure.types.contains(&FailureType::ConfigurationFailure));
        assert!(failure.message.starts_with("the dry run was refused"), "{}", failure.message);
        assert_eq!(w.names(), Vec::<String>::new());
    });
}

#[test]
fn the_namespace_may_be_part_of_the_manifests() {
    world(async |mut w: World| {
        w.namespace = "fresh".into();
        let (failure, _) = failed(w.rolling(&config_map("cfg", "a")).await);
        assert!(failure.message.contains("the namespace `fresh`") && !failure.hints.is_empty(), "{failure:?}");
        let namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: fresh}\n";
        w.good("K8sRollingDeploy", json!({}), &format!("{}---\n{namespace}", config_map("cfg", "a"))).await;
    });
}

#[test]
fn a_release_of_configuration_alone_is_legal() {
    world(async |w: World| {
        w.good("K8sRollingDeploy", json!({}), &config_map("cfg", "a")).await;
        assert_eq!(w.records(), ["1 rolling succeeded"]);
    });
}

#[test]
fn a_lost_worker_s_record_counts_as_failed() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 1, "a")).await;
        w.next_stage();
        w.gate.set(Some(crate::support::gate::Cut::After(4)));
        let task = w.task("K8sRollingDeploy", json!({}), w.source(&shop("2", 1, "b")));
        tokio::select! {
            outcome = w.run(&task) => panic!("{outcome:?}"),
            () = w.gate.cut() => {}
        }
        w.gate.set(None);
        w.next_stage();
        // Another run: it waits until the lock of the dead one expires.
        let output = w.good("K8sRollingDeploy", json!({}), &shop("3", 1, "c")).await;
        assert_eq!(output["previousSuccessful"], 1);
        assert_eq!(w.records(), ["1 rolling superseded", "2 rolling failed", "3 rolling succeeded"]);
        assert_eq!(w.image("web"), "acme/shop:3");
    });
}

#[test]
fn two_workloads_are_waited_for_together() {
    world(async |w: World| {
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:slow"}, "slowStart": "40s"}]}));
        let other = deployment("api", "slow", 1).replace("app: web", "app: api");
        let output = w.good("K8sRollingDeploy", json!({}), &format!("{}---\n{other}", shop("1", 1, "a"))).await;
        assert_eq!(output["workloads"].as_array().unwrap().len(), 2);
        assert!(w.recorder.text().contains("Deployment/api: 0 of 1 new pods are available"), "{}", w.recorder.text());
    });
}

#[test]
fn two_releases_at_once_follow_each_other() {
    world(async |mut w: World| {
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:1"}, "slowStart": "50s"}]}));
        let first = w.task("K8sRollingDeploy", json!({}), w.source(&shop("1", 1, "a")));
        w.next_stage();
        let second = w.task("K8sRollingDeploy", json!({}), w.source(&shop("2", 1, "b")));
        let later = async {
            w.clock.sleep(Millis::from_secs(5)).await;
            w.run(&second).await
        };
        let (one, two) = tokio::join!(w.run(&first), later);
        for outcome in [one, two] {
            assert!(matches!(outcome, Outcome::Succeeded { .. }), "{outcome:?}");
        }
        assert_eq!(w.records(), ["1 rolling superseded", "2 rolling succeeded"]);
        assert_eq!(w.image("web"), "acme/shop:2");
        assert!(w.recorder.text().contains("Release shop is being changed by"), "{}", w.recorder.text());
    });
}

#[test]
fn the_vendor_s_numbers_go_on() {
    world(async |w: World| {
        let secrets = w.sim.cluster().kind_of("v1", "Secret").unwrap();
        for name in ["harness.release.shop.41", "harness.release.shop.7", "harness.release.other.99"] {
            w.sim
                .cluster()
                .create(&secrets, json!({"metadata": {"name": name, "namespace": "shop"}}), "vendor")
                .unwrap();
        }
        let output = w.good("K8sRollingDeploy", json!({}), &shop("1", 1, "a")).await;
        assert_eq!(output["releaseNumber"], 42);
    });
}

#[test]
fn a_large_release_is_kept_in_several_secrets() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        // Text that does not shrink.
        let noise = |seed: u64| -> String {
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            let mut next = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                format!("{state:016x}")
            };
            (0..20_000).map(|_| next()).collect()
        };
        let large = |seed| {
            format!(
                "{}---\n{}---\n{}",
                config_map("one", &noise(seed)),
                config_map("two", &noise(seed + 7)),
                config_map("three", &noise(seed + 9))
            )
        };
        w.good(
            "K8sRollingDeploy",
            json!({"skipDryRun": true}),
            &large(1).replace("{name: three}", "{name: three, labels: {a: b}}"),
        )
        .await;
        let count =
            |w: &World| w.names().iter().filter(|name| name.starts_with("Secret/windlass.release.shop.v")).count();
        let parts = count(&w);
        let before = w.state();
        w.next_stage();
        w.good("K8sRollingDeploy", json!({}), &large(2)).await;
        w.good("K8sRollingRollback", json!({}), "").await;
        assert_eq!(w.state(), before, "what was taken apart is whole again");
        assert!(parts > 0 && count(&w) >= parts * 3, "{parts}");
        let release = json!({"deleteResources": {"type": "ReleaseName", "spec": {}}});
        w.good("K8sDelete", release, "").await;
        assert_eq!(w.names(), Vec::<String>::new());
    });
}

#[test]
fn whoever_loses_the_lock_stops_and_leaves_the_record_to_the_next_one() {
    world(async |w: World| {
        w.faults(json!({"pods": [{"on": {"image": "*"}, "slowStart": "2h"}]}));
        let task = w.task("K8sRollingDeploy", json!({}), w.source(&shop("1", 1, "a")));
        let mut second = task.clone();
        second.attempt = 2;
        let taking = async {
            w.clock.sleep(Millis::from_secs(30)).await;
            w.faults(json!({}));
            w.run(&second).await
        };
        let (first, second) = tokio::join!(w.run(&task), taking);
        let (failure, _) = failed(first);
        assert!(failure.types.contains(&FailureType::DelegateRestart), "{failure:?}");
        // The other attempt goes on with the same record, and waits until its time is up.
        let (failure, _) = failed(second);
        assert!(failure.types.contains(&FailureType::Timeout), "{failure:?}");
        assert_eq!(w.records(), ["1 rolling failed"]);
    });
}
