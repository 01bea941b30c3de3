//! Rules that hold for several steps: annotations, settings, scalers, what is refused (kubernetes-deploy §1.6, §1.8, §1.9, §2.2, §2.8).

use crate::support::manifests::{config_map, deployment, scaler, service, shop};
use crate::support::{World, text, world};
use serde_json::{Value as Json, json};
use windlass_model::failure::{Failure, FailureType};
use windlass_model::task::Outcome;
use windlass_model::task::kubernetes::{KubernetesStep, OnFirstFailure};
use windlass_model::task::source::{ConfigVersioning, ManifestKind, ManifestSource, Store, StoredFile};
use windlass_model::task::{Task, Work};
use windlass_model::{Millis, Timestamp};

fn failure(outcome: Outcome) -> Failure {
    match outcome {
        Outcome::Failed { failure, .. } => failure,
        other => panic!("{other:#?}"),
    }
}

fn count(count: u32, adjust: bool) -> Json {
    json!({"workload": "Deployment/web", "adjustHpa": adjust, "instanceSelection": {"type": "Count", "spec": {"count": count}}})
}

fn widgets() -> Json {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.shop.example"},
        "spec": {"group": "shop.example", "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})
}

fn widget(annotations: &Json) -> String {
    json!({"apiVersion": "shop.example/v1", "kind": "Widget", "metadata": {"name": "a", "annotations": annotations},
        "spec": {"size": 3}})
    .to_string()
}

/// §2.8: a scaler is told, and its bounds move when the step says so.
#[test]
fn adjust_hpa_moves_the_bounds_of_the_scaler() {
    world(async |w: World| {
        let manifests = format!("{}---\n{}", shop("1", 2, "a"), scaler(2, 5));
        w.good("K8sRollingDeploy", json!({}), &manifests).await;
        let bounds = || {
            let spec = w.get("autoscaling/v2", "HorizontalPodAutoscaler", "web").unwrap()["spec"].clone();
            (spec["minReplicas"].as_u64().unwrap(), spec["maxReplicas"].as_u64().unwrap())
        };
        let output = w.good("K8sScale", count(3, false), "").await;
        assert_eq!(output["scaler"], "shop/HorizontalPodAutoscaler/web");
        assert!(w.recorder.text().contains("may change it again"), "{}", w.recorder.text());
        assert_eq!(bounds(), (2, 5));
        w.good("K8sScale", count(4, true), "").await;
        assert_eq!(bounds(), (4, 5), "the upper bound is high enough");
        w.good("K8sScale", count(7, true), "").await;
        assert_eq!(bounds(), (7, 7));
        w.good("K8sScale", count(0, true), "").await;
        assert_eq!((bounds(), w.deployment("web")["spec"]["replicas"].as_u64()), ((7, 7), Some(0)));
    });
}

/// §2.8: a DaemonSet is waited for like the others, and has no number of pods.
#[test]
fn a_daemon_set_is_deployed_and_cannot_be_scaled() {
    world(async |w: World| {
        w.sim.add(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-a"}})).unwrap();
        let daemon = deployment("web", "1", 1)
            .replace("kind: Deployment", "kind: DaemonSet")
            .replace("  replicas: 1\n", "")
            .replace("        envFrom: [{configMapRef: {name: cfg}}]\n", "");
        let output = w.good("K8sRollingDeploy", json!({}), &daemon).await;
        assert!(!output["instances"].as_array().unwrap().is_empty(), "{output:#}");
        let spec = json!({"workload": "DaemonSet/web", "instanceSelection": {"type": "Count", "spec": {"count": 1}}});
        let refused = failure(w.step("K8sScale", spec, "").await);
        assert!(refused.message.contains("no number of pods") && refused.hints[0].contains("DaemonSet"), "{refused:?}");
        let restart = json!({"command": "restart", "resources": {"type": "ResourceName", "spec": {"resourceNames": ["DaemonSet/web"]}}});
        w.good("K8sRollout", restart, "").await;
    });
}

/// §1.6.3: a namespace in a manifest wins, unless the setting forbids it.
#[test]
fn another_namespace_is_refused_where_it_is_enforced() {
    world(async |mut w: World| {
        w.sim.add(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}})).unwrap();
        let elsewhere = config_map("cfg", "x").replace("{name: cfg}", "{name: cfg, namespace: other}");
        w.settings.enforce_namespace = true;
        for kind in ["K8sRollingDeploy", "K8sApply", "K8sCanaryDeploy", "K8sBlueGreenDeploy"] {
            let spec = match kind {
                "K8sApply" => json!({"filePaths": ["main.yaml"]}),
                "K8sCanaryDeploy" => json!({"instanceSelection": {"type": "Count", "spec": {"count": 1}}}),
                _ => json!({}),
            };
            let manifests =
                format!("{elsewhere}---\n{}", shop("1", 1, "a").replace("name: cfg}\ndata", "name: c2}\ndata"));
            let refused = failure(w.step(kind, spec, &manifests).await);
            assert!(refused.types.contains(&FailureType::ConfigurationFailure), "{kind}: {refused:?}");
            assert!(refused.message.contains("other") && refused.message.contains("shop"), "{kind}: {refused:?}");
            assert_eq!((w.names(), w.records()), (Vec::new(), Vec::new()), "{kind}");
        }
        w.settings.enforce_namespace = false;
        w.versioning = Some(ConfigVersioning::None);
        w.good("K8sRollingDeploy", json!({}), &elsewhere).await;
        let kind = w.sim.cluster().kind_of("v1", "ConfigMap").unwrap();
        assert!(w.sim.cluster().get(&kind, "other", "cfg").is_some());
    });
}

/// §1.9: a custom kind is steady when its author's condition is true.
#[test]
fn a_custom_kind_is_waited_for_by_its_condition() {
    world(async |w: World| {
        w.sim.add(widgets()).unwrap();
        let ready = "${json.select(\"$..status.phase\", response) == \"Running\"}";
        let manifests =
            widget(&json!({"harness.io/managed-workload": "true", "harness.io/steadyStateCondition": ready}));
        let began = w.clock.now();
        let starts = async {
            w.clock.sleep(Millis::from_secs(30)).await;
            let kind = w.sim.cluster().kind_of("shop.example/v1", "Widget").unwrap();
            let change = |object: &mut Json| object["status"] = json!({"phase": "Running"});
            w.sim.cluster().modify(&kind, "shop", "a", "", "operator", change).unwrap();
        };
        let (output, ()) = tokio::join!(w.good("K8sRollingDeploy", json!({}), &manifests), starts);
        assert_eq!(output["workloads"][0]["kind"], "Widget", "{output:#}");
        assert!(w.clock.now().since(began) >= Millis::from_secs(30));
    });
}

/// §1.9: and a K8sApply fails at once when its failure condition is true.
#[test]
fn a_custom_kind_fails_by_its_condition() {
    world(async |w: World| {
        w.sim.add(widgets()).unwrap();
        let failed = "${json.select(\"$..status.phase\", response) == \"Broken\"}";
        let ready = "${json.select(\"$..status.phase\", response) == \"Running\"}";
        let manifests =
            widget(&json!({"harness.io/managed-workload": "true", "harness.io/steadyStateCondition": ready,
            "harness.io/failureCondition": failed}));
        let began = w.clock.now();
        let breaks = async {
            w.clock.sleep(Millis(500)).await;
            let kind = w.sim.cluster().kind_of("shop.example/v1", "Widget").unwrap();
            let change = |object: &mut Json| object["status"] = json!({"phase": "Broken"});
            w.sim.cluster().modify(&kind, "shop", "a", "", "operator", change).unwrap();
        };
        let apply = w.step("K8sApply", json!({"filePaths": ["main.yaml"]}), &manifests);
        let (outcome, ()) = tokio::join!(apply, breaks);
        let failed = failure(outcome);
        assert!(failed.message.contains("failure condition is true"), "{failed:?}");
        assert!(w.clock.now().since(began) < Millis::from_secs(30));
    });
}

/// §1.9: the other language of conditions is refused by name, not ignored.
#[test]
fn a_condition_in_another_language_is_refused() {
    world(async |w: World| {
        w.sim.add(widgets()).unwrap();
        let manifests =
            widget(&json!({"harness.io/managed-workload": "true", "windlass.io/ready-when": "self.status.ok"}));
        let refused = failure(w.rolling(&manifests).await);
        assert!(refused.message.contains("windlass.io/ready-when cannot be evaluated"), "{refused:?}");
    });
}

/// §1.9: what is applied directly is neither waited for nor rolled back nor counted.
#[test]
fn what_is_applied_directly_is_left_alone() {
    world(async |mut w: World| {
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:bad"}, "imagePull": "denied"}]}));
        let direct = |tag: &str| {
            deployment("side", tag, 1)
                .replace("{name: side}", "{name: side, annotations: {harness.io/direct-apply: \"true\"}}")
                .replace("app: web", "app: side")
        };
        w.good("K8sRollingDeploy", json!({}), &format!("{}---\n{}", shop("1", 2, "a"), direct("1"))).await;
        w.next_stage();
        // It does not become steady, and nobody waits.
        let v2 = |tag: &str| format!("{}---\n{}", shop(tag, 2, "b"), direct("bad"));
        let canary = json!({"instanceSelection": {"type": "Count", "spec": {"count": 1}}});
        w.good("K8sCanaryDeploy", canary, &v2("2")).await;
        w.good("K8sCanaryDelete", json!({}), "").await;
        let output = w.good("K8sRollingDeploy", json!({}), &v2("2")).await;
        assert_eq!(output["workloads"].as_array().unwrap().len(), 1, "{output:#}");
        w.good("K8sRollingRollback", json!({}), "").await;
        assert_eq!((w.image("web").as_str(), w.image("side").as_str()), ("acme/shop:1", "acme/shop:bad"));
    });
}

/// §1.8: an immutable field fails with its path, unless the object or the step says how to change it.
#[test]
fn an_immutable_field_is_changed_only_when_somebody_says_so() {
    world(async |w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 1, "a")).await;
        let other = shop("1", 1, "a").replace("app: web}}\n  template", "app: web, tier: front}}\n  template");
        let other = other.replace("labels: {app: web}}", "labels: {app: web, tier: front}}");
        let refused = failure(w.rolling(&other).await);
        assert!(refused.message.contains("spec.selector") && refused.hints[0].contains("recreate"), "{refused:?}");
        let force = json!({"commandFlags": [{"commandType": "Apply", "flag": "--force"}]});
        w.good("K8sRollingDeploy", force, &other).await;
        assert_eq!(w.deployment("web")["spec"]["selector"]["matchLabels"]["tier"], "front");
    });
}

/// §2.2: KEDA's scaler counts like the cluster's own.
#[test]
fn what_keda_decided_stays() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        let definition = widgets().to_string().replace("shop.example", "keda.sh").replace("widget", "scaledobject");
        let definition = definition.replace("Widget", "ScaledObject").replace("\"v1\"", "\"v1alpha1\"");
        let definition = definition.replace("apiextensions.k8s.io/v1alpha1", "apiextensions.k8s.io/v1");
        w.sim.add(serde_json::from_str(&definition).unwrap()).unwrap();
        let scaled = "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: web}\nspec: {scaleTargetRef: {name: web}}\n";
        let with = |tag: &str| format!("{}---\n{scaled}", shop(tag, 2, "a"));
        w.good("K8sRollingDeploy", json!({}), &with("1")).await;
        let kind = w.sim.cluster().kind_of("apps/v1", "Deployment").unwrap();
        w.sim.cluster().modify(&kind, "shop", "web", "", "keda", |o| o["spec"]["replicas"] = 6.into()).unwrap();
        w.next_stage();
        w.good("K8sRollingDeploy", json!({}), &with("2")).await;
        assert_eq!(w.deployment("web")["spec"]["replicas"], 6);
    });
}

/// §2.5: the first release ever failed, and its pods are sent away.
#[test]
fn a_failed_first_release_may_be_scaled_to_zero() {
    world(async |mut w: World| {
        w.settings.on_first_failure = OnFirstFailure::ScaleToZero;
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:*"}, "imagePull": "denied"}]}));
        failure(w.rolling(&shop("1", 3, "a")).await);
        let output = w.good("K8sRollingRollback", json!({}), "").await;
        assert_eq!(output["scaledToZero"].as_array().map(Vec::len), Some(1), "{output:#}");
        assert_eq!(w.deployment("web")["spec"]["replicas"], 0);
        assert_eq!(w.records(), ["1 rolling rolled-back"]);
    });
}

/// §2.5: an object that must never be pruned is not, though it left the manifests.
#[test]
fn pruning_leaves_what_must_stay() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        let kept = config_map("kept", "x")
            .replace("{name: kept}", "{name: kept, annotations: {harness.io/skipPruning: \"true\"}}");
        let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
        let v1 = format!("{}---\n{kept}---\n{claim}---\n{}", shop("1", 1, "a"), service("old"));
        w.good("K8sRollingDeploy", json!({}), &v1).await;
        w.next_stage();
        let output = w.good("K8sRollingDeploy", json!({"pruningEnabled": true}), &shop("2", 1, "a")).await;
        assert_eq!(output["prunedResources"], json!(["shop/Service/old"]), "{}", w.recorder.text());
        assert!(w.get("v1", "ConfigMap", "kept").is_some() && w.get("v1", "PersistentVolumeClaim", "data").is_some());
    });
}

/// §2.8: what does not go because of its finalizers is told with their names.
#[test]
fn whoever_cannot_be_deleted_is_told_with_its_finalizers() {
    world(async |w: World| {
        let kind = w.sim.cluster().kind_of("v1", "ConfigMap").unwrap();
        let held = json!({"metadata": {"name": "held", "namespace": "shop", "finalizers": ["shop.example/guard"]}});
        w.sim.cluster().create(&kind, held, "somebody").unwrap();
        let spec = json!({"deleteResources": {"type": "ResourceName", "spec": {"resourceNames": ["ConfigMap/held"]}}});
        let mut task = w.task("K8sDelete", spec, w.source(""));
        task.deadline = Timestamp::from_micros(w.clock.now().micros() + 60_000_000);
        let late = failure(w.run(&task).await);
        assert!(late.types.contains(&FailureType::Timeout), "{late:?}");
        assert!(late.message.contains("held by its finalizers shop.example/guard"), "{late:?}");
        let wild = json!({"deleteResources": {"type": "ResourceName", "spec": {"resourceNames": ["ConfigMap/*"]}}});
        assert!(failure(w.step("K8sDelete", wild, "").await).message.contains("wildcards"));
    });
}

/// §2.8: a release goes with its namespace when that is wanted, and only then.
#[test]
fn a_namespace_goes_with_its_release_when_that_is_wanted() {
    world(async |w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 1, "a")).await;
        let spec = json!({"deleteResources": {"type": "ReleaseName", "spec": {"deleteNamespace": true}}});
        let output = w.good("K8sDelete", spec, "").await;
        let deleted = output["deletedResources"].as_array().unwrap();
        assert!(deleted.contains(&json!("Namespace/shop")), "{output:#}");
        let kind = w.sim.cluster().kind_of("v1", "Namespace").unwrap();
        assert!(w.sim.cluster().get(&kind, "", "shop").is_none());
    });
}

fn values(text: &str) -> ManifestSource {
    let file = StoredFile { path: "values.yaml".into(), content: text.into() };
    ManifestSource {
        identifier: "more".into(),
        kind: ManifestKind::Values,
        store: Store::Files { files: vec![file] },
        ..ManifestSource::default()
    }
}

/// What K8sApply may say about its own source, below `spec`.
fn with_apply(mut task: Task, change: impl FnOnce(&mut windlass_model::task::kubernetes::ApplySpec)) -> Task {
    let Work::Kubernetes(work) = &mut task.work else { panic!("no step") };
    let KubernetesStep::K8sApply(spec) = &mut work.step else { panic!("no apply") };
    change(spec);
    task
}

/// §1.4, §1.5, §2.4: K8sApply has values of its own, may have manifests of its own, and may leave templates alone.
#[test]
fn an_apply_may_bring_its_own_source() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cfg}\ndata: {who: '{{ .Values.who }}'}\n";
        let mut source = w.source(template);
        source.manifests.push(values("who: service\n"));
        let all = json!({"filePaths": ["main.yaml"]});
        let who = |w: &World, name: &str| text(&w.get("v1", "ConfigMap", name).unwrap(), "/data/who").to_owned();
        let task = |w: &World| w.task("K8sApply", all.clone(), source.clone());

        let plain = task(&w);
        assert!(matches!(w.run(&plain).await, Outcome::Succeeded { .. }), "{}", w.recorder.text());
        assert_eq!(who(&w, "cfg"), "service");
        let overridden = with_apply(task(&w), |spec| spec.overrides = vec![values("who: step\n")]);
        assert!(matches!(w.run(&overridden).await, Outcome::Succeeded { .. }), "{}", w.recorder.text());
        assert_eq!(who(&w, "cfg"), "step");
        let raw = with_apply(task(&w), |spec| spec.skip_rendering = true);
        assert!(matches!(w.run(&raw).await, Outcome::Succeeded { .. }), "{}", w.recorder.text());
        assert_eq!(who(&w, "cfg"), "{{ .Values.who }}");
        let own = StoredFile { path: "own.yaml".into(), content: template.replace("name: cfg", "name: own") };
        let own = ManifestSource {
            kind: ManifestKind::K8sManifest,
            store: Store::Files { files: vec![own] },
            config_versioning: Some(ConfigVersioning::None),
            ..values("")
        };
        let elsewhere = with_apply(task(&w), |spec| {
            spec.file_paths.clear();
            spec.manifest_source = Some(own);
        });
        assert!(matches!(w.run(&elsewhere).await, Outcome::Succeeded { .. }), "{}", w.recorder.text());
        assert_eq!(who(&w, "own"), "service");
    });
}

/// §2.1: whoever does not want to wait is done at once.
#[test]
fn a_step_may_go_on_without_waiting() {
    world(async |w: World| {
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:*"}, "slowStart": "2h"}]}));
        let spec = json!({"filePaths": ["main.yaml"], "skipSteadyStateCheck": true});
        w.good("K8sApply", spec, &shop("1", 2, "a")).await;
        let spec = json!({"workload": "Deployment/web", "skipSteadyStateCheck": true,
            "instanceSelection": {"type": "Count", "spec": {"count": 3}}});
        let output = w.good("K8sScale", spec, "").await;
        assert_eq!((output["replicas"].as_u64(), output["instances"].as_array().map(Vec::len)), (Some(3), Some(0)));
    });
}
