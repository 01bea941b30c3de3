//! A simulated cluster as people use it: `windlass kube-sim`, and the unmodified `kubectl` against it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods, reason = "a scenario")]

use std::process::Command;
use windlass_tests::{Process, World, send, until};

const APP: &str = r#"
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: app
          image: registry.example.com/acme/web:v1
          readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 1}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}, ports: [{port: 80}]}
"#;

const IMAGES: &str = "
workloads:
  - {image: '*/web', tag: v3, pull: {fails: manifest unknown}}
  - {image: '*/web', start: 200ms, logs: [{when: start, text: 'web {tag} is up'}]}
";

/// A cluster with its kubeconfig. Time runs twenty times as fast as here.
struct Sim {
    world: World,
    _process: Process,
}

impl Sim {
    fn start() -> Self {
        let world = World::new();
        world.file("images.yaml", IMAGES);
        let arguments = "kube-sim --listen 127.0.0.1:0 --admin-token admin-1 --user-token dev=dev-1 --name prod --time-scale 20 \
                         --workloads images.yaml --kubeconfig kubeconfig";
        let mut process = world.start("kube-sim", &arguments.split_whitespace().collect::<Vec<_>>());
        process.says("kube-sim prod serves https://");
        Self { world, _process: process }
    }

    /// Runs `kubectl`: whether it ended well, and everything it printed.
    fn try_kubectl(&self, line: &str) -> (bool, String) {
        let mut command = Command::new("kubectl");
        command.current_dir(self.world.folder()).env("KUBECONFIG", "kubeconfig").env("HOME", self.world.folder());
        let output = command.args(line.split_whitespace()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }

    #[track_caller]
    fn kubectl(&self, line: &str) -> String {
        let (is_well, text) = self.try_kubectl(line);
        assert!(is_well, "kubectl {line}:\n{text}");
        text
    }

    #[track_caller]
    fn refused(&self, line: &str) -> String {
        let (is_well, text) = self.try_kubectl(line);
        assert!(!is_well, "kubectl {line}:\n{text}");
        text
    }
}

/// Whether `kubectl` can be used. Continuous integration installs it, so there it must.
fn kubectl_is_here() -> bool {
    let found = Command::new("kubectl").args(["version", "--client"]).output().is_ok_and(|o| o.status.success());
    if !found {
        assert!(std::env::var_os("CI").is_none(), "kubectl is not installed");
        println!("skipped: kubectl is not installed");
    }
    found
}

#[test]
fn a_deployment_lives_as_in_a_real_cluster() {
    if !kubectl_is_here() {
        return;
    }
    let sim = Sim::start();
    sim.world.file("app.yaml", APP);
    let applied = sim.kubectl("apply -f app.yaml");
    assert_eq!(applied, "namespace/shop created\ndeployment.apps/web created\nservice/web created\n");
    assert!(sim.kubectl("-n shop rollout status deploy/web --timeout=60s").contains("successfully rolled out"));
    assert!(sim.kubectl("apply -f app.yaml").lines().all(|line| line.ends_with(" unchanged")));
    assert_eq!(sim.kubectl("diff -f app.yaml"), "");

    sim.world.file("next.yaml", &APP.replace("web:v1", "web:v2").replace("replicas: 3", "replicas: 2"));
    let difference = sim.refused("diff -f next.yaml");
    assert!(
        difference.contains("-  replicas: 3")
            && difference.contains("+      - image: registry.example.com/acme/web:v2")
    );
    assert!(sim.kubectl("apply -f next.yaml").contains("deployment.apps/web configured"));
    sim.kubectl("-n shop rollout status deploy/web --timeout=60s");
    sim.kubectl("-n shop scale deploy/web --replicas=4");
    sim.kubectl("-n shop wait --for=jsonpath={.status.readyReplicas}=4 deploy/web --timeout=60s");
    let wide = sim.kubectl("-n shop get deploy,pods -o wide");
    assert!(wide.contains("4/4") && wide.matches("1/1     Running").count() == 4, "{wide}");
    assert!(sim.kubectl("-n shop logs deploy/web").contains("web v2 is up"));
    let described = sim.kubectl("-n shop describe deploy/web");
    assert!(described.contains("4 desired | 4 updated | 4 total | 4 available | 0 unavailable"), "{described}");
    assert!(described.contains("ScalingReplicaSet"), "{described}");
    assert!(sim.kubectl("apply --server-side --force-conflicts -f next.yaml").contains("serverside-applied"));

    let deleted = sim.kubectl("-n shop delete deploy/web svc/web --timeout=60s");
    assert_eq!(deleted.matches("\"web\" deleted").count(), 2, "{deleted}");
    sim.kubectl("delete namespace shop --timeout=60s");
    assert!(sim.refused("get ns shop").contains("not found"));
}

#[test]
fn an_image_that_cannot_be_pulled_is_undone() {
    if !kubectl_is_here() {
        return;
    }
    let sim = Sim::start();
    sim.world.file("app.yaml", APP);
    sim.kubectl("apply -f app.yaml");
    sim.kubectl("-n shop rollout status deploy/web --timeout=60s");
    sim.kubectl("-n shop set image deploy/web app=registry.example.com/acme/web:v3");
    let told = sim.refused("-n shop rollout status deploy/web --timeout=2s");
    assert!(told.contains("timed out"), "{told}");
    let pods = sim.kubectl("-n shop get pods");
    assert!(pods.contains("ImagePullBackOff") || pods.contains("ErrImagePull"), "{pods}");
    assert!(sim.kubectl("-n shop get events").contains("manifest unknown"));
    sim.kubectl("-n shop rollout undo deploy/web");
    sim.kubectl("-n shop rollout status deploy/web --timeout=60s");
    assert!(!sim.kubectl("-n shop get pods").contains("Pull"));
}

#[test]
fn people_have_the_rights_that_roles_give() {
    if !kubectl_is_here() {
        return;
    }
    let sim = Sim::start();
    sim.world.file("app.yaml", APP);
    sim.kubectl("apply -f app.yaml");
    let refused = sim.refused("--context dev@prod -n shop get pods");
    assert!(refused.contains("User \"dev\" cannot list resource \"pods\""), "{refused}");
    sim.world.file(
        "rights.yaml",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: dev, namespace: shop}\n\
         roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}\n\
         subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: dev}]\n",
    );
    sim.kubectl("apply -f rights.yaml");
    sim.kubectl("--context dev@prod -n shop get pods");
    assert!(sim.refused("--context dev@prod -n shop delete pods --all").contains("cannot delete"));
    assert!(sim.refused("--context dev@prod get nodes").contains("at the cluster scope"));
}

#[test]
fn what_typed_clients_send_is_understood() {
    if !kubectl_is_here() {
        return;
    }
    // These commands send protobuf, not JSON.
    let sim = Sim::start();
    sim.kubectl("create namespace shop");
    sim.kubectl("-n shop create configmap c --from-literal=a=1 --from-literal=b=2");
    assert_eq!(sim.kubectl("-n shop get configmap c -o jsonpath={.data}"), r#"{"a":"1","b":"2"}"#);
    sim.kubectl("-n shop create secret generic s --from-literal=p=q");
    assert_eq!(sim.kubectl("-n shop get secret s -o jsonpath={.data.p}"), "cQ==");
    sim.kubectl("-n shop create deployment web --image=nginx --replicas=2 --port=80");
    sim.kubectl("-n shop rollout status deploy/web --timeout=60s");
    assert_eq!(sim.kubectl("-n shop get deploy web -o jsonpath={..containerPort}"), "80");
    sim.kubectl("-n shop autoscale deploy/web --min=1 --max=3 --cpu-percent=50");
    assert!(sim.kubectl("-n shop get hpa").contains("Deployment/web"));
    sim.kubectl("-n shop create job once --image=busybox -- true");
    sim.kubectl("-n shop wait --for=condition=complete job/once --timeout=60s");
    sim.kubectl("-n shop create role reader --verb=get,list --resource=pods");
    sim.kubectl("-n shop create rolebinding dev --role=reader --user=dev");
    assert_eq!(sim.kubectl("auth can-i list pods -n shop --as=dev"), "yes\n");
    assert!(sim.refused("auth can-i delete pods -n shop --as=dev").starts_with("no"));
    assert!(sim.kubectl("auth whoami").contains("system:masters"));
    assert!(sim.refused("--context dev@prod get nodes --as=admin").contains("cannot impersonate resource \"users\""));
}

#[test]
fn what_pods_use_is_shown_and_makes_them_more() {
    if !kubectl_is_here() {
        return;
    }
    let world = World::new();
    let app = APP.replace("image: ", "resources: {requests: {cpu: 100m, memory: 64Mi}}\n          image: ");
    world.file("seed.yaml", &app);
    world.file("catalogue.yaml", "workloads: [{image: '*/web', cpu: {idle: 200m}, memory: {base: 128Mi}}]");
    let arguments = "kube-sim --listen 127.0.0.1:0 --admin-token admin-1 --seed seed.yaml --kubeconfig kubeconfig \
                     --workloads catalogue.yaml --time-scale 20";
    let mut process = world.start("kube-sim", &arguments.split_whitespace().collect::<Vec<_>>());
    process.says("serves https://");
    let sim = Sim { world, _process: process };
    sim.kubectl("-n shop rollout status deploy/web --timeout=60s");
    sim.kubectl("-n shop autoscale deploy/web --min=2 --max=5 --cpu-percent=80");
    sim.kubectl("-n shop wait --for=jsonpath={.status.readyReplicas}=5 deploy/web --timeout=60s");
    let scalers = sim.kubectl("-n shop get hpa");
    assert!(scalers.contains("cpu: 200%/80%"), "{scalers}");
    let events = sim.kubectl("-n shop get events --field-selector reason=SuccessfulRescale");
    assert!(events.contains("reason: cpu resource utilization (percentage of request) above target"), "{events}");
    let pods = sim.kubectl("-n shop top pods");
    assert!(pods.contains("200m"), "{pods}");
    assert!(sim.kubectl("top nodes").contains("node-1"));
}

#[test]
fn a_cluster_starts_with_what_its_files_say_and_ends_when_asked() {
    let world = World::new();
    world.file("seed.yaml", APP);
    world.file("faults.yaml", "api: [{on: {resources: [pods], verbs: [list]}, status: 503}]");
    let arguments =
        "kube-sim --listen 127.0.0.1:0 --admin-token admin-1 --seed seed.yaml --faults faults.yaml --nodes 1";
    let mut process = world.start("kube-sim", &arguments.split_whitespace().collect::<Vec<_>>());
    let address = process.says("serves https://");
    // On this machine plain HTTP does too.
    let get = |path: &str| send("GET", &format!("http://{address}{path}"), &[("authorization", "Bearer admin-1")], "");
    assert_eq!(get("/apis/apps/v1/namespaces/shop/deployments/web").json()["spec"]["replicas"], 3);
    assert_eq!(get("/api/v1/nodes").json()["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(get("/api/v1/pods").status, 503);
    assert_eq!(
        send("GET", &format!("http://{address}/api/v1/nodes"), &[("authorization", "Bearer x")], "").status,
        401
    );
    assert_eq!(send("GET", &format!("http://{address}/api/v1/nodes"), &[], "").status, 403);
    assert!(process.stop().success());
}

#[test]
fn wrong_flags_are_refused_with_a_remedy() {
    let world = World::new();
    world.file("bad.yaml", "apis: []\n");
    world.file("nowhere.yaml", "apiVersion: v1\nkind: Potato\nmetadata: {name: p}\n");
    for (flags, told) in [
        ("--user-token dev", "NAME=TOKEN"),
        ("--user-token dev=a", "give every user a token of their own"),
        ("--faults bad.yaml", "unknown field `apis`"),
        ("--seed nowhere.yaml", "nowhere.yaml:1:1: Potato/p: v1 Potato is not a kind of this cluster"),
        ("--seed missing.yaml", "cannot read missing.yaml"),
        ("--nodes many", "invalid value"),
        ("--time-scale 0", "--time-scale must not be 0"),
    ] {
        let line = format!("kube-sim --listen 127.0.0.1:0 --admin-token a {flags}");
        let refused = world.run(&line.split_whitespace().collect::<Vec<_>>()).fails(2);
        assert!(refused.contains(told), "{flags}: {refused}");
    }
}

#[test]
fn a_forge_serves_repositories_to_those_who_may_see_them() {
    let world = World::new();
    world.file("catalog/a.yaml", "a: 1\n");
    let arguments = "git-sim --listen 127.0.0.1:0 --repository acme/catalog=catalog --repository other/app \
                     --token bot@acme:read=t-1";
    let mut forge = world.start("git-sim", &arguments.split_whitespace().collect::<Vec<_>>());
    let line = forge.says("git-sim serves http://");
    let (address, repositories) = line.split_once(", ").unwrap();
    assert_eq!(repositories, "repositories acme/catalog other/app");
    let clone = |token: &str, repo: &str, folder: &str| {
        let mut git = Command::new("git");
        git.current_dir(world.folder()).env("GIT_TERMINAL_PROMPT", "0").env("HOME", world.folder());
        git.args(["clone", "--quiet", &format!("http://x:{token}@{address}/{repo}.git"), folder]).output().unwrap()
    };
    assert!(clone("t-1", "acme/catalog", "one").status.success());
    assert_eq!(std::fs::read_to_string(world.folder().join("one/a.yaml")).unwrap(), "a: 1\n");
    assert!(!clone("t-1", "other/app", "two").status.success());
    assert!(!clone("wrong", "acme/catalog", "three").status.success());
    assert!(forge.stop().success());
    let refused = world.run(&["git-sim", "--listen", "0.0.0.0:0"]).fails(2);
    assert!(refused.contains("this machine only") && refused.contains("proxy with TLS"), "{refused}");
}

#[test]
fn the_metrics_of_a_followed_cluster_are_served() {
    let world = World::new();
    world.file("seed.yaml", APP);
    world.file("catalogue.yaml", "workloads: [{image: '*/web', traffic: {rate: 100}}]");
    let arguments = "kube-sim --listen 127.0.0.1:0 --admin-token admin-1 --seed seed.yaml --kubeconfig kubeconfig \
                     --workloads catalogue.yaml --metrics 127.0.0.1:0";
    let mut cluster = world.start("kube-sim", &arguments.split_whitespace().collect::<Vec<_>>());
    let own = cluster.says(", metrics http://");
    let arguments = "workloads --listen 127.0.0.1:0 --catalogue catalogue.yaml --cluster prod=kubeconfig";
    let mut metrics = world.start("workloads", &arguments.split_whitespace().collect::<Vec<_>>());
    let line = metrics.says("workloads serves http://");
    let (address, clusters) = line.split_once(", ").unwrap();
    assert_eq!(clusters, "clusters prod");
    // The cluster's own metrics, and those of a process that follows it over HTTPS.
    for (address, name) in [(own.as_str(), "kube-sim"), (address, "prod")] {
        let url = format!("http://{address}/api/v1/query?query=sum(http_requests_total%7Bcluster%3D%22{name}%22%7D)");
        until(&format!("requests in {name}"), || {
            let answer = send("GET", &url, &[], "").json();
            let count = answer["data"]["result"][0]["value"][1].as_str()?.parse::<f64>().ok()?;
            (count > 0.0).then_some(())
        });
    }
    assert!(metrics.stop().success() && cluster.stop().success());
}
