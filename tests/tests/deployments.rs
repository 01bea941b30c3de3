//! The strategies over real processes, on simulated clusters and, by `make test-cluster`, on real ones: the same tests, the same outcome.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a scenario")]

use serde_json::Value;
use windlass_tests::{Site, node, until};

/// The manifests of the service: a tag, a colour in the settings, and more objects.
fn manifests(tag: &str, color: &str, more: &str) -> String {
    let labels = "labels: {app: web}";
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings, {labels}}}\ndata: {{color: {color}}}\n---\n\
         apiVersion: v1\nkind: Service\nmetadata: {{name: web, {labels}}}\nspec:\n  selector: {{app: web}}\n  ports: [{{name: http, port: 80, targetPort: 8080}}]\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, {labels}}}\nspec:\n  replicas: 3\n  selector: {{matchLabels: {{app: web}}}}\n  \
         template:\n    metadata: {{{labels}}}\n    spec:\n      containers:\n        - name: app\n          image: registry.example/acme/web:{tag}\n          \
         envFrom: [{{configMapRef: {{name: settings}}}}]\n          ports: [{{name: http, containerPort: 8080}}]\n          \
         readinessProbe: {{httpGet: {{path: /, port: http}}, periodSeconds: 1}}\n{more}"
    )
}

const EXTRA: &str = "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: extra}\n";

const ROLLING: &str =
    "{step: {identifier: deploy, name: deploy, type: K8sRollingDeploy, timeout: 1h, spec: {pruningEnabled: true}}}";
const ROLLING_BACK: &str =
    "{step: {identifier: back, name: back, type: K8sRollingRollback, timeout: 30m, spec: {pruningEnabled: true}}}";

fn names(objects: &[Value]) -> Vec<&str> {
    objects.iter().filter_map(|object| object["metadata"]["name"].as_str()).collect()
}

#[test]
fn a_rolling_deployment_changes_what_changed_and_prunes_what_went() {
    let site = Site::new();
    site.pipeline(&[ROLLING], &[ROLLING_BACK]);
    site.service(&manifests("v1", "blue", EXTRA));
    site.deploys();
    assert_eq!(site.serves(), ["v1", "v1", "v1"]);
    assert!(names(&site.objects("api/v1/namespaces/shop/serviceaccounts")).contains(&"extra"));
    let before = site.object("apis/apps/v1/namespaces/shop/deployments/web");

    // The same once more: a release of its own, and no pod is touched.
    site.deploys();
    let again = site.object("apis/apps/v1/namespaces/shop/deployments/web");
    assert_eq!(again["spec"], before["spec"]);
    assert_eq!(site.objects("apis/apps/v1/namespaces/shop/replicasets").len(), 1);

    // Another image, other settings, one object less.
    site.service(&manifests("v2", "green", ""));
    site.deploys();
    site.settles(&["v2", "v2", "v2"]);
    assert!(!names(&site.objects("api/v1/namespaces/shop/serviceaccounts")).contains(&"extra"));
    let pods = site.objects("api/v1/namespaces/shop/pods");
    assert!(!pods.is_empty());
}

#[test]
fn an_image_that_cannot_be_pulled_is_told_and_rolled_back() {
    let site = Site::new();
    site.pipeline(&[ROLLING], &[ROLLING_BACK]);
    site.service(&manifests("v1", "blue", ""));
    site.deploys();
    site.service(&manifests("broken", "green", EXTRA));
    let shown = site.runs();
    assert_eq!(shown["run"]["status"], "Failed", "{shown}");
    let failure = node(&shown, "deploy")["failure"]["message"].as_str().unwrap().to_owned();
    assert!(failure.contains("registry.example/acme/web:broken"), "{failure}");
    assert_eq!(node(&shown, "back")["status"], "Success", "{shown}");
    site.settles(&["v1", "v1", "v1"]);
    assert!(!names(&site.objects("api/v1/namespaces/shop/serviceaccounts")).contains(&"extra"), "rolled back whole");
    let settings = site.objects("api/v1/namespaces/shop/configmaps");
    let colors: Vec<&Value> = settings.iter().map(|map| &map["data"]["color"]).filter(|c| c.is_string()).collect();
    assert!(colors.iter().any(|color| *color == "blue"), "{colors:?}");
}

#[test]
fn a_canary_comes_beside_the_stable_pods_and_goes() {
    let site = Site::new();
    site.pipeline(&[ROLLING], &[ROLLING_BACK]);
    site.service(&manifests("v1", "blue", ""));
    site.deploys();
    let canary = "{step: {identifier: canary, name: canary, type: K8sCanaryDeploy, timeout: 30m, spec: {instanceSelection: {type: Count, spec: {count: 1}}}}}";
    let half = "{step: {identifier: half, name: half, type: K8sCanaryDeploy, timeout: 30m, spec: {instanceSelection: {type: Percentage, spec: {percentage: 60}}}}}";
    let gone = "{step: {identifier: gone, name: gone, type: K8sCanaryDelete, timeout: 30m, spec: {}}}";
    site.service(&manifests("v2", "green", ""));
    site.pipeline(&[canary], &[]);
    site.deploys();
    site.settles(&["v1", "v1", "v1", "v2"]);
    assert_eq!(site.object("apis/apps/v1/namespaces/shop/deployments/web-canary")["spec"]["replicas"], 1);
    site.pipeline(&[canary, half, gone, ROLLING], &[ROLLING_BACK]);
    site.deploys();
    site.settles(&["v2", "v2", "v2"]);
    assert_eq!(names(&site.objects("apis/apps/v1/namespaces/shop/deployments")), ["web"]);
}

#[test]
fn colors_take_turns_and_the_traffic_follows_the_swap() {
    let site = Site::new();
    let deploy = "{step: {identifier: deploy, name: deploy, type: K8sBlueGreenDeploy, timeout: 30m, spec: {pruningEnabled: true}}}";
    let swap = "{step: {identifier: swap, name: swap, type: K8sBGSwapServices, timeout: 30m, spec: {}}}";
    let sleep = "{step: {identifier: sleep, name: sleep, type: K8sBlueGreenStageScaleDown, timeout: 30m, spec: {}}}";
    site.service(&manifests("v1", "blue", ""));
    site.pipeline(&[deploy, swap], &[]);
    site.deploys();
    let selected = || {
        let service = site.object("api/v1/namespaces/shop/services/web");
        let color = service["spec"]["selector"]["harness.io/color"].as_str().unwrap_or_default().to_owned();
        let pods = site.objects("api/v1/namespaces/shop/pods");
        let of = |pod: &&Value| {
            pod["metadata"]["labels"]["harness.io/color"] == color.as_str()
                && pod["metadata"]["deletionTimestamp"].is_null()
        };
        let mut tags: Vec<String> = pods.iter().filter(of).map(windlass_tests::tag).collect();
        tags.dedup();
        (color, tags)
    };
    let (first, tags) = selected();
    assert_eq!(tags, ["v1"], "{first}");
    site.service(&manifests("v2", "green", ""));
    site.pipeline(&[deploy], &[]);
    site.deploys();
    assert_eq!(selected(), (first.clone(), vec!["v1".to_owned()]), "nobody is sent to the new color before the swap");
    site.pipeline(&[deploy, swap, sleep], &[]);
    site.deploys();
    let (second, tags) = selected();
    assert_ne!(second, first);
    assert_eq!(tags, ["v2"]);
    site.settles(&["v2", "v2", "v2"]);
}

#[test]
fn what_kubectl_applied_is_taken_over_whole() {
    let site = Site::new();
    // As somebody left it: applied by hand, with a variable and a label that are no longer wanted, and scaled by hand.
    let by_hand = manifests("v0", "red", "").replace("envFrom:", "env: [{name: OLD, value: '1'}]\n          envFrom:");
    if !site.kubectl_applies(&by_hand) {
        return;
    }
    site.settles(&["v0", "v0", "v0"]);
    site.pipeline(&[ROLLING], &[ROLLING_BACK]);
    site.service(&manifests("v1", "blue", ""));
    site.deploys();
    site.settles(&["v1", "v1", "v1"]);
    let deployment = site.object("apis/apps/v1/namespaces/shop/deployments/web");
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["image"], "registry.example/acme/web:v1");
    site.deploys();
    let again = site.object("apis/apps/v1/namespaces/shop/deployments/web");
    assert_eq!(again["spec"], deployment["spec"], "steady");
}

#[test]
fn another_delegate_takes_over_what_a_killed_one_began() {
    let mut site = Site::new();
    site.pipeline(&[ROLLING], &[ROLLING_BACK]);
    site.service(&manifests("v1", "blue", ""));
    site.deploys();
    let second = site.second_delegate();
    site.service(&manifests("slow", "green", ""));
    let run = site.starts();
    until("the rollout to begin", || {
        let sets = site.objects("apis/apps/v1/namespaces/shop/replicasets");
        (sets.len() == 2).then_some(())
    });
    site.kill_delegate();
    let shown = site.ends(&run);
    assert_eq!(shown["run"]["status"], "Success", "{shown}");
    site.settles(&["slow", "slow", "slow"]);
    let sets = site.objects("apis/apps/v1/namespaces/shop/replicasets");
    assert_eq!(sets.len(), 2, "one rollout, not two: {:?}", names(&sets));
    drop(second);
}
