//! K8sApply against a simulated cluster (kubernetes-deploy §2.4).

use crate::support::manifests::{config_map, deployment, service, shop};
use crate::support::{World, world};
use serde_json::{Value as Json, json};
use windlass_model::task::Outcome;
use windlass_model::task::source::ConfigVersioning;

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {NAME}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: acme/migrate:1}]
";

fn all() -> Json {
    json!({"filePaths": ["main.yaml"]})
}

#[test]
fn an_apply_is_no_release_and_a_rollback_undoes_it() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 1, "a")).await;
        let before = w.state();
        w.next_stage();
        let output = w.good("K8sApply", all(), &shop("2", 1, "b")).await;
        assert_eq!(output["appliedResources"].as_array().unwrap().len(), 3);
        assert_eq!(w.records(), ["1 rolling succeeded"]);
        assert_eq!(w.image("web"), "acme/shop:2");
        w.good("K8sRollingRollback", json!({}), "").await;
        let mut now = w.state();
        assert!(now.remove("ConfigMap/cfg-2").is_some(), "what an apply made new stays");
        assert_eq!(now, before);
    });
}

#[test]
fn an_apply_twice_writes_nothing() {
    world(async |w: World| {
        w.good("K8sApply", all(), &shop("1", 1, "a")).await;
        let before = w.versions();
        w.good("K8sApply", all(), &shop("1", 1, "a")).await;
        assert_eq!(w.versions(), before);
    });
}

#[test]
fn jobs_are_waited_for_and_told() {
    world(async |w: World| {
        let named = JOB.replace("NAME", "name: migrate");
        let output = w.good("K8sApply", all(), &named).await;
        assert_eq!(output["jobs"][0]["name"], "migrate");
        assert_eq!(output["jobs"][0]["succeeded"], 1);
        // A Job does not change; its author may have it made anew.
        let changed = named.replace("migrate:1", "migrate:2");
        let outcome = w.step("K8sApply", all(), &changed).await;
        let Outcome::Failed { failure, .. } = outcome else { panic!("{outcome:?}") };
        assert!(failure.message.contains("spec.template") && failure.hints[0].contains("recreate"), "{failure:?}");
        let anew =
            changed.replace("name: migrate}", "name: migrate, annotations: {windlass.io/on-immutable: recreate}}");
        let output = w.good("K8sApply", all(), &anew).await;
        assert_eq!(output["appliedResources"][0]["change"], "recreated");
        w.good("K8sApply", all(), &JOB.replace("NAME", "generateName: migrate-")).await;
        assert_eq!(w.names().iter().filter(|name| name.starts_with("Job/migrate-")).count(), 1);
    });
}

#[test]
fn a_failed_job_is_told_with_its_exit_code() {
    world(async |w: World| {
        w.faults(json!({"pods": [{"on": {"image": "acme/migrate:1"}, "crash": {"after": "1s", "exitCode": 7}}]}));
        let job =
            JOB.replace("NAME", "name: migrate").replace("spec:\n  template", "spec:\n  backoffLimit: 1\n  template");
        let outcome = w.step("K8sApply", all(), &job).await;
        let Outcome::Failed { output, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(output["failure"]["pod"]["exitCode"], 7, "{output:#}");
    });
}

#[test]
fn prune_deletes_what_earlier_applies_made_and_nothing_else() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        let labelled = |name: &str| config_map(name, "x").replace("{name: ", "{labels: {app: web}, name: ");
        let others = w.sim.cluster().kind_of("v1", "ConfigMap").unwrap();
        let foreign = json!({"metadata": {"name": "foreign", "namespace": "shop", "labels": {"app": "web"}}});
        w.sim.cluster().create(&others, foreign, "kubectl").unwrap();
        let flags = json!({"filePaths": ["main.yaml"], "commandFlags": ["--prune", "--selector=app=web"]});
        let first = format!("{}---\n{}---\n{}", labelled("one"), labelled("two"), config_map("unlabelled", "x"));
        w.good("K8sApply", flags.clone(), &first).await;
        // A rolling deployment of the same objects leaves the mark.
        w.good("K8sRollingDeploy", json!({}), &first).await;
        let output = w.good("K8sApply", flags, &labelled("one")).await;
        assert_eq!(output["prunedResources"], json!(["shop/ConfigMap/two"]));
        assert!(w.get("v1", "ConfigMap", "foreign").is_some() && w.get("v1", "ConfigMap", "unlabelled").is_some());
    });
}

#[test]
fn only_the_named_files_are_applied() {
    world(async |w: World| {
        let files = [("k8s/a.yaml", &*config_map("a", "x")), ("k8s/b.yaml", &*config_map("b", "x"))];
        let task = w.task("K8sApply", json!({"filePaths": ["k8s/b.yaml"]}), w.files(&files));
        assert!(matches!(w.run(&task).await, Outcome::Succeeded { .. }), "{}", w.recorder.text());
        assert_eq!(w.names(), ["ConfigMap/b-1"]);
        let empty = w.task("K8sApply", json!({"filePaths": ["k8s/a.yaml"]}), w.files(&[("k8s/a.yaml", "# nothing\n")]));
        let Outcome::Failed { failure, .. } = w.run(&empty).await else { panic!("an empty file is an error") };
        assert!(failure.message.contains("k8s/a.yaml holds no objects"), "{}", failure.message);
    });
}

#[test]
fn definitions_come_before_what_they_define() {
    world(async |w: World| {
        let definition = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
";
        let widget = "apiVersion: shop.example/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 3}\n";
        w.good("K8sRollingDeploy", json!({}), &format!("{widget}---\n{definition}")).await;
        assert_eq!(w.get("shop.example/v1", "Widget", "a").unwrap()["spec"]["size"], 3);
    });
}

#[test]
fn the_dry_run_shows_what_would_be_sent() {
    world(async |w: World| {
        let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2}\n";
        let output = w.good("K8sDryRun", json!({}), &format!("{}---\n{secret}", shop("1", 1, "a"))).await;
        let text = output["manifestDryRun"].as_str().unwrap();
        assert!(text.contains("acme/shop:1") && text.contains("++++") && !text.contains("hunter2"), "{text}");
        assert!(!w.recorder.text().contains("hunter2"));
        assert_eq!(w.names(), Vec::<String>::new());
        let output = w.good("K8sDryRun", json!({"encryptYamlOutput": true}), &shop("1", 1, "a")).await;
        assert_eq!(output["manifestDryRun"], "++++");
    });
}

#[test]
fn a_diff_shows_what_a_deployment_would_change() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        let secret = |value: &str| {
            format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{password: {value}}}\n")
        };
        let v1 = format!("{}---\n{}---\n{}", shop("1", 1, "a"), secret("hunter1"), config_map("gone", "x"));
        w.good("K8sRollingDeploy", json!({}), &v1).await;
        let before = w.versions();
        let output = w.good("K8sDiff", json!({}), &v1).await;
        assert_eq!(
            (output["hasDifferences"].as_bool(), output["unchanged"].as_u64()),
            (Some(false), Some(5)),
            "{output:#}"
        );
        let v2 = format!("{}---\n{}---\n{}", shop("2", 1, "a"), secret("hunter2"), service("extra"));
        let output = w.good("K8sDiff", json!({}), &v2).await;
        assert_eq!(w.versions(), before);
        assert_eq!(output["summary"], "1 to create, 2 to change, 2 unchanged, 1 no longer in the manifests");
        let text = output["diff"].as_str().unwrap();
        assert!(text.contains("-      - image: acme/shop:1") || text.contains("acme/shop:2"), "{text}");
        assert!(!text.contains("hunter") && !text.contains("aHVudGVy"), "{text}");
        assert_eq!(output["prunedResources"], json!(["shop/ConfigMap/gone"]));
    });
}

#[test]
fn a_health_check_touches_nothing() {
    world(async |w: World| {
        assert!(matches!(w.step("SteadyStateCheck", json!({}), "").await, Outcome::Skipped { .. }));
        w.good("K8sRollingDeploy", json!({}), &shop("1", 2, "a")).await;
        let before = w.versions();
        let output = w.good("SteadyStateCheck", json!({}), "").await;
        assert_eq!((output["healthy"].as_bool(), output["instances"].as_array().unwrap().len()), (Some(true), 2));
        assert_eq!(w.versions(), before);
    });
}

#[test]
fn workloads_are_scaled() {
    world(async |w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 3, "a")).await;
        let half = json!({"workload": "Deployment/web", "instanceSelection": {"type": "Percentage", "spec": {"percentage": 50}}});
        let output = w.good("K8sScale", half, "").await;
        assert_eq!((output["previousReplicas"].as_u64(), output["replicas"].as_u64()), (Some(3), Some(2)));
        let zero =
            json!({"workload": "shop/Deployment/web", "instanceSelection": {"type": "Count", "spec": {"count": 0}}});
        w.good("K8sScale", zero, "").await;
        assert_eq!(w.deployment("web")["spec"]["replicas"], 0);
        for (workload, wanted) in
            [("Deployment/*", "wildcards"), ("Service/web", "no number of pods"), ("Deployment/no", "not there")]
        {
            let spec = json!({"workload": workload, "instanceSelection": {"type": "Count", "spec": {"count": 1}}});
            let outcome = w.step("K8sScale", spec, "").await;
            let Outcome::Failed { failure, .. } = outcome else { panic!("{outcome:?}") };
            assert!(failure.message.contains(wanted), "{}", failure.message);
        }
    });
}

#[test]
fn objects_and_whole_releases_are_deleted() {
    world(async |w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 1, "a")).await;
        let by_name = json!({"deleteResources": {"type": "ResourceName", "spec": {"resourceNames": ["Service/web", "Service/no"]}}});
        let output = w.good("K8sDelete", by_name, "").await;
        assert_eq!(output["deletedResources"], json!(["shop/Service/web"]));
        let by_manifest = json!({"deleteResources": {"type": "ManifestPath", "spec": {"allManifestPaths": true}}});
        let output = w.good("K8sDelete", by_manifest, &shop("1", 1, "a")).await;
        assert_eq!(output["deletedResources"], json!(["shop/Deployment/web", "shop/ConfigMap/cfg-1"]));
        w.good("K8sRollingDeploy", json!({}), &shop("2", 1, "a")).await;
        let release = json!({"deleteResources": {"type": "ReleaseName", "spec": {}}});
        w.good("K8sDelete", release.clone(), "").await;
        assert_eq!(w.names(), Vec::<String>::new());
        assert!(matches!(w.step("K8sDelete", release, "").await, Outcome::Skipped { .. }));
    });
}

#[test]
fn rollouts_are_restarted_undone_paused_and_told() {
    world(async |w: World| {
        for tag in ["1", "2"] {
            w.good("K8sRollingDeploy", json!({}), &shop(tag, 1, "a")).await;
        }
        let of = |command: &str| json!({"command": command, "resources": {"type": "ReleaseName", "spec": {}}});
        let output = w.good("K8sRollout", of("history"), "").await;
        assert_eq!(output["history"][0]["revisions"][0]["images"], json!(["acme/shop:1"]));
        w.good("K8sRollout", of("undo"), "").await;
        assert_eq!(w.image("web"), "acme/shop:1");
        w.good("K8sRollout", of("restart"), "").await;
        assert!(
            w.deployment("web")["spec"]["template"]["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"]
                .is_string()
        );
        w.good("K8sRollout", of("pause"), "").await;
        assert_eq!(w.deployment("web")["spec"]["paused"], true);
        w.good("K8sRollout", of("resume"), "").await;
        w.good("K8sRollout", of("status"), "").await;
        let mut to = of("undo");
        to["commandFlags"] = json!([{"commandType": "Rollout", "flag": "--to-revision=99"}]);
        let outcome = w.step("K8sRollout", to, "").await;
        let Outcome::Failed { failure, .. } = outcome else { panic!("{outcome:?}") };
        assert!(failure.message.contains("no such revision"), "{}", failure.message);
    });
}

#[test]
fn old_records_and_versions_go() {
    world(async |mut w: World| {
        for number in 0..16 {
            w.good("K8sRollingDeploy", json!({}), &shop("1", 1, &number.to_string())).await;
            w.next_stage();
        }
        let names = w.names();
        let count = |prefix: &str| names.iter().filter(|name| name.starts_with(prefix)).count();
        // The Deployment keeps ten old ReplicaSets, and each of them its ConfigMap.
        assert!((10..=12).contains(&count("Secret/windlass.release.")), "{names:?}");
        assert!((10..=12).contains(&count("ConfigMap/cfg-")), "{names:?}");
    });
}

#[test]
fn two_hundred_objects_that_did_not_change_take_no_five_seconds() {
    world(async |mut w: World| {
        w.versioning = Some(ConfigVersioning::None);
        let mut manifests = deployment("web", "1", 1).replace("        envFrom: [{configMapRef: {name: cfg}}]\n", "");
        for number in 0..199 {
            manifests.push_str(&format!("---\n{}", config_map(&format!("c{number}"), "x")));
        }
        w.good("K8sRollingDeploy", json!({}), &manifests).await;
        w.faults(json!({"api": [{"latency": "10ms"}]}));
        let began = w.clock.now();
        w.good("K8sRollingDeploy", json!({}), &manifests).await;
        let took = w.clock.now().since(began);
        assert!(took.secs() < 5, "{took}");
    });
}
