//! K8sCanaryDeploy and K8sCanaryDelete against a simulated cluster.

use crate::support::manifests::{scaler, service, shop};
use crate::support::{World, text, world};
use serde_json::{Value as Json, json};
use windlass_model::task::Outcome;

fn count(count: u32) -> Json {
    json!({"instanceSelection": {"type": "Count", "spec": {"count": count}}})
}

fn percentage(percentage: u32) -> Json {
    json!({"instanceSelection": {"type": "Percentage", "spec": {"percentage": percentage}}})
}

#[test]
fn a_canary_stands_beside_production_and_goes() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 4, "a")).await;
        let before = w.versions();
        w.next_stage();
        let v2 = format!("{}---\n{}---\n{}", shop("2", 4, "b"), scaler(2, 9), service("extra"));
        let output = w.good("K8sCanaryDeploy", percentage(50), &v2).await;
        assert_eq!(output["canaryWorkload"], "shop/Deployment/web-canary");
        assert_eq!((output["replicas"].as_u64(), output["releaseNumber"].as_u64()), (Some(2), Some(2)));
        let instances = output["instances"].as_array().unwrap();
        assert!(instances.len() == 2 && instances.iter().all(|pod| pod["track"] == "canary"), "{output:#}");
        let canary = w.deployment("web-canary");
        assert_eq!(text(&canary, "/spec/template/spec/containers/0/envFrom/0/configMapRef/name"), "cfg-canary");
        assert_eq!(canary["spec"]["selector"]["matchLabels"]["harness.io/track"], "canary");
        assert_eq!(w.get("autoscaling/v2", "HorizontalPodAutoscaler", "web"), None);
        assert!(w.get("v1", "Service", "extra").is_some(), "what is missing is applied");
        let now = w.versions();
        assert!(before.iter().all(|(name, version)| now[name] == *version), "production is as it was");

        // A second canary of the stage is the first one with another number of pods.
        let output = w.good("K8sCanaryDeploy", percentage(75), &v2).await;
        assert_eq!(output["instances"].as_array().unwrap().len(), 3);
        assert_eq!(w.deployment("web-canary")["metadata"]["annotations"]["deployment.kubernetes.io/revision"], "1");

        let output = w.good("K8sCanaryDelete", json!({}), &v2).await;
        assert_eq!(output["deletedResources"].as_array().unwrap().len(), 2, "{output}");
        assert_eq!(w.get("apps/v1", "Deployment", "web-canary"), None);
        assert_eq!(w.get("v1", "ConfigMap", "cfg-canary"), None);
        assert!(w.get("v1", "Service", "extra").is_some());
        assert!(matches!(w.step("K8sCanaryDelete", json!({}), &v2).await, Outcome::Skipped { .. }));
        let output = w.good("K8sRollingDeploy", json!({}), &v2).await;
        assert_eq!((output["releaseNumber"].as_u64(), output["previousSuccessful"].as_u64()), (Some(4), Some(1)));
        assert_eq!(
            w.records(),
            ["1 rolling superseded", "2 canary superseded", "3 canary superseded", "4 rolling succeeded"]
        );
        assert_eq!(w.deployment("web")["spec"]["template"]["metadata"]["labels"]["harness.io/track"], "stable");
        assert_eq!(w.deployment("web")["spec"]["selector"]["matchLabels"], json!({"app": "web"}));
    });
}

#[test]
fn the_order_of_the_seed_works_as_written() {
    world(async |mut w: World| {
        for tag in ["1", "2"] {
            let manifests = shop(tag, 3, tag);
            w.good(
                "K8sApply",
                json!({"filePaths": ["main.yaml"], "commandFlags": ["--prune", "--selector=app=web"]}),
                &manifests,
            )
            .await;
            let applied = w.versions();
            w.good("K8sRollingDeploy", json!({}), &manifests).await;
            assert_eq!(w.versions(), applied, "the rolling deployment finds everything as it should be");
            w.good("K8sCanaryDeploy", count(1), &manifests).await;
            w.good("K8sCanaryDeploy", percentage(50), &manifests).await;
            assert_eq!(w.deployment("web-canary")["spec"]["replicas"], 2);
            w.good("K8sCanaryDelete", json!({}), &manifests).await;
            w.good("SteadyStateCheck", json!({}), &manifests).await;
            assert_eq!(w.image("web"), format!("acme/shop:{tag}"));
            w.next_stage();
        }
    });
}

#[test]
fn a_bad_canary_is_told_and_deleted_and_production_stays() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 2, "a")).await;
        let before = w.state();
        w.next_stage();
        w.faults(json!({"pods": [{"on": {"image": "acme/shop:2"}, "crash": {"after": "100ms", "exitCode": 3}}]}));
        let outcome = w.step("K8sCanaryDeploy", count(1), &shop("2", 2, "b")).await;
        let Outcome::Failed { failure, output } = outcome else { panic!("{outcome:#?}") };
        assert!(failure.message.contains("crashed"), "{}", failure.message);
        assert_eq!(output["failure"]["pod"]["exitCode"], 3);
        w.good("K8sCanaryDelete", json!({}), "").await;
        assert!(matches!(w.step("K8sRollingRollback", json!({}), "").await, Outcome::Skipped { .. }));
        assert_eq!(w.state(), before);
    });
}

#[test]
fn the_first_deployment_may_go_without_a_canary() {
    world(async |mut w: World| {
        w.settings.skip_canary_on_first_deploy = true;
        let outcome = w.step("K8sCanaryDeploy", count(1), &shop("1", 2, "a")).await;
        assert!(
            matches!(&outcome, Outcome::Skipped { output, .. } if output["canaryWorkloadDeployed"] == false),
            "{outcome:?}"
        );
        assert_eq!(w.names(), Vec::<String>::new());
        w.settings.skip_canary_on_first_deploy = false;
        w.good("K8sCanaryDeploy", count(1), &shop("1", 2, "a")).await;
        assert!(w.recorder.text().contains("warn: there is no primary workload yet"));
    });
}

#[test]
fn the_vendor_s_way_changes_production_too() {
    world(async |mut w: World| {
        w.good("K8sRollingDeploy", json!({}), &shop("1", 2, "a")).await;
        w.settings.canary_apply_all = true;
        let v2 = shop("2", 2, "b").replace("port: 80", "port: 81");
        w.good("K8sCanaryDeploy", count(1), &v2).await;
        assert_eq!(w.get("v1", "Service", "web").unwrap()["spec"]["ports"][0]["port"], 81);
        assert_eq!(w.image("web"), "acme/shop:1");
    });
}

#[test]
fn exactly_one_workload_is_a_canary() {
    world(async |w: World| {
        let outcome = w.step("K8sCanaryDeploy", count(1), &service("web")).await;
        let Outcome::Failed { failure, .. } = outcome else { panic!("{outcome:?}") };
        assert!(failure.message.contains("the manifests hold none"), "{}", failure.message);
    });
}

#[test]
fn the_highest_pods_of_a_stateful_set_are_its_canary() {
    world(async |mut w: World| {
        let set = |tag: &str| {
            format!(
                "apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db}}
spec:
  serviceName: db
  replicas: 3
  selector: {{matchLabels: {{app: db}}}}
  template:
    metadata: {{labels: {{app: db}}}}
    spec:
      containers: [{{name: app, image: 'acme/db:{tag}'}}]
  volumeClaimTemplates:
  - metadata: {{name: data}}
    spec: {{storageClassName: fast, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}
"
            )
        };
        w.sim
            .add(json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "kube-sim",
                "metadata": {"name": "fast"}, "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer"}))
            .unwrap();
        let first = w.step("K8sCanaryDeploy", count(1), &set("1")).await;
        assert!(matches!(first, Outcome::Skipped { .. }), "{first:?}");
        w.good("K8sRollingDeploy", json!({}), &set("1")).await;
        w.next_stage();
        w.good("K8sCanaryDeploy", count(1), &set("2")).await;
        let images = || -> Vec<String> {
            let pods = w.sim.cluster().kind_of("v1", "Pod").unwrap();
            let mut pods: Vec<String> = w
                .sim
                .cluster()
                .list(&pods, Some("shop"))
                .iter()
                .map(|pod| format!("{} {}", text(pod, "/metadata/name"), text(pod, "/spec/containers/0/image")))
                .collect();
            pods.sort();
            pods
        };
        assert_eq!(images(), ["db-0 acme/db:1", "db-1 acme/db:1", "db-2 acme/db:2"]);
        w.good("K8sCanaryDelete", json!({}), &set("2")).await;
        assert_eq!(images(), ["db-0 acme/db:1", "db-1 acme/db:1", "db-2 acme/db:1"]);
        w.good("K8sRollingDeploy", json!({}), &set("2")).await;
        assert_eq!(images(), ["db-0 acme/db:2", "db-1 acme/db:2", "db-2 acme/db:2"]);
    });
}

#[test]
fn a_failed_verification_takes_the_seed_s_stage_back() {
    world(async |mut w: World| {
        let stage = async |w: &World, tag: &str| {
            let manifests = shop(tag, 3, tag);
            let flags = json!(["--prune", "--selector=app=web"]);
            w.good("K8sApply", json!({"filePaths": ["main.yaml"], "commandFlags": flags}), &manifests).await;
            w.good("K8sRollingDeploy", json!({}), &manifests).await;
            w.good("K8sCanaryDeploy", count(1), &manifests).await;
        };
        stage(&w, "1").await;
        w.good("K8sCanaryDelete", json!({}), "").await;
        let before = w.state();
        w.next_stage();
        stage(&w, "2").await;
        w.good("K8sCanaryDelete", json!({}), "").await;
        let output = w.good("K8sRollingRollback", json!({}), "").await;
        assert_eq!(w.state(), before);
        assert_eq!(output["instances"].as_array().unwrap().len(), 3);
        assert_eq!(w.image("web"), "acme/shop:1");
    });
}
